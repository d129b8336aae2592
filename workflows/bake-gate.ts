/** The bake's own gate: it closes by itself when the bake is over, and only people end it earlier. */
import { sleep } from '@temporalio/workflow';
import type { GateEvidence } from '../domain/gate.ts';
import { utcMinute } from '../domain/rollback-window.ts';
import { duration } from '../domain/words.ts';
import { gateId } from './ids.ts';
import { park } from './park.ts';
import type { Phase } from './phase.ts';
import { undoText } from './plan-words.ts';

/** What is to be said of its end. */
export async function bakeAtGate(phase: Phase, { to, bakeMs }: { to: string; bakeMs: number }, seen: GateEvidence): Promise<string> {
  const { step, round } = phase.input;
  const until = utcMinute(new Date(Date.now() + bakeMs).toISOString());
  const state = await park({
    gates: phase.gates,
    watch: () => sleep(bakeMs, { summary: `Bake at ${to}` }),
    come: 'the bake is over',
    request: {
      id: gateId('bake', step.id, round),
      step: step.id,
      title: `Baking at ${to} until ${until}`,
      next: `Goes on by itself after ${duration(bakeMs)}, when the control plane is verified once more.`,
      evidence: [seen],
      undo: undoText(step),
      byItself: true,
      choices: [
        {
          id: 'end-bake',
          label: 'End the bake now',
          style: 'danger',
          needsReason: true,
          needsQuorum: true,
          does: 'Verifies the control plane once more now, and goes on. What would only show later is not waited for.',
        },
      ],
      deadlineMs: bakeMs + phase.timing.gateDeadlineMs,
      reminders: false,
    },
  });
  return state?.kind === 'decided' ? ', which people ended early' : '';
}
