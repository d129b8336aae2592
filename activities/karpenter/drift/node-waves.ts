/**
 * Waves of nodes: nodes that are not due yet are held by karpenter.sh/do-not-disrupt, which GitOps does not manage on Nodes, and given back wave by
 * wave: a held node is no candidate, whatever the budgets allow (karpenter.sh/docs/concepts/disruption, "Node-Level Controls").
 */
import type { WaveBy } from '../../../domain/policy/policy.ts';
import type { KarpenterActivities } from '../../contract/karpenter.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { listServed, slimNode } from '../../kubernetes/objects/lists.ts';
import { annotate } from '../../kubernetes/objects/patch-object.ts';
import type { ClusterNode, NodeClaim } from '../../clients/kubernetes/objects.ts';
import { changeNodes, heldFor, holdAnnotations, releaseAnnotations } from '../objects/node-annotations.ts';
import { readIsOld } from './old-nodes.ts';
import { KARPENTER_NODES, NODE_CLAIMS, poolsMeant } from '../objects/node-pools.ts';
import { POOL } from '../../kubernetes/objects/node-owner.ts';

const ZONE = 'topology.kubernetes.io/zone';

/** On a node that waits: the name of its wave. */
export function waveOf(node: ClusterNode): string | undefined {
  return heldFor(node, 'wave');
}

export function createNodeWaveActivities(deps: KubernetesDeps): Pick<KarpenterActivities, 'holdWaves' | 'releaseWave' | 'releaseWaves'> {
  return {
    async holdWaves({ cluster, to, by, nodesPerWave, ignorePools = [], onlyPools, byImage = [] }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const nodes = await listServed<ClusterNode>(port, KARPENTER_NODES, slimNode);
      const claims = byImage.length === 0 ? [] : await listServed<NodeClaim>(port, NODE_CLAIMS);
      const isOld = await readIsOld(port, { to, byImage, claims });
      const isMeant = poolsMeant(ignorePools, onlyPools);
      const old = nodes.filter((node) => isOld(node) && isMeant(poolOf(node)));
      const waves = wavesFor(old, by, nodesPerWave);
      await changeNodes(port, old, (node) => annotate(node, holdAnnotations(node, 'wave', waves.get(node.metadata.name) ?? '')));
      return { waves: counted([...waves.values()]) };
    },
    async releaseWave({ cluster, wave }) {
      return await release((await deps.clusterPorts(cluster)).kubernetes, wave);
    },
    async releaseWaves({ cluster }) {
      return await release((await deps.clusterPorts(cluster)).kubernetes);
    },
  };
}

/** `wave` absent: all of them. */
async function release(port: KubernetesPort, wave?: string): Promise<{ releasedCount: number }> {
  const nodes = await listServed<ClusterNode>(port, KARPENTER_NODES, slimNode);
  const held = nodes.filter((node) => waveOf(node) !== undefined && (wave === undefined || waveOf(node) === wave));
  await changeNodes(port, held, (node) => (waveOf(node) === undefined ? [] : annotate(node, releaseAnnotations(node, 'wave'))));
  return { releasedCount: held.length };
}

/** Names of waves by node. A wave that a node has already, from an attempt that was cut off, stays. */
function wavesFor(nodes: readonly ClusterNode[], by: WaveBy, nodesPerWave = 1): Map<string, string> {
  const sorted = [...nodes].sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  const waveCount = Math.ceil(sorted.length / nodesPerWave);
  return new Map(
    sorted.map((node, index) => {
      const byCount = `${Math.floor(index / nodesPerWave) + 1} of ${waveCount}`;
      const name = { zone: node.metadata.labels?.[ZONE] ?? 'no zone', nodepool: poolOf(node), count: byCount }[by];
      return [node.metadata.name, waveOf(node) ?? name];
    }),
  );
}

/** Fewest nodes first: what goes wrong goes wrong on few. */
function counted(names: readonly string[]): { name: string; nodeCount: number }[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, nodeCount]) => ({ name, nodeCount }))
    .sort((one, other) => one.nodeCount - other.nodeCount || one.name.localeCompare(other.name, 'en', { numeric: true }));
}

function poolOf({ metadata }: ClusterNode): string {
  return metadata.labels?.[POOL] ?? '';
}
