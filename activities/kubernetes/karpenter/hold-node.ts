/** Takes one node out of Karpenter's voluntary disruption, and gives it back. */
import { z } from 'zod';
import type { KarpenterActivities } from './contract.ts';
import type { KubernetesDeps, KubernetesPort, ResourceRef } from '../../ports.ts';
import { readJson } from '../../read-json.ts';
import { annotate, type JsonOperation, lookThenPatch } from '../look-then-patch.ts';
import type { ClusterNode } from '../shapes.ts';

export const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';
/** JSON: the annotation's value before, null where it was absent. */
const HOLD_BEFORE = 'belay.dev/do-not-disrupt-before';

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

async function change(port: KubernetesPort, name: string, decide: (node: ClusterNode) => JsonOperation[]): Promise<void> {
  const ref: ResourceRef = { apiVersion: 'v1', plural: 'nodes', name };
  await lookThenPatch<ClusterNode>(port, ref, decide);
}

function holdOperations(node: ClusterNode): JsonOperation[] {
  return annotate(node, holdAnnotations(node));
}

function releaseOperations(node: ClusterNode): JsonOperation[] {
  return annotate(node, releaseAnnotations(node));
}

/** With the before-image; one that is there already is kept. */
export function holdAnnotations({ metadata: { annotations = {} } }: ClusterNode): Record<string, string> {
  const before = annotations[HOLD_BEFORE] ?? JSON.stringify(annotations[DO_NOT_DISRUPT] ?? null);
  return { [HOLD_BEFORE]: before, [DO_NOT_DISRUPT]: 'true' };
}

/** Where others have changed or removed the annotation meanwhile, theirs stays. */
export function releaseAnnotations({ metadata: { annotations = {} } }: ClusterNode): Record<string, string | null> {
  const before = annotations[HOLD_BEFORE];
  if (before === undefined) return {};
  if (annotations[DO_NOT_DISRUPT] !== 'true') return { [HOLD_BEFORE]: null };
  // An unreadable before-image is taken for "absent": that is how nodes come into the world.
  return { [HOLD_BEFORE]: null, [DO_NOT_DISRUPT]: readJson(before, z.string()) ?? null };
}
