/** Takes one node out of Karpenter's voluntary disruption, and gives it back. */
import { z } from 'zod';
import type { KarpenterActivities } from '../../contract/karpenter.ts';
import type { KubernetesDeps, KubernetesPort, ResourceRef } from '../../contract/ports.ts';
import { beat, currentSignal } from '../../runtime/context.ts';
import { readJson } from '../../runtime/read-json.ts';
import { someAtOnce } from '../../runtime/in-batches.ts';
import { annotate, type JsonOperation, lookThenPatch } from '../../kubernetes/objects/patch-object.ts';
import type { ClusterNode } from '../../clients/kubernetes/objects.ts';
import { DO_NOT_DISRUPT } from '../../kubernetes/drain/draining-nodes.ts';

/** JSON: the annotation's value before, null where it was absent. */
export const HOLD_BEFORE = 'belay.dev/do-not-disrupt-before';

/** For whose sake a node is held: people skipped it, its wave comes later, or drift is frozen node by node. A node may be held for several. */
export const HOLDERS = { skipped: 'belay.dev/node-skipped', wave: 'belay.dev/roll-wave', freeze: 'belay.dev/freeze-guard' } as const;
export type Holder = keyof typeof HOLDERS;

/** Value of the holder's mark; undefined: the node is not held for it. */
export function heldFor({ metadata: { annotations } }: ClusterNode, holder: Holder): string | undefined {
  return annotations?.[HOLDERS[holder]];
}

export function createHoldNodeActivities(deps: KubernetesDeps): Pick<KarpenterActivities, 'holdNode' | 'releaseNode'> {
  return {
    /** A node that is gone needs no hold. */
    async holdNode({ cluster, node }) {
      await change((await deps.clusterPorts(cluster)).kubernetes, node, holdOperations);
    },
    async releaseNode({ cluster, node }) {
      await change((await deps.clusterPorts(cluster)).kubernetes, node, releaseOperations);
    },
  };
}

/** Each node by itself, a few at once; one that is gone meanwhile needs no mark. Beats, and begins no further one once the activity is cancelled. */
export async function changeNodes(
  port: KubernetesPort,
  nodes: readonly ClusterNode[],
  decide: (node: ClusterNode) => JsonOperation[],
): Promise<void> {
  await someAtOnce(nodes, async (node) => {
    currentSignal().throwIfAborted();
    beat({ kind: 'marking', node: node.metadata.name });
    await lookThenPatch<ClusterNode>(port, { apiVersion: 'v1', plural: 'nodes', name: node.metadata.name }, decide, node);
  });
}

async function change(port: KubernetesPort, name: string, decide: (node: ClusterNode) => JsonOperation[]): Promise<void> {
  const ref: ResourceRef = { apiVersion: 'v1', plural: 'nodes', name };
  await lookThenPatch<ClusterNode>(port, ref, decide);
}

function holdOperations(node: ClusterNode): JsonOperation[] {
  return annotate(node, holdAnnotations(node, 'skipped', 'true'));
}

function releaseOperations(node: ClusterNode): JsonOperation[] {
  return annotate(node, releaseAnnotations(node, 'skipped'));
}

/** With the holder's mark and the before-image; one that is there already is kept. */
export function holdAnnotations({ metadata: { annotations = {} } }: ClusterNode, holder: Holder, mark: string): Record<string, string> {
  const before = annotations[HOLD_BEFORE] ?? JSON.stringify(annotations[DO_NOT_DISRUPT] ?? null);
  return { [HOLD_BEFORE]: before, [DO_NOT_DISRUPT]: 'true', [HOLDERS[holder]]: mark };
}

/** The holder's mark goes; the annotation comes back as it was with the last of them. Where others have changed or removed it meanwhile, theirs stays. */
export function releaseAnnotations(node: ClusterNode, holder: Holder): Record<string, string | null> {
  const { annotations = {} } = node.metadata;
  const unmarked = { [HOLDERS[holder]]: null };
  const others = Object.values(HOLDERS).some((key) => key !== HOLDERS[holder] && annotations[key] !== undefined);
  const before = annotations[HOLD_BEFORE];
  if (others || before === undefined) return unmarked;
  if (annotations[DO_NOT_DISRUPT] !== 'true') return { ...unmarked, [HOLD_BEFORE]: null };
  // An unreadable before-image is taken for "absent": that is how nodes come into the world.
  return { ...unmarked, [HOLD_BEFORE]: null, [DO_NOT_DISRUPT]: readJson(before, z.string()) ?? null };
}
