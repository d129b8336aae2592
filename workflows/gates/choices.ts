/** The choices that gates offer, by id. */
import type { GateOffer } from './gate-request.ts';

/** Choices that recur. */
export const CHOICES = {
  approve: { id: 'approve', label: 'Approve', style: 'primary', does: 'Continues with what the gate describes.' },
  reject: {
    id: 'reject',
    label: 'Reject',
    style: 'danger',
    does: 'Stops the upgrade before this step. What was changed for the run is restored.',
  },
  retry: {
    id: 'retry',
    label: 'Retry',
    style: 'primary',
    does: 'Runs the step again from its beginning; what is already done is not repeated.',
  },
  skip: { id: 'skip', label: 'Skip', needsReason: true, does: 'Continues without this step.' },
  abort: { id: 'abort', label: 'Abort', style: 'danger', does: 'Ends the upgrade here. What was changed for the run is restored.' },
  lookAgain: { id: 'look-again', label: 'Look again', does: 'Reads it once more, and asks again where nothing has changed.' },
} as const satisfies Record<string, GateOffer>;

/** For a run that is parked. `although`: what speaks against it. */
export function goAnyway(although: string): GateOffer {
  return {
    id: 'go-anyway',
    label: 'Go anyway',
    style: 'danger',
    needsReason: true,
    does: `Continues now, although ${although}. Applies to this step only.`,
  };
}
