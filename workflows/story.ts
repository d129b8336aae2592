/** What Temporal UI shows as current details: the story of a run, in Markdown, for the one who comes at 3 a.m. */
import type { UpgradeReport, UpgradeStatus } from '../domain/status.ts';

const MARK = { planned: '·', running: '▶', waiting: '⏸', completed: '✔', skipped: '↷', failed: '✖', aborted: '■' } as const;

export function runDetails(of: {
  status: UpgradeStatus;
  outcome?: UpgradeReport['outcome'];
  leftBehind?: UpgradeReport['leftBehind'];
}): string {
  const { status } = of;
  const steps = status.steps.map((step) => `- ${MARK[step.state]} **${step.title}**${step.note === undefined ? '' : `: ${step.note}`}`);
  const gates = status.gates.map(
    (gate) => `- Waiting at gate \`${gate.id}\`: ${gate.title} (${gate.choices.join(', ')}; expires ${gate.expiresAt})`,
  );
  const left = (of.leftBehind ?? []).map((item) => `- ${item.kept ? 'Kept on purpose' : 'NOT RESTORED'}: ${item.what}: ${item.why}`);
  return [
    `**${status.cluster.name} ${status.from ?? '?'} → ${status.to}**: ${of.outcome ?? status.state}. ${status.headline}.`,
    ...(status.freeze.state === 'none'
      ? []
      : [`Drift freeze: ${status.freeze.state}${status.freeze.note === undefined ? '' : ` (${status.freeze.note})`}.`]),
    gates.join('\n'),
    left.join('\n'),
    steps.join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
