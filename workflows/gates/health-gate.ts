/** The gate that opens while a step runs and a health check fails, or cannot be seen any more. */
import type { HealthTrouble } from '../../activities/contract/health.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import { gateId } from '../contract/ids.ts';
import { healthGate as healthText } from '../messages/health.ts';
import { undoText } from '../reporting/plan-evidence.ts';
import type { GateOffer, GateRequest } from './gate-request.ts';

/** `held`: the step itself waits meanwhile; otherwise what it has begun continues, and the next step waits. `back`: as goBackChoices says. */
export function healthGate(
  step: PlannedStep,
  round: number,
  trouble: HealthTrouble,
  { held, back }: { held: boolean; back: GateOffer[] },
): GateRequest {
  return {
    ...healthText(step.title, trouble, { held, undo: undoText(step), back }),
    id: gateId('health', step.id, round),
    step: step.id,
  };
}
