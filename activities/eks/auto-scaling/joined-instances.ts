/**
 * New instances of a refresh that are no Ready nodes. Auto Scaling looks at the instances alone, and would replace a whole group by machines that never
 * join: a kubelet that refuses a flag of its new version, user data that fails, a role without access to the cluster.
 */
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { type Condition, isTrue } from '../../clients/kubernetes/objects.ts';
import { listServed, NODES } from '../../kubernetes/objects/lists.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import { agree, someOf } from '../../../domain/core/text.ts';
import { requireGroup } from './group-calls.ts';

export interface NewTemplate {
  id: string;
  /** A number: instances name the version that they were launched by, also in a group that follows $Latest. */
  version: string;
}

type Node = KubeObject<{ providerID?: string }, { conditions?: Condition[] }>;

/** Ids of instances in service that were launched by this version of the template and have no Ready node. */
export async function findNotJoined(
  clients: AccountClients,
  kubernetes: KubernetesPort,
  group: string,
  { id, version }: NewTemplate,
): Promise<string[]> {
  const { Instances = [] } = await requireGroup(clients, group);
  const launched = Instances.flatMap(({ InstanceId, LifecycleState, LaunchTemplate }) =>
    InstanceId !== undefined &&
    LifecycleState === 'InService' &&
    LaunchTemplate?.LaunchTemplateId === id &&
    LaunchTemplate.Version === version
      ? [InstanceId]
      : [],
  );
  if (launched.length === 0) return [];
  const joined = new Set<string>();
  await listServed<Node>(kubernetes, NODES, (node) => {
    const instance = node.spec?.providerID?.split('/').at(-1);
    if (instance !== undefined && isTrue(node, 'Ready')) joined.add(instance);
    return undefined;
  });
  return launched.filter((instance) => !joined.has(instance));
}

export const notJoinedText = (ids: readonly string[]): string =>
  `new ${agree(ids.length, 'instance', 'instances')} ${someOf(ids)} ${agree(ids.length, 'has', 'have')} no Ready node, so no other may be replaced. See why (aws ec2 get-console-output, the log of the kubelet), correct the launch template, and terminate ${agree(ids.length, 'it', 'them')}`;
