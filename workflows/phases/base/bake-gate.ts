/** A bake's own gate: it closes by itself when the bake is over, and only people end it earlier. */
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import { utcMinute } from '../../../domain/facts/rollback-window.ts';
import { duration } from '../../../domain/core/text.ts';
import { gateId } from '../../contract/ids.ts';
import { park } from '../../gates/park.ts';
import type { Phase } from './phase.ts';

export interface Bake {
  bakeMs: number;
  /** Ends when the bake is over. */
  watch: () => Promise<unknown>;
  /** Of the gate, where a step has several: "1", "1-28.1". */
  detail?: string;
  /** Absent: the step's. */
  round?: number;
  /** "at 1.34", "after wave 1 of 3 to 1-28" */
  where: string;
  /** Of what comes by itself: "when the control plane is verified once more". */
  afterwards: string;
  /** Of ending it early: "Verifies the control plane once more now, and continues." */
  does: string;
  seen: GateEvidence;
  undo: string;
}

/** True where people have ended it early. */
export async function bakeAtGate(phase: Phase, bake: Bake): Promise<boolean> {
  const { step } = phase.input;
  const { bakeMs, watch, detail, round = phase.input.round, where, afterwards, does, seen, undo } = bake;
  const until = utcMinute(new Date(Date.now() + bakeMs).toISOString());
  const state = await park({
    gates: phase.gates,
    watch,
    come: 'the bake is over',
    request: {
      id: gateId('bake', step.id, round, detail),
      step: step.id,
      title: `Baking ${where} until ${until}`,
      next: `Continues by itself after ${duration(bakeMs)}, ${afterwards}.`,
      evidence: [seen],
      undo,
      byItself: true,
      choices: [
        {
          id: 'end-bake',
          label: 'End the bake now',
          style: 'danger',
          needsReason: true,
          does: `${does} What would only show later is not waited for.`,
        },
      ],
      deadlineMs: bakeMs + phase.timing.gateDeadlineMs,
      reminders: false,
    },
  });
  return state?.kind === 'decided';
}
