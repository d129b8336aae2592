/** Starts an update at most once: looks first, adopts what runs, sends with the workflow's token, and looks again when EKS refuses. */
import type { Update } from '@aws-sdk/client-eks';
import type { FailureType } from '../../../domain/core/failure-types.ts';
import type { AwsClients } from '../../clients/aws/clients.ts';
import { during, failureOf, failureType } from '../../runtime/translate-errors.ts';
import { beforeOfEarlierAttempt, keepBefore } from '../../clients/side-effects/eks-updates.ts';
import { nameOf } from '../../clients/aws/eks-api.ts';
import { findUpdates, sayUpdate } from './find-update.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { StartedUpdate, UpdateResource } from '../../contract/eks.ts';
import { defined } from '../../../domain/core/defined.ts';

/** What the resource says about itself now. */
export interface ResourceLook {
  version: string;
  status: string;
  /** It is at the wanted version and no update of it is needed. */
  there: boolean;
}

export interface StartPlan {
  aws: AwsClients;
  ref: ClusterRef;
  resource: UpdateResource;
  to: string;
  /** ISO 8601 by EKS's clock: older updates are not ours. */
  notBefore: string;
  look(): Promise<ResourceLook>;
  /** Refuses what must not be sent (a downgrade, a custom image); throws an ApplicationFailure. */
  permit(look: ResourceLook): Promise<void> | void;
  send(): Promise<Update | undefined>;
}

/** Refusals of EKS after which another look may show that the update runs already or is not needed any more. */
const LOOK_AGAIN: readonly FailureType[] = ['ResourceInUse', 'InvalidRequest'];

/** Throws ResourceInUse (retryable) while an update of another kind runs. */
export async function startUpdate(plan: StartPlan): Promise<StartedUpdate> {
  const known = await lookAndAdopt(plan);
  // An attempt that was lost may have sent it.
  const earlier = beforeOfEarlierAttempt();
  if (known !== undefined) return { ...known, ...defined({ before: earlier }) };
  const before = await keepBefore(plan.aws, plan.ref, plan.resource);
  const kept = before === undefined ? {} : { before };
  try {
    const update = await during(`starting the update of ${nameOf(plan.ref, plan.resource)} to ${plan.to}`, () => plan.send());
    if (update?.id === undefined) {
      throw failureOf('Unavailable', `starting the update of ${nameOf(plan.ref, plan.resource)}: EKS answered without an update id`);
    }
    return { updateId: update.id, adopted: false, alreadyThere: false, ...kept };
  } catch (error) {
    const type = failureType(error);
    if (type === undefined || !LOOK_AGAIN.includes(type)) throw error;
    const meanwhile = await lookAndAdopt(plan);
    if (meanwhile !== undefined) return { ...meanwhile, ...kept };
    throw error;
  }
}

/** The update to adopt, or "already there"; undefined: it has to be made. Throws where it may not be made now. */
async function lookAndAdopt(plan: StartPlan): Promise<StartedUpdate | undefined> {
  const { aws, ref, resource, to, notBefore } = plan;
  const name = nameOf(ref, resource);
  const look = await plan.look();
  const found = await findUpdates(aws, ref, resource, to, notBefore);
  if (found.running?.id !== undefined) return { updateId: found.running.id, adopted: true, alreadyThere: false };
  if (look.there) {
    const own = found.succeeded?.id;
    return { ...defined({ updateId: own }), adopted: own !== undefined, alreadyThere: true };
  }
  // Successful but the version not there yet: EKS is eventually consistent; awaitUpdate reads it again.
  if (found.succeeded?.id !== undefined) return { updateId: found.succeeded.id, adopted: true, alreadyThere: false };
  if (found.other !== undefined) {
    throw failureOf('ResourceInUse', `starting the update of ${name} to ${to}: EKS is busy with ${sayUpdate(found.other)}`);
  }
  await plan.permit(look);
  if (look.status === 'UPDATING' || look.status === 'CREATING') {
    throw failureOf('ResourceInUse', `starting the update of ${name} to ${to}: it is ${look.status}, and EKS lists no update yet`);
  }
  if (look.status === 'DELETING' || look.status === 'FAILED' || look.status === 'CREATE_FAILED' || look.status === 'DELETE_FAILED') {
    throw failureOf('InvalidRequest', `starting the update of ${name} to ${to}: it is ${look.status}; repair it in EKS and retry`);
  }
  return undefined;
}
