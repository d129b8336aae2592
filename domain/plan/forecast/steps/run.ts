/** What the steps of one play share. */
import type { NodeWaves, UpgradePolicy } from '../../../policy/policy.ts';
import type { PlannedStep } from '../../model/types.ts';
import type { StepLength } from '../measure/step-lengths.ts';
import type { Play } from '../play/play.ts';

export interface Run {
  play: Play;
  policy: UpgradePolicy;
  /** How long people take at a gate. */
  gateMs: number;
  lengths: ReadonlyMap<string, StepLength>;
  /** One pace instead of the plan's. */
  pace: string | undefined;
  waves: NodeWaves | undefined;
  /** NodePools that roll in a step of their own, not when the control plane has moved. */
  frozen: ReadonlySet<string>;
}

/** 33 of "1.33". */
export const minorOf = (version: string): number => Number(version.split('.')[1]);

/** A gate is asked and answered. Gives how long that takes. */
export function askPeople(
  { play, gateMs }: Run,
  { id }: PlannedStep,
  gate: { title: string; why: string; assumed: string; ms?: number },
): number {
  const { title, why, assumed, ms = gateMs } = gate;
  play.ledger.gate({ step: id, title, why, assumed, decidedAfterMs: ms });
  return ms;
}

/** What is sampled of a step that replaces no nodes. */
export function sampledMs({ play, lengths }: Run, { id }: PlannedStep): number {
  const step = lengths.get(id);
  return step === undefined ? 0 : step.fixedMs + step.length.sample(play.random);
}

/** Longer than any roll takes that goes on at all. */
export const FOREVER_MS = 60 * 24 * 3_600_000;
