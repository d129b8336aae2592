/** A status, a list of runs, or a report, as text. */
import { runWay } from '../../domain/plan/model/rollback-text.ts';
import { workLeftMs } from '../../domain/run/durations/left.ts';
import { usualWords } from '../../domain/plan/model/usual.ts';
import type { AskedChange } from '../../domain/run/record/change-requests.ts';
import { NOT_MERGED_YET, unmergedLines } from '../../domain/run/code-changes/merged.ts';
import { IAC_TITLE, iacHeading, type IacNote } from '../../domain/run/code-changes/notes.ts';
import pc from 'picocolors';
import { allLines, type GateState, type OpenGate } from '../../domain/gates/gate.ts';
import type { Late, StepState, StepView, UpgradeReport, UpgradeStatus } from '../../domain/run/record/status.ts';
import type { ForecastCompared } from '../../domain/run/forecasts/compare.ts';
import type { Listed, StatusAnswer, VisibilityStatus } from '../../client/calls/contract.ts';
import { renderCompared } from './forecast/compared.ts';
import { namesIn } from '../../client/reading/names-of-runs.ts';
import { heading, table } from './words.ts';
import { plain } from '../shared/controls.ts';
import { duration, utcMinute } from '../../domain/core/text.ts';
import { actorName } from '../../domain/gates/actor.ts';
import {
  checksMergesAgain,
  freezesKept,
  noUpgradeRunning,
  pauseRequested,
  requestedBy,
  rollbackWindow,
  runLasted,
  workLeft,
} from '../messages/views.ts';

export const MARKS: Record<StepState, string> = {
  planned: '·',
  running: pc.cyan('▶'),
  waiting: pc.yellow('◆'),
  completed: pc.green('✓'),
  skipped: pc.dim('↷'),
  failed: pc.red('✗'),
  aborted: pc.red('■'),
};

const LATE: Record<Late, string> = { slower: 'slower than usual', stuck: 'stuck?' };

export function renderStatus(answer: StatusAnswer, nowMs = Date.now()): string {
  if (answer.source === 'workflow') return renderUpgrade(answer.status, nowMs);
  return [renderRuns([answer.status]), '', pc.yellow(answer.why)].join('\n');
}

function renderUpgrade(status: UpgradeStatus, nowMs: number): string {
  const { cluster } = status;
  const lines = [
    title(status, status.state),
    status.headline,
    ...(status.waitsForWorker === undefined ? [] : [pc.red(status.waitsForWorker)]),
    pc.dim(requestedBy(actorName(status.requestedBy), utcMinute(status.startedAt))),
    ...leftLine(status, nowMs),
    '',
    ...status.steps.map((step) => renderStep(step, nowMs)),
  ];
  if (status.freeze.state !== 'none')
    lines.push('', `Freeze: ${status.freeze.state}${status.freeze.note === undefined ? '' : ` (${status.freeze.note})`}`);
  lines.push(...takeBackLines(status));
  for (const gate of status.gates) {
    const progress = gate.progress === undefined ? '' : `, ${gate.progress}`;
    lines.push(
      '',
      `${pc.yellow('◆')} ${gate.title} (${gate.byItself === true ? 'continues by itself; ' : ''}by ${utcMinute(gate.expiresAt)}${progress})`,
    );
    lines.push(...gateLines(gate));
    for (const choice of gate.choices) lines.push(`    belay decide ${cluster.name} ${quote(gate.id)} ${choice}`);
  }
  if (status.pauseRequested) lines.push('', pc.yellow(pauseRequested()));
  return lines.join('\n');
}

/** What somebody has to know who decides here: the same as is shown in Slack. */
export function gateLines({ next, evidence = [], undo, planHash }: OpenGate): string[] {
  return [
    ...(next === undefined || next === '' ? [] : [`    Next: ${plain(next)}`]),
    ...evidence.flatMap((each) => [`    ${plain(each.title)}`, ...allLines(each).map((line) => `      ${plain(line)}`)]),
    ...(undo === undefined || undo === '' ? [] : [`    What can be undone: ${plain(undo)}`]),
    ...(planHash === undefined ? [] : [`    Plan: ${plain(planHash)}`]),
  ];
}

function takeBackLines({ cluster, takeBack }: UpgradeStatus): string[] {
  if (takeBack === undefined) return [];
  return ['', rollbackWindow(cluster.name, takeBack.to, utcMinute(takeBack.until))];
}

