/** How much work is left of a run, as far as it can be expected: waits for people are nobody's to foresee. */
import { stepOfGate } from '../../gates/gate.ts';
import type { StepView, UpgradeStatus } from '../record/status.ts';
import { isWorkedBeside } from './waits.ts';

/** Milliseconds; 0 where nothing is left or the run has ended. */
export function workLeftMs({ steps, gates, endedAt }: Pick<UpgradeStatus, 'steps' | 'gates' | 'endedAt'>, nowMs: number): number {
  return endedAt === undefined ? steps.reduce((sum, step) => sum + stepLeftMs(step, gates, nowMs), 0) : 0;
}

/** What a step has worked: not the time at its gates. */
function stepLeftMs({ id, state, startedAt, expectedMs, waitedMs = 0 }: StepView, gates: UpgradeStatus['gates'], nowMs: number): number {
  if (state === 'planned') return expectedMs;
  if (state !== 'running' && state !== 'waiting') return 0;
  const startedMs = Date.parse(startedAt ?? '');
  const open = gates.filter((gate) => stepOfGate(gate.id) === id && !isWorkedBeside(gate.id));
  const openedMs = Math.min(nowMs, ...open.flatMap(({ openedAt }) => (openedAt === undefined ? [] : Date.parse(openedAt))));
  const workedMs = Math.max(0, openedMs - startedMs - waitedMs);
  return Number.isNaN(startedMs) ? expectedMs : Math.max(0, expectedMs - workedMs);
}
