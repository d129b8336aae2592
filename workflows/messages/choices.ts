/** The choices that recur at gates, by id. */
import type { GateText } from './note.ts';

type Offer = GateText['choices'][number];

export const CHOICES = {
  approve: { id: 'approve', label: 'Approve', style: 'primary', does: 'Continues with what the gate describes.' },
  reject: {
    id: 'reject',
    label: 'Reject',
    style: 'danger',
    does: 'Stops the upgrade before this step. Versions already changed stay; temporary changes are undone.',
  },
  retry: {
    id: 'retry',
    label: 'Retry',
    style: 'primary',
    does: 'Runs the step again from its beginning; what is already done is not repeated.',
  },
  skip: { id: 'skip', label: 'Skip', needsReason: true, does: 'Continues without this step.' },
  abort: {
    id: 'abort',
    label: 'Abort',
    style: 'danger',
    does: 'Ends the upgrade here. Versions already changed stay; temporary changes are undone, but a Karpenter freeze stays while nodes lag behind the control plane.',
  },
  lookAgain: { id: 'look-again', label: 'Look again', does: 'Reads it again, and asks again if nothing has changed.' },
} as const satisfies Record<string, Offer>;

/** For a run that is parked. `although`: what speaks against it. */
export const goAnyway = (although: string): Offer => ({
  id: 'go-anyway',
  label: 'Go anyway',
  style: 'danger',
  needsReason: true,
  does: `Continues now, although ${although}. Applies to this step only.`,
});

export const GO_BACK = 'abort-and-rollback';

/** `moving`: EKS is updating the control plane at this moment. */
export const abortAndGoBack = (moving: boolean): Offer => ({
  id: GO_BACK,
  label: 'Abort and roll back',
  style: 'danger',
  does: `Ends the upgrade as Abort does${moving ? ', once EKS has moved the control plane' : ''}. Afterwards the thread offers to plan the rollback, as a separate run that asks before each step.`,
});

/** The reason of the abort, with what comes next. */
export const abortedToGoBack = (reason: string, cluster: string): string =>
  `${reason.replace(/\.$/, '')}. To roll back: belay rollback ${cluster}`;
