/** How much work is left of a run, as far as it can be expected: waits for people are nobody's to foresee. */
import type { StepView, UpgradeStatus } from '../record/status.ts';

/** Milliseconds; 0 where nothing is left or the run has ended. */
export function workLeftMs({ steps, endedAt }: Pick<UpgradeStatus, 'steps' | 'endedAt'>, nowMs: number): number {
  return endedAt === undefined ? steps.reduce((sum, step) => sum + stepLeftMs(step, nowMs), 0) : 0;
}

function stepLeftMs({ state, startedAt, expectedMs }: StepView, nowMs: number): number {
  if (state === 'planned') return expectedMs;
  if (state !== 'running' && state !== 'waiting') return 0;
  const startedMs = Date.parse(startedAt ?? '');
  return Number.isNaN(startedMs) ? expectedMs : Math.max(0, expectedMs - (nowMs - startedMs));
}
