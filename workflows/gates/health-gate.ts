/** The gate that opens while a step runs and a health check fails, or cannot be seen any more. */
import type { HealthTrouble } from '../../activities/contract/health.ts';
import type { GateChoice } from '../../domain/gates/gate.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import { someOf } from '../../domain/core/text.ts';
import { gateId } from '../contract/ids.ts';
import { undoText } from '../reporting/plan-evidence.ts';
import { CHOICES } from './choices.ts';
import type { GateRequest } from './gate-request.ts';

/** `held`: the step itself stands meanwhile; else what it has begun goes on, and the next step waits. `back`: as goBackChoices says. */
export function healthGate(
  step: PlannedStep,
  round: number,
  { kind, checks, lines }: HealthTrouble,
  { held, back }: { held: boolean; back: GateChoice[] },
): GateRequest {
  const names = someOf(checks);
  const what = kind === 'fail' ? `Health check ${names} fails` : `Health check ${names} cannot see`;
  return {
    id: gateId('health', step.id, round),
    step: step.id,
    title: `${what} during ${step.title}`,
    next: held
      ? 'No further node is replaced until somebody decides.'
      : 'What this step has begun continues; no other step starts until somebody decides.',
    evidence: [{ title: kind === 'fail' ? 'What was seen' : 'UNKNOWN', lines: lines.slice(0, 8) }],
    undo: undoText(step),
    choices: [
      { id: 'keep-watching', label: 'Keep watching', style: 'primary', does: 'Goes on, and watches the same checks anew.' },
      {
        id: 'continue',
        label: 'Continue without',
        needsReason: true,
        does: `Continues; ${names} is not watched any more during this step.`,
      },
      ...back,
      CHOICES.abort,
    ],
  };
}
