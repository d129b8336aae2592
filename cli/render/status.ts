/** A status, a list of runs, or a report, as text. */
import type { AskedChange } from '../../domain/asked.ts';
import type { IacNote } from '../../domain/iac-notes.ts';
import pc from 'picocolors';
import { actorName, type GateState } from '../../domain/gate.ts';
import type { StepState, StepView, UpgradeReport, UpgradeStatus } from '../../domain/status.ts';
import type { StatusAnswer, VisibilityStatus } from '../../slack/upgrades.ts';
import { heading, table } from './words.ts';
import { duration } from '../../domain/words.ts';

const MARKS: Record<StepState, string> = {
  planned: '·',
  running: pc.cyan('▶'),
  waiting: pc.yellow('◆'),
  completed: pc.green('✓'),
  skipped: pc.dim('↷'),
  failed: pc.red('✗'),
  aborted: pc.red('■'),
};

export function renderStatus(answer: StatusAnswer): string {
  if (answer.source === 'workflow') return renderUpgrade(answer.status);
  return [renderRuns([answer.status]), '', pc.yellow(answer.why)].join('\n');
}

function renderUpgrade(status: UpgradeStatus): string {
  const { cluster } = status;
  const lines = [
    title(status, status.state),
    status.headline,
    pc.dim(`asked for by ${actorName(status.requestedBy)} at ${status.startedAt}`),
    '',
    ...status.steps.map(renderStep),
  ];
  if (status.freeze.state !== 'none')
    lines.push('', `Freeze: ${status.freeze.state}${status.freeze.note === undefined ? '' : ` (${status.freeze.note})`}`);
  for (const gate of status.gates) {
    const progress = gate.progress === undefined ? '' : `, ${gate.progress}`;
    lines.push(
      '',
      `${pc.yellow('◆')} ${gate.title} (${gate.byItself === true ? 'goes on by itself; ' : ''}until ${gate.expiresAt}${progress})`,
    );
    for (const choice of gate.choices) lines.push(`    belay decide ${cluster.name} ${quote(gate.id)} ${choice}`);
  }
  if (status.pauseRequested) lines.push('', pc.yellow('Paused: nothing new starts until it is resumed.'));
  return lines.join('\n');
}

function title({ cluster, from, to }: UpgradeStatus, state: string): string {
  return heading(`${cluster.name}: ${from ?? '?'} → ${to}, ${state}`);
}

function renderStep(step: StepView): string {
  const took =
    step.startedAt !== undefined && step.endedAt !== undefined
      ? duration(Date.parse(step.endedAt) - Date.parse(step.startedAt))
      : undefined;
  const time = took ?? (step.state === 'planned' ? `about ${duration(step.expectedMs)}` : step.state);
  return `  ${MARKS[step.state]} ${step.id}  ${pc.dim(time)}${step.note === undefined ? '' : `  ${step.note}`}`;
}

export function renderRuns(runs: VisibilityStatus[]): string {
  if (runs.length === 0) return 'No upgrade is running.';
  const rows = runs.map((run) => [
    run.cluster,
    run.target ?? '?',
    run.execution.toLowerCase(),
    run.phase ?? '-',
    run.waitingFor === undefined || run.waitingFor === '' ? '-' : run.waitingFor,
    run.startedAt,
  ]);
  return table(['CLUSTER', 'TARGET', 'STATE', 'PHASE', 'WAITS FOR', 'SINCE'], rows);
}

/** `asked`: what others were asked to change. `notes`: what does not hold any more where it is kept. */
export function renderReport(report: UpgradeReport, asked: readonly AskedChange[] = [], notes: readonly IacNote[] = []): string {
  const { status } = report;
  const lines = [
    title(status, report.outcome),
    status.headline,
    pc.dim(`${status.startedAt} to ${status.endedAt ?? '?'}, asked for by ${actorName(status.requestedBy)}`),
    '',
    ...status.steps.map(renderStep),
    '',
    heading('Decisions'),
    ...report.decisions.map(renderDecision),
  ];
  if (report.decisions.length === 0) lines.push('  none');
  if (asked.length > 0) lines.push('', heading('Asked of others'), ...asked.map(renderAsked));
  if (notes.length > 0) lines.push('', heading('To change in Git'), ...notes.map(renderNote));
  lines.push(
    '',
    heading('Left behind'),
    ...report.leftBehind.map(({ what, why, kept }) => `  ${kept ? pc.yellow('kept') : pc.red('not restored')} ${what}: ${why}`),
  );
  if (report.leftBehind.length === 0) lines.push('  nothing');
  return lines.join('\n');
}

/** Manifests keep their lines. */
function renderAsked({ step, at, component, name, version, managedBy, text }: AskedChange): string {
  const body = text.replaceAll('\n', '\n    ');
  return `  ${step}: ${component} ${name} → ${version} (${managedBy}) at ${at}\n    ${body}`;
}

function renderNote({ object, says, lines }: IacNote): string {
  return `  ${object}, where it says ${says}:\n    ${lines.replaceAll('\n', '\n    ')}`;
}

function renderDecision(state: GateState): string {
  const { id } = state.gate;
  if (state.kind !== 'decided') return `  ${id}: ${state.kind}`;
  const { choice, actor, reason, at, breakGlass } = state.decision;
  return `  ${id}: ${choice}${breakGlass === true ? ' DESPITE THE RULES' : ''} by ${actorName(actor)} (${actor.aws ?? actor.kind}) at ${at}${reason === undefined ? '' : `: ${reason}`}`;
}

/** As a shell wants it: # begins a comment only after a blank, but people copy these lines into anything. */
function quote(text: string): string {
  return `'${text}'`;
}
