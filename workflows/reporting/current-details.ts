/** What Temporal UI shows as current details: the story of a run, in Markdown, for the one who comes at 3 a.m. */
import { runWay } from '../../domain/plan/model/rollback-text.ts';
import { duration, utcMinute } from '../../domain/core/text.ts';
import type { FreezeView, StepView, UpgradeReport, UpgradeStatus } from '../../domain/run/record/status.ts';

/** Geometric shapes, which every font has. */
const MARK = { planned: '○', running: '▶', waiting: '◆', completed: '✔', skipped: '▷', failed: '✘', aborted: '■' } as const;

const FREEZE: Record<FreezeView['state'], string | undefined> = {
  none: undefined,
  frozen: 'Karpenter drift is frozen',
  pacing: 'Karpenter replaces nodes at a pace',
  lifted: 'The freeze is lifted',
  kept: 'The freeze is kept on purpose',
  'not-restored': 'The freeze could NOT be restored',
};

export function runDetails(of: {
  status: UpgradeStatus;
  outcome?: UpgradeReport['outcome'];
  leftBehind?: UpgradeReport['leftBehind'];
}): string {
  const { status } = of;
  const left = (of.leftBehind ?? []).map((item) => `- ${item.kept ? 'Kept on purpose' : 'NOT RESTORED'}: ${item.what}: ${item.why}`);
  return [
    `**${status.cluster.name} ${runWay(status)}**: ${of.outcome ?? status.state}. ${status.headline}${/[.?!]$/.test(status.headline) ? '' : '.'}`,
    status.waitsForWorker === undefined ? '' : `**${status.waitsForWorker}.**`,
    ...status.gates.map(gateText),
    freezeText(status.freeze),
    left.join('\n'),
    status.steps.map(stepLine).join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** A paragraph of its own: beside the steps it would become one of their list. */
function gateText({ id, title, choices, expiresAt }: UpgradeStatus['gates'][number]): string {
  return `**Waiting for a decision:** ${title}${/[.?!]$/.test(title) ? '' : '.'} Choose ${choices.join(' or ')} by ${utcMinute(expiresAt)}, in Slack or with \`belay decide\`. Gate \`${id}\`.`;
}

function freezeText({ state, note }: FreezeView): string {
  const text = FREEZE[state];
  if (state === 'pacing' && note !== undefined) return `Karpenter replaces nodes, at most ${note} at a time in each NodePool.`;
  if (text === undefined) return '';
  return note === undefined ? `${text}.` : `${text}: ${note}.`;
}

/** Steps to come have nothing to tell yet. */
function stepLine({ state, title, note, startedAt, endedAt }: StepView): string {
  const tookMs = Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '');
  const name = state === 'planned' ? title : `**${title}**`;
  return `- ${MARK[state]} ${name}${Number.isNaN(tookMs) ? '' : ` (${duration(tookMs)})`}${note === undefined ? '' : `: ${note}`}`;
}
