/** A run as it is now, for a screen that is drawn again each second: where it is, how far, and who is needed by when. */
import pc from 'picocolors';
import { phaseOf } from '../../../domain/core/phases.ts';
import { count, duration } from '../../../domain/core/text.ts';
import { type ApprovalPolicy, rulesOf } from '../../../domain/gates/approvals.ts';
import { stepOfGate } from '../../../domain/gates/gate.ts';
import { runWay } from '../../../domain/plan/model/rollback-text.ts';
import { workLeftMs } from '../../../domain/run/durations/left.ts';
import type { StepView, UpgradeState, UpgradeStatus } from '../../../domain/run/record/status.ts';
import type { StatusAnswer } from '../../../client/upgrades-client.ts';
import { gateWaits, paused, pastDeadline, stepsDone } from '../../messages/watch.ts';
import { localMinute } from '../../shared/local-time.ts';
import { MARKS, renderRuns } from '../status.ts';
import { heading } from '../words.ts';
import { plain } from '../../shared/controls.ts';
import { isOpenStatus } from '../../../client/calls/open.ts';

export interface WatchOf {
  nowMs: number;
  /** Of the cluster; absent: belay.yaml does not say. */
  approvals?: ApprovalPolicy;
  /** IANA name; default: the machine's. */
  timeZone?: string;
}

const ENDED: readonly UpgradeState[] = ['completed', 'stopped', 'aborted', 'failed', 'refused'];

export const isOver = (answer: StatusAnswer): boolean =>
  answer.source === 'workflow' ? ENDED.includes(answer.status.state) : !isOpenStatus(answer.status.execution);

type Gate = UpgradeStatus['gates'][number];

export function watchLines(answer: StatusAnswer, of: WatchOf): string[] {
  if (answer.source === 'visibility') return [...renderRuns([answer.status]).split('\n'), '', pc.yellow(plain(answer.why))];
  const { status } = answer;
  const leftMs = workLeftMs(status, of.nowMs);
  const doneCount = status.steps.filter(({ state }) => state === 'completed' || state === 'skipped').length;
  return [
    heading(plain(`${status.cluster.name}: ${runWay(status)}, ${status.state}`)),
    plain(status.headline),
    ...(status.waitsForWorker === undefined ? [] : [pc.red(plain(status.waitsForWorker))]),
    ...(status.steps.length === 0
      ? []
      : [`${bar(doneCount, status.steps.length)} ${stepsDone(doneCount, status.steps.length, leftMs > 0 ? duration(leftMs) : undefined)}`]),
    '',
    ...status.steps.flatMap((step) => stepLines(step, of.nowMs)),
    ...(status.freeze.state === 'none'
      ? []
      : ['', `Freeze: ${status.freeze.state}${plain(status.freeze.note === undefined ? '' : ` (${status.freeze.note})`)}`]),
    ...status.gates.flatMap((gate) => ['', ...gateText(gate, status.cluster.name, of)]),
    ...(status.pauseRequested ? ['', pc.yellow(paused())] : []),
  ];
}

function stepLines({ id, state, note, startedAt, endedAt, expectedMs, rolled }: StepView, nowMs: number): string[] {
  const isNow = state === 'running' || state === 'waiting' || state === 'failed';
  const startedMs = Date.parse(startedAt ?? '');
  const took = Number.isNaN(startedMs)
    ? state === 'planned'
      ? `~${duration(expectedMs)}`
      : ''
    : duration(Math.max(0, (endedAt === undefined ? nowMs : Date.parse(endedAt)) - startedMs));
  const line = `  ${MARKS[state]} ${isNow ? pc.bold(plain(id)) : plain(id)}  ${pc.dim(took)}${isNow && note !== undefined ? `  ${plain(note)}` : ''}`;
  if (!isNow || rolled === undefined || rolled.totalCount <= 0) return [line];
  return [line, `      ${bar(rolled.doneCount, rolled.totalCount)} ${rolled.doneCount} of ${count(rolled.totalCount, plain(rolled.unit))}`];
}

function gateText(gate: Gate, cluster: string, of: WatchOf): string[] {
  return [
    `${pc.yellow('◆')} ${pc.bold(plain(gate.title))}`,
    `    ${gateNeeds(gate, of)}`,
    ...gate.choices.map((choice) => pc.dim(plain(`    belay decide ${cluster} '${gate.id}' ${choice}`))),
  ];
}

/** Who is needed, and by when. */
export function gateNeeds(gate: Gate, { approvals, nowMs, timeZone }: WatchOf): string {
  const leftMs = Date.parse(gate.expiresAt) - nowMs;
  const left = leftMs > 0 ? `in ${duration(leftMs)}` : pastDeadline();
  const by = `${localMinute(Date.parse(gate.expiresAt), timeZone)} (${left})`;
  const who = gate.byItself === true || approvals === undefined ? undefined : whoIsNeeded(gate.id, approvals);
  return gateWaits({ who, by, progress: gate.progress === undefined ? undefined : plain(gate.progress), byItself: gate.byItself === true });
}

/** "1 of approvers (Slack group S0PLATFORM, Slack user U0SAM)": the rules that hold at the gate's step. */
function whoIsNeeded(gateId: string, approvals: ApprovalPolicy): string {
  return rulesOf(approvals, phaseOf(stepOfGate(gateId)))
    .map(({ name, users, groups, quorum }) => `${quorum} of ${plain(name)} (${[...groups, ...users].map(known).join(', ') || 'nobody'})`)
    .join(' and ');
}

/** Slack alone knows the names of its ids; without Slack approvers are named in belay.yaml. */
function known(approver: string): string {
  const id = plain(approver);
  if (/^S[A-Z0-9]{2,}$/.test(id)) return `Slack group ${id}`;
  return /^[UW][A-Z0-9]{2,}$/.test(id) ? `Slack user ${id}` : id;
}

const WIDTH = 24;

/** Full only when everything is done. */
function bar(done: number, total: number): string {
  const share = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0;
  const full = Math.floor(share * WIDTH);
  return `${pc.green('█'.repeat(full))}${pc.dim('░'.repeat(WIDTH - full))}`;
}
