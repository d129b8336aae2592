/** A rollback on EKS Auto Mode while its nodes go back: watched, and cancelled at most once. */
import { CancelUpdateCommand, type Update } from '@aws-sdk/client-eks';
import { compareKubernetesVersions, parseKubernetesVersion, tryKubernetesVersion } from '../../domain/core/version.ts';
import type { AwsClients } from '../clients/aws/clients.ts';
import { currentSignal } from '../runtime/context.ts';
import { listServed, slimNode } from '../kubernetes/objects/lists.ts';
import type { ClusterNode } from '../clients/kubernetes/objects.ts';
import { kubeletMinor } from '../kubernetes/objects/kubelet-versions.ts';
import type { KubernetesPort } from '../contract/ports.ts';
import { during, failureOf, failureType } from '../runtime/translate-errors.ts';
import { waitUntil } from '../runtime/wait-until.ts';
import { describeCluster, describeUpdate, hasEnded } from '../clients/aws/eks-api.ts';
import type { NodesBackOutcome, RollbackActivities } from '../contract/eks-rollback.ts';
import { agree, count } from '../../domain/core/text.ts';

const AUTO_NODES = { apiVersion: 'v1', plural: 'nodes', labelSelector: 'eks.amazonaws.com/compute-type=auto' };
const CLUSTER = { kind: 'cluster' } as const;

type CancelInput = Parameters<RollbackActivities['cancelRollback']>[0];
type Cancelled = Awaited<ReturnType<RollbackActivities['cancelRollback']>>;

export async function watchNodesBack(
  aws: AwsClients,
  kubernetes: KubernetesPort,
  input: Parameters<RollbackActivities['watchNodesBack']>[0],
): Promise<NodesBackOutcome> {
  const { cluster: ref, timing, updateId, to, tellAt, timeoutMs } = input;
  let leftCount: number | undefined;
  const doing = `watching update ${updateId} of cluster ${ref.name} take nodes back`;
  const end = await waitUntil<NodesBackOutcome>({ timing, timeoutMs, doing, details: () => ({ updateId, leftCount }) }, async () => {
    const update = await describeUpdate(aws, ref, CLUSTER, updateId);
    if (update !== undefined && hasEnded(update)) return { done: true, value: { kind: 'ended' } };
    const { status, version } = await describeCluster(aws, ref);
    if (status === 'UPDATING' || version === to) return { done: true, value: { kind: 'moving' } };
    leftCount = await newerCount(kubernetes, to);
    if (leftCount <= tellAt) return { done: true, value: { kind: 'progress', leftCount } };
    return { done: false, note: `${count(leftCount, 'node')} ${agree(leftCount, 'is', 'are')} newer than ${to}` };
  });
  return end.kind === 'done' ? end.value : { kind: 'timed-out', leftCount };
}

/** Nodes of Auto Mode whose kubelets are newer, or do not say. */
async function newerCount(kubernetes: KubernetesPort, to: string): Promise<number> {
  const target = parseKubernetesVersion(to);
  const nodes = await listServed<ClusterNode>(kubernetes, AUTO_NODES, slimNode);
  return nodes.filter((node) => {
    const minor = tryKubernetesVersion(kubeletMinor(node) ?? '');
    return minor === undefined || compareKubernetesVersions(minor, target) > 0;
  }).length;
}

export async function cancelRollback(aws: AwsClients, input: CancelInput): Promise<Cancelled> {
  const known = await standing(aws, input);
  if (known !== undefined) return known;
  const { cluster: ref, updateId, token } = input;
  try {
    await during(`cancelling update ${updateId} of cluster ${ref.name}`, async () => {
      const command = new CancelUpdateCommand({ name: ref.name, updateId, clientRequestToken: token });
      await (await aws.writing()).send(command, { abortSignal: currentSignal() });
    });
    return { outcome: 'cancelling' };
  } catch (error) {
    // Ours, of an attempt whose answer was lost; or somebody else's; or it has gone on meanwhile.
    const meanwhile = await standing(aws, input);
    if (meanwhile !== undefined) return meanwhile;
    const type = failureType(error);
    // EKS refuses by the state of the update: InvalidStateException or InvalidRequestException.
    if (type === 'ReadinessIssues' || type === 'InvalidRequest') return { outcome: 'too-late' };
    throw error;
  }
}

/** undefined: it runs, and nobody has cancelled it. */
async function standing(aws: AwsClients, { cluster: ref, updateId }: CancelInput): Promise<Cancelled | undefined> {
  const update = await describeUpdate(aws, ref, CLUSTER, updateId);
  if (update === undefined) throw failureOf('NotFound', `cancelling update ${updateId} of cluster ${ref.name}: EKS does not know it`);
  if (hasEnded(update)) return { outcome: 'ended' };
  return isBeingCancelled(update) ? { outcome: 'cancelling' } : undefined;
}

/** A cancellation that has failed may be asked for again. */
function isBeingCancelled({ status, cancellation }: Update): boolean {
  const said: string | undefined = status;
  return said === 'Cancelling' || cancellation?.status === 'InProgress' || cancellation?.status === 'Successful';
}
