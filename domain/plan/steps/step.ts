/** Puts a step together from what differs between phases. */
import { stepId } from '../../phases.ts';
import { formatKubernetesVersion } from '../../version.ts';
import { expectedMs } from '../durations.ts';
import type { Hop } from '../hops.ts';
import type { PlannedGate, PlannedStep, RollbackPoint, StepParams } from '../types.ts';

export interface StepText {
  title: string;
  why: string;
  gate?: PlannedGate;
  rollback: RollbackPoint;
}

export function plannedStep(hop: Hop, params: StepParams, text: StepText): PlannedStep {
  const to = formatKubernetesVersion(hop.to);
  return {
    id: stepId(params.phase, to),
    phase: params.phase,
    hop: to,
    title: text.title,
    why: text.why,
    ...(text.gate === undefined ? {} : { gate: text.gate }),
    expectedMs: expectedMs(params),
    rollback: text.rollback,
    params,
  };
}

/** Of steps that only read. */
export const NOTHING_TO_UNDO: RollbackPoint = { what: 'nothing', how: 'the step only reads', until: 'always', cost: 'none' };

/** "a, b, c and 7 more": for text, never for what a step acts on. */
export function someOf(names: readonly string[], limit = 5): string {
  const rest = names.length - limit;
  return rest > 0 ? `${names.slice(0, limit).join(', ')} and ${rest} more` : names.join(', ');
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
