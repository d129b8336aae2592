/** How a run ended: outcome, decisions, and what was left behind, said loudly. */
import { headText } from '../../domain/gates/audit.ts';
import { planBackMeans } from '../../client/calls/questions.ts';
import type { GateState } from '../../domain/gates/gate.ts';
import { NOT_MERGED_YET, unmergedLines } from '../../domain/run/code-changes/merged.ts';
import { IAC_TITLE, IAC_WHY, iacHeading, type IacNote } from '../../domain/run/code-changes/notes.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { boardTitle } from './board.ts';
import { actions, button, context, header, message, type Rendered, sections } from './kit/elements.ts';
import { labelOf } from './gate.ts';
import { codeLines, mrkdwn, person } from './kit/text.ts';
import { when } from './kit/time.ts';
import { duration } from '../../domain/core/text.ts';
import type { MergeFinding } from '../../domain/run/record/merge-finding.ts';
import {
  allMerged,
  checksMergesAgain,
  runLeftBehind,
  mergesUnread,
  moreInReport,
  nothingLeftBehind,
  planBackTitle,
  restoreLeft,
  rollbackWindow,
  runEnded,
  runTook,
} from '../messages/run.ts';

const MAX_NOTES = 12;

/** How runs end, in a word. */
export const OUTCOMES: Record<UpgradeReport['outcome'], string> = {
  completed: '✅ Completed',
  stopped: '⏹ Stopped',
  aborted: '⏹ Aborted',
  failed: '❌ Failed',
  refused: '🚫 Refused',
};

/** `notes`: what does not hold any more where it is kept as code. */
export function reportBlocks(
  { status, outcome, decisions, leftBehind, audit, merges }: UpgradeReport,
  notes: readonly IacNote[] = [],
): Rendered {
  const title = `${OUTCOMES[outcome]}: ${boardTitle(status)}`;
  const tookMs = Date.parse(status.endedAt ?? '') - Date.parse(status.startedAt);
  const left =
    leftBehind.length === 0
      ? [nothingLeftBehind()]
      : leftBehind.slice(0, 30).map(({ what, why, kept }) => runLeftBehind({ what: mrkdwn(what, 200), why: mrkdwn(why, 250), kept }));
  const own = ownLeft(leftBehind, person(status.requestedBy), mrkdwn(status.cluster.name, 100));
  const took = Number.isNaN(tookMs) ? '' : runTook(duration(tookMs), person(status.requestedBy));
  return message(summary([mrkdwn(`${title}. ${status.headline}`, 600), took, own]), [
    header(title),
    ...sections([mrkdwn(status.headline === '' ? runEnded() : status.headline, 600), ...left, own], 3),
    ...(decisions.length === 0 ? [] : sections(['*Decisions*', ...decisions.slice(0, 60).map(decisionLine)], 5)),
    ...iacSections(notes, status.cluster.name, merges),
    ...context([
      took,
      status.takeBack === undefined ? '' : rollbackWindow(mrkdwn(status.takeBack.to, 20), when(status.takeBack.until)),
      audit === undefined ? '' : `Audit ${headText(audit.head)}: belay audit ${mrkdwn(status.cluster.name, 100)}`,
    ]),
    ...wayBack(status),
  ]);
}

/** What is left is somebody's: of the requester, who is told. What is kept on purpose needs nobody. */
function ownLeft(leftBehind: UpgradeReport['leftBehind'], owner: string, cluster: string): string {
  const open = leftBehind.filter(({ kept }) => !kept).length;
  return open === 0 ? '' : restoreLeft(owner, cluster, open);
}

/** For notifications, and whoever reads nothing else: how it ended, how long it took, what is left and whose it is. */
const summary = (parts: readonly string[]): string =>
  parts
    .filter((part) => part !== '')
    .map((part) => (/[.?!…]$/.test(part) ? part : `${part}.`))
    .join(' ');

/** As many as a message may hold, each whole: lines that are cut would be pasted cut. */
function iacSections(notes: readonly IacNote[], cluster: string, merges?: readonly MergeFinding[]): ReturnType<typeof sections> {
  if (notes.length === 0) return [];
  const shown = notes.slice(0, MAX_NOTES);
  const more = shown.length === notes.length ? '' : `${moreInReport(mrkdwn(cluster, 100))} `;
  const command = `\`belay reconcile ${mrkdwn(cluster, 100)}\``;
  return [
    ...sections([`*${IAC_TITLE}*`, IAC_WHY]),
    ...shown.flatMap((note) =>
      sections([`${mrkdwn(iacHeading(note), 500)}:\n\`\`\`${codeLines(note.lines, 1_500).replaceAll('`', "'")}\`\`\``]),
    ),
    ...sections(
      merges === undefined ? [`${more}${mergesUnread(command)}`] : [...(more === '' ? [] : [more]), ...mergedLines(merges, command)],
    ),
  ];
}

function mergedLines(merges: readonly MergeFinding[], command: string): string[] {
  const open = unmergedLines(merges);
  if (open.length === 0) return [allMerged()];
  const rest = open.length > MAX_NOTES ? [`and ${open.length - MAX_NOTES} more`] : [];
  return [
    `*${NOT_MERGED_YET}*`,
    ...[...open.slice(0, MAX_NOTES), ...rest].map((line) => `• ${mrkdwn(line, 400)}`),
    checksMergesAgain(command),
  ];
}

/** For those who have ended a run in order to go back. */
function wayBack({ goBack, cluster, from, runId }: UpgradeReport['status']): ReturnType<typeof actions> {
  if (goBack === undefined || from === undefined) return [];
  return actions(
    [
      button({
        actionId: 'back/plan',
        label: 'Plan the rollback',
        value: { cluster: cluster.name, target: from, run: runId },
        style: 'primary',
        confirm: {
          title: planBackTitle(),
          text: planBackMeans(),
        },
      }),
    ].filter((element) => element !== undefined),
  );
}

function decisionLine(state: GateState): string {
  const title = mrkdwn(state.gate.title, 120);
  const asked = title.endsWith('?') ? title : `${title}:`;
  switch (state.kind) {
    case 'open':
      return `• ${asked} still open`;
    case 'decided': {
      const { decision, gate, votes } = state;
      // All whose votes made it, in their order: the one who gave the last is not alone.
      const by = [...votes.filter(({ choice, decisionId }) => choice === decision.choice && decisionId !== decision.decisionId), decision];
      const reason = decision.reason === undefined ? '' : ` – “${mrkdwn(decision.reason, 150)}”`;
      return `• ${asked} *${labelOf(gate, decision.choice)}* by ${by.map(({ actor }) => person(actor)).join(', ')}${decision.breakGlass === true ? ' 🚨 despite the rules' : ''}, ${when(decision.at)}${reason}`;
    }
    case 'expired':
      return `• ${asked} expired ${when(state.at)}`;
    case 'withdrawn':
      return `• ${asked} withdrawn, ${mrkdwn(state.why, 150)}`;
  }
}
