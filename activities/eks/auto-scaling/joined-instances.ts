/**
 * New instances of a refresh that are no Ready nodes. Auto Scaling looks at the instances alone, and would replace a whole group by machines that never
 * join: a kubelet that refuses a flag of its new version, user data that fails, a role without access to the cluster.
 */
import { agree, someOf } from '../../../domain/core/text.ts';
import type { GroupLook } from './group-look.ts';

export interface NewTemplate {
  id: string;
  /** A number: instances name the version that they were launched by, also in a group that follows $Latest. */
  version: string;
}

/** Ids of instances in service that were launched by this version of the template and have no Ready node. */
export async function findNotJoined(look: GroupLook, { id, version }: NewTemplate): Promise<string[]> {
  const launched = (await look.instances()).flatMap(({ InstanceId, LifecycleState, LaunchTemplate }) =>
    InstanceId !== undefined &&
    LifecycleState === 'InService' &&
    LaunchTemplate?.LaunchTemplateId === id &&
    LaunchTemplate.Version === version
      ? [InstanceId]
      : [],
  );
  if (launched.length === 0) return [];
  const nodes = await look.nodes();
  return launched.filter((instance) => nodes.get(instance)?.isReady !== true);
}

export const notJoinedText = (ids: readonly string[]): string =>
  `new ${agree(ids.length, 'instance', 'instances')} ${someOf(ids)} ${agree(ids.length, 'has', 'have')} no Ready node, so no other may be replaced. See why (aws ec2 get-console-output, the log of the kubelet), correct the launch template, and terminate ${agree(ids.length, 'it', 'them')}`;
