/** "Abort, and go back": ends a run whose control plane has moved, and shows the way back, which is a run of its own. */
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import { abortAndGoBack } from '../messages/choices.ts';
import type { GateOffer } from './gate-request.ts';

/** None where there is no way back: before the control plane has moved, and once EKS no longer rolls it back. `moving`: it moves just now. */
export function goBackChoices({ takeBack }: Pick<UpgradeStatus, 'takeBack'>, nowMs: number, moving = false): GateOffer[] {
  if (!moving && (takeBack === undefined || Date.parse(takeBack.until) <= nowMs)) return [];
  return [abortAndGoBack(moving)];
}