function title(status: UpgradeStatus, state: string): string {
  return heading(`${status.cluster.name}: ${runWay(status)}, ${state}`);
}

function leftLine(status: UpgradeStatus, nowMs: number): string[] {
  const leftMs = workLeftMs(status, nowMs);
  if (leftMs <= 0) return [];
  const at = utcMinute(new Date(nowMs + leftMs).toISOString());
  return [workLeft(duration(leftMs), at)];
}

/** `nowMs`: of a run that is under way. */
function renderStep(step: StepView, nowMs?: number): string {
  return `  ${MARKS[step.state]} ${step.id}  ${pc.dim(stepTime(step, nowMs))}${step.note === undefined ? '' : `  ${step.note}`}`;
}

function stepTime({ state, startedAt, endedAt, expectedMs, usual, late }: StepView, nowMs?: number): string {
  const startedMs = Date.parse(startedAt ?? '');
  if (!Number.isNaN(startedMs) && endedAt !== undefined) return duration(Date.parse(endedAt) - startedMs);
  if (state === 'planned') return `about ${duration(expectedMs)}`;
  if (Number.isNaN(startedMs) || nowMs === undefined) return state;
  const words =
    usual === undefined
      ? `of about ${duration(expectedMs)}`
      : `${late === undefined ? '' : `${LATE[late]}, `}${usualWords(expectedMs, usual)}`;
  return `${state}, ${duration(nowMs - startedMs)}${usual === undefined ? ' ' : ', '}${words}`;
}

export function renderRuns(runs: VisibilityStatus[], nameOf = namesIn(runs)): string {
  if (runs.length === 0) return noUpgradeRunning();
  const rows = runs.map((run) => [
    nameOf(run),
    run.target ?? '?',
    run.execution.toLowerCase(),
    run.phase ?? '-',
    run.waitingFor === undefined || run.waitingFor === '' ? '-' : run.waitingFor,
    utcMinute(run.startedAt),
  ]);
  return table(['CLUSTER', 'TARGET', 'STATE', 'PHASE', 'WAITS FOR', 'SINCE'], rows);
}

export function renderListed({ runs, keptFreezes }: Listed): string {
  if (keptFreezes.length === 0) return renderRuns(runs);
  const nameOf = namesIn([...runs, ...keptFreezes]);
  const rows = keptFreezes.map((freeze) => [nameOf(freeze), freeze.target ?? '?', freeze.waitingFor ?? '-', utcMinute(freeze.startedAt)]);
  return [renderRuns(runs, nameOf), '', freezesKept(), table(['CLUSTER', 'TARGET', 'WAITS FOR', 'SINCE'], rows)].join('\n');
}

/** `asked`: what others were asked to change. `notes`: what does not hold any more where it is kept. */
export function renderReport(
  report: UpgradeReport,
  asked: readonly AskedChange[] = [],
  notes: readonly IacNote[] = [],
  forecast?: ForecastCompared,
): string {
  const { status } = report;
  const lines = [
    title(status, report.outcome),
    status.headline,
    pc.dim(
      runLasted({
        from: utcMinute(status.startedAt),
        to: status.endedAt === undefined ? '?' : utcMinute(status.endedAt),
        person: actorName(status.requestedBy),
      }),
    ),
    '',
    ...status.steps.map((step) => renderStep(step)),
    ...takeBackLines(status),
    ...(forecast === undefined ? [] : ['', ...renderCompared(forecast)]),
    '',
    heading('Decisions'),
    ...report.decisions.map(renderDecision),
  ];
  if (report.decisions.length === 0) lines.push('  none');
  if (asked.length > 0) lines.push('', heading('Changes requested from others'), ...asked.map(renderAsked));
  if (notes.length > 0) lines.push('', heading(IAC_TITLE), ...notes.map(renderNote));
  const unmerged = unmergedLines(report.merges ?? []);
  if (unmerged.length > 0)
    lines.push('', heading(NOT_MERGED_YET), ...unmerged.map((line) => `  ${line}`), pc.dim(`  ${checksMergesAgain(status.cluster.name)}`));
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

function renderNote(note: IacNote): string {
  return `  ${iacHeading(note)}:\n    ${note.lines.replaceAll('\n', '\n    ')}`;
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
