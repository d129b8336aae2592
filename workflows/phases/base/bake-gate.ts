/** A bake's own gate: it closes by itself when the bake is over, and only somebody's choice ends it earlier. */
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import { utcMinute } from '../../../domain/core/text.ts';
import { gateId } from '../../contract/ids.ts';
import { park } from '../../gates/park.ts';
import { type Baked, bakeGate, type BakeWords } from '../../messages/bakes.ts';
import type { Phase } from './phase.ts';

interface BakeOf {
  bakeMs: number;
  /** Ends when the bake is over. */
  watch: () => Promise<unknown>;
  /** Of the gate, where a step has several: "1", "1-28.1". */
  detail?: string;
  /** Absent: the step's. */
  round?: number;
  seen: GateEvidence;
  undo: string;
}

export type Bake = BakeOf & ({ baked: Baked } | BakeWords);

/** True where it was ended early. */
export async function bakeAtGate(phase: Phase, bake: Bake): Promise<boolean> {
  const { step } = phase.input;
  const { bakeMs, watch, detail, round = phase.input.round, seen, undo } = bake;
  const until = utcMinute(new Date(Date.now() + bakeMs).toISOString());
  const state = await park({
    gates: phase.gates,
    watch,
    come: () => 'the bake is over',
    request: {
      ...bakeGate('baked' in bake ? bake.baked : bake, { until, lastsMs: bakeMs, seen, undo }),
      id: gateId('bake', step.id, round, detail),
      step: step.id,
      byItself: true,
      deadlineMs: bakeMs + phase.timing.gateDeadlineMs,
      reminders: false,
    },
  });
  return state?.kind === 'decided';
}
