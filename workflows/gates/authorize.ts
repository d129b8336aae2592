/** Whether somebody may decide or steer, read at this moment. What cannot be read is a no, and whoever proves nothing is nobody. */
import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import { type Claim, controlText, type MessageKind, type Saying } from '../../domain/gates/identity-proof.ts';
import type { ApproverRight, WhomToAsk } from '../../domain/gates/approvals.ts';
import { type DecideGateInput, unproven } from '../../domain/gates/gate.ts';
import type { PhaseId } from '../../domain/core/phases.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import { earlierRun, noRunNamed, rightsUnread } from '../messages/commands.ts';
import { approverActivities, requesterActivities } from '../runtime/activity-proxies.ts';
import type { ControlInput } from '../contract/messages.ts';
import { REPEATED, type UsedIds } from '../runtime/messages/used-ids.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { type Actor, isSamePerson } from '../../domain/gates/actor.ts';
import type { Signed } from '../../domain/gates/signed-message.ts';
import { defined } from '../../domain/core/defined.ts';

/** What an approver's right depends on. */
export interface ApprovalContext {
  cluster: ClusterRef;
  policy: UpgradePolicy;
  requestedBy: Actor;
  /** Who asked for the run before it was handed over. */
  formerly?: readonly Actor[];
}

/** `starts`: of whoever starts a run, who gets its grant. */
export async function readRight(
  { cluster, policy, requestedBy, formerly = [] }: ApprovalContext,
  actor: Actor,
  unreadable: string,
  {
    starts,
    ...more
  }: { claim: Claim; phase?: PhaseId; escalated?: boolean; as?: 'requester' | 'voter' | 'break-glass'; press?: string; starts?: true },
): Promise<ApproverRight> {
  try {
    // What arrived counts even when the run is being cancelled around it.
    const input = { cluster, actor, policy, requestedBy, ...(formerly.length === 0 ? {} : { formerly: [...formerly] }), ...more };
    const { readApprover } = starts === true ? requesterActivities : approverActivities;
    return await CancellationScope.nonCancellable(() => readApprover(input));
  } catch {
    return { allowed: false, why: unreadable };
  }
}

/** What all votes of one press for several runs have in common; undefined: it is one by itself. */
export const pressOf = ({ bundle, actor, at }: Pick<DecideGateInput, 'bundle' | 'actor' | 'at'>): string | undefined =>
  bundle === undefined ? undefined : JSON.stringify([bundle, actor.kind, actor.id, at ?? null]);

/** Who it is by the proof; who the message says it is, marked as unproven, where there is none. */
export function senderIn(right: ApproverRight, said: Actor): Actor {
  return right.person ?? (right.allowed ? said : unproven(said));
}

/** Why a message is not for this run; undefined where it is, or says nothing of a run and proves nothing. */
export function otherRun({ run, proof }: Pick<Signed, 'run' | 'proof'>): string | undefined {
  const { runId, firstExecutionRunId, parent, root } = workflowInfo();
  if (run === undefined) return proof === undefined ? undefined : noRunNamed();
  if ([runId, firstExecutionRunId, parent?.runId, root?.runId].includes(run)) return undefined;
  return earlierRun();
}

/** Who sent a command, and why it is refused, if so. `as`: what whoever may start something may ask for, and not approvers alone. */
export async function readSender(
  context: ApprovalContext & { used: UsedIds },
  kind: MessageKind,
  { proof, ...input }: ControlInput,
  {
    requesterToo,
    phase,
    as,
    ...about
  }: { gate?: string; what?: Saying['what']; requesterToo?: boolean; phase?: PhaseId; as?: 'requester' } = {},
): Promise<{ actor: Actor; refused?: string; ask?: WhomToAsk }> {
  const other = otherRun({ ...input, proof });
  if (other !== undefined) return { actor: unproven(input.actor), refused: other };
  if (context.used.has(kind, input.id)) return { actor: unproven(input.actor), refused: REPEATED };
  const claim = { proof, words: controlText(kind, workflowInfo().workflowId, input, about) };
  const right = await readRight(context, input.actor, rightsUnread(), {
    claim,
    ...defined({ phase, as }),
  });
  const actor = senderIn(right, input.actor);
  if (proof !== undefined && right.person !== undefined && !context.used.take(kind, input.id)) return { actor, refused: REPEATED };
  const isRequester = requesterToo === true && right.person !== undefined && isSamePerson(right.person, context.requestedBy);
  if (right.allowed || isRequester) return { actor };
  return {
    actor,
    refused: right.why,
    ...defined({ ask: requesterToo === true ? withRequester(right.ask, context.requestedBy) : right.ask }),
  };
}

/** Where the requester may as well, they are the first to be asked. */
function withRequester(ask: WhomToAsk | undefined, { kind, id, unproven: isUnproven }: Actor): WhomToAsk | undefined {
  if (ask === undefined || kind !== 'slack' || isUnproven === true) return ask;
  return { ...ask, users: [id, ...ask.users.filter((user) => user !== id)] };
}
