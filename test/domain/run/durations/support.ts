/** Records of earlier upgrades, as runs write them. */
import type { PastUpgrade } from '../../../../domain/run/durations/learn.ts';
import type { GateState } from '../../../../domain/gates/gate.ts';
import type { PlannedStep } from '../../../../domain/plan/model/types.ts';
import type { StepState } from '../../../../domain/run/record/status.ts';
import { CLUSTER } from '../../../support/facts.ts';
import type { ClusterRef } from '../../../../domain/core/cluster-ref.ts';

export const MINUTE_MS = 60_000;
const START_MS = Date.parse('2026-01-10T08:00:00Z');

export const at = (minutes: number): string => new Date(START_MS + minutes * MINUTE_MS).toISOString();

export interface PastStep {
  step: PlannedStep;
  minutes: number;
  state?: StepState;
  rolled?: number;
  /** In minutes. */
  held?: [number, number][];
}

/** Steps that began when the upgrade did. */
export function past(
  steps: PastStep[],
  change: { cluster?: ClusterRef; decisions?: GateState[]; asked?: { step: string }[] } = {},
): PastUpgrade {
  const views = steps.map(({ step, minutes, state = 'completed', rolled, held }) => ({
    id: step.id,
    title: step.title,
    state,
    startedAt: at(0),
    endedAt: at(minutes),
    expectedMs: step.expectedMs,
    ...(held === undefined ? {} : { held: held.map(([from, to]) => ({ from: at(from), to: at(to) })) }),
    ...(rolled === undefined ? {} : { rolled: { doneCount: rolled, totalCount: rolled, unit: 'node' } }),
  }));
  return {
    report: { decisions: change.decisions ?? [], status: { cluster: change.cluster ?? CLUSTER, steps: views } },
    plan: { steps: steps.map(({ step }) => step) },
    ...(change.asked === undefined ? {} : { asked: change.asked }),
  };
}

/** A gate of the step, decided after so many minutes. */
export function gate(id: string, step: string, from: number, to: number): GateState {
  return {
    kind: 'decided',
    gate: {
      id,
      step,
      title: id,
      next: '',
      evidence: [],
      undo: '',
      choices: [],
      quorum: 1,
      revision: 1,
      openedAt: at(from),
      expiresAt: at(1_000),
    },
    votes: [],
    decision: { decisionId: id, gateId: id, choice: 'approve', actor: { kind: 'slack', id: 'U0SAM' }, at: at(to) },
  };
}
