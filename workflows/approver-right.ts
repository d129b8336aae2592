/** Whether somebody may decide or steer, read at this moment. What cannot be read is a no. */
import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import { type Claim, controlWords } from '../domain/binding.ts';
import type { ClusterRef } from '../domain/facts.ts';
import type { ApproverRight } from '../domain/approvals.ts';
import { type Actor, isSamePerson } from '../domain/gate.ts';
import type { PhaseId } from '../domain/phases.ts';
import type { UpgradePolicy } from '../domain/policy.ts';
import { approverActivities } from './activity-proxies.ts';
import type { ControlInput } from './messages.ts';

/** What an approver's right depends on. */
export interface ApprovalContext {
  cluster: ClusterRef;
  policy: UpgradePolicy;
  requestedBy: Actor;
  /** Who asked for the run before it was handed over. */
  formerly?: readonly Actor[];
}

export async function readRight(
  { cluster, policy, requestedBy, formerly = [] }: ApprovalContext,
  actor: Actor,
  unreadable: string,
  more: { phase?: PhaseId; escalated?: boolean; claim?: Claim } = {},
): Promise<ApproverRight> {
  try {
    // What arrived counts even when the run is being cancelled around it.
    const input = { cluster, actor, policy, requestedBy, ...(formerly.length === 0 ? {} : { formerly: [...formerly] }), ...more };
    return await CancellationScope.nonCancellable(() => approverActivities.readApprover(input));
  } catch {
    return { allowed: false, why: unreadable };
  }
}

/** The proof that a message carries, with the words that it has to be bound to; nothing where it carries none. */
export function claimOf(proof: string | undefined, words: string): { claim?: Claim } {
  return proof === undefined ? {} : { claim: { proof, words } };
}

/** Why a message that says which run its sender saw is not for this one; undefined where it is, or says nothing. */
export function otherRun({ run }: { run?: string }): string | undefined {
  const { runId, firstExecutionRunId, parent, root } = workflowInfo();
  if (run === undefined || [runId, firstExecutionRunId, parent?.runId, root?.runId].includes(run)) return undefined;
  return 'This is about an earlier run that has ended, so nothing was changed.';
}

/** Who sent a command, and why it is refused, if so. `actor` is the verified person where the command carries a proof. */
export async function readSender(
  context: ApprovalContext,
  kind: string,
  { proof, ...input }: ControlInput,
  { what, requesterToo }: { what?: string; requesterToo?: boolean } = {},
): Promise<{ actor: Actor; refused?: string }> {
  const { requestedBy } = context;
  const isRequester = (actor: Actor): boolean => requesterToo === true && isSamePerson(actor, requestedBy);
  if (proof === undefined && isRequester(input.actor)) return { actor: input.actor };
  const other = otherRun(input);
  if (other !== undefined) return { actor: input.actor, refused: other };
  const { workflowId } = workflowInfo();
  const claim = claimOf(proof, controlWords(kind, workflowId, { ...input, what }));
  const right = await readRight(context, input.actor, 'Who may do this could not be read just now. Try again.', claim);
  if (right.person !== undefined && isRequester(right.person)) return { actor: right.person };
  return { actor: right.person ?? input.actor, ...(right.allowed ? {} : { refused: right.why }) };
}
