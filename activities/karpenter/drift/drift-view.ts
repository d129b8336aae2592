/** What is left to replace: Karpenter's nodes and NodeClaims at one look. Two lists, whatever the size of the cluster. */
import type { KubernetesPort } from '../../contract/ports.ts';
import { type ClusterNode, isTrue, type NodeClaim } from '../../clients/kubernetes/objects.ts';
import { listServed, slimNode } from '../../kubernetes/objects/lists.ts';
import { isMarked } from '../objects/drift-marks.ts';
import { heldFor } from '../objects/node-annotations.ts';
import { waveOf } from './node-waves.ts';
import { readIsOld } from './old-nodes.ts';
import { AUTO_MODE_GROUP, claimGroupOf, KARPENTER_NODES, NODE_CLAIMS, poolsMeant } from '../objects/node-pools.ts';
import { DO_NOT_DISRUPT, type DriftView, type OldNode } from '../../kubernetes/drain/draining-nodes.ts';
import { ownerOfNode, POOL } from '../../kubernetes/objects/node-owner.ts';
import { parseDurationMs } from '../../../domain/core/parse-duration.ts';
import { defined } from '../../../domain/core/defined.ts';

/** On a NodeClaim that is being removed and has a terminationGracePeriod (karpenter, pkg/apis/v1/labels.go). */
const ENDS_AT = 'karpenter.sh/nodeclaim-termination-timestamp';

/**
 * What is not waited for: nodes that people chose to skip, pools whose AMIs are pinned, and with `dueOnly` nodes of a later wave. `owner` and
 * `onlyPools`: whose nodes alone are waited for; absent: those of every NodePool.
 */
export interface Ignored {
  nodes: readonly string[];
  pools: readonly string[];
  dueOnly: boolean;
  owner?: 'auto-mode';
  onlyPools?: readonly string[];
}

/** `byImage`: node classes whose nodes are told by their images. */
export async function readDrift(port: KubernetesPort, to: string, ignored: Ignored, byImage?: readonly string[]): Promise<DriftView> {
  const nodes = await listServed<ClusterNode>(port, KARPENTER_NODES, slimNode);
  const claims = await listServed<NodeClaim>(port, NODE_CLAIMS);
  const isMeant = poolsMeant(ignored.pools, ignored.onlyPools);
  const rolls = ({ metadata }: ClusterNode | NodeClaim): boolean => isMeant(metadata.labels?.[POOL] ?? '');
  const later = new Set(ignored.dueOnly ? nodes.filter((node) => waveOf(node) !== undefined).map(({ metadata }) => metadata.name) : []);
  const isOld = await readIsOld(port, { to, byImage, claims });
  const isAutoMode = ignored.owner === 'auto-mode';
  return viewOf(
    nodes.filter((node) => rolls(node) && !later.has(node.metadata.name) && (!isAutoMode || ownerOfNode(node) === 'auto-mode')),
    claims.filter(
      (claim) => rolls(claim) && !later.has(claim.status?.nodeName ?? '') && (!isAutoMode || claimGroupOf(claim) === AUTO_MODE_GROUP),
    ),
    isOld,
    new Set(ignored.nodes),
  );
}

function viewOf(nodes: ClusterNode[], claims: NodeClaim[], isOld: (node: ClusterNode) => boolean, ignored: ReadonlySet<string>): DriftView {
  const claimOf = new Map(claims.map((claim) => [claim.status?.nodeName, claim]));
  const outdated = nodes.filter(isOld);
  const known = new Set(outdated.map((node) => node.metadata.name));
  const drifted = claims.filter(isMarked);
  const extra = drifted.filter(({ status }) => status?.nodeName === undefined || !known.has(status.nodeName));
  const isIgnored = (claim: NodeClaim): boolean => claim.status?.nodeName !== undefined && ignored.has(claim.status.nodeName);
  return {
    old: outdated.filter((node) => !ignored.has(node.metadata.name)).map((node) => oldNode(node, claimOf.get(node.metadata.name))),
    driftedClaims: extra
      .filter((claim) => !isIgnored(claim))
      .map(({ metadata, status }) => ({
        name: metadata.name,
        nodePool: metadata.labels?.[POOL] ?? '',
        ...(status?.nodeName === undefined ? {} : { node: status.nodeName }),
      })),
    replacedCount: nodes.filter((node) => !isOld(node) && node.metadata.deletionTimestamp === undefined).length,
    skippedCount: outdated.filter((node) => ignored.has(node.metadata.name)).length + extra.filter(isIgnored).length,
    claims: new Set(claims.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.name)),
    known: new Set(nodes.map((node) => node.metadata.name)),
    ignored,
    starting: claims.filter((claim) => !isTrue(claim, 'Initialized') && claim.metadata.deletionTimestamp === undefined),
  };
}

function oldNode(node: ClusterNode, claim: NodeClaim | undefined): OldNode {
  const leaving = node.metadata.deletionTimestamp !== undefined || claim?.metadata.deletionTimestamp !== undefined;
  return {
    name: node.metadata.name,
    nodePool: node.metadata.labels?.[POOL] ?? '',
    // A node without a NodeClaim cannot be marked; what stands in its way is looked for all the same.
    leaving,
    drifted: leaving || claim === undefined || isTrue(claim, 'Drifted'),
    heldByAnnotation: node.metadata.annotations?.[DO_NOT_DISRUPT] === 'true',
    ...(heldFor(node, 'freeze') === undefined ? {} : { waits: true }),
    ...(claim === undefined ? {} : { claim: claim.metadata.name }),
    ...defined({ forced: claim === undefined ? undefined : forcedOf(claim) }),
  };
}

function forcedOf({ metadata: { annotations, deletionTimestamp }, spec }: NodeClaim): OldNode['forced'] {
  const after = spec?.terminationGracePeriod;
  if (after === undefined) return undefined;
  const endMs = Date.parse(annotations?.[ENDS_AT] ?? '') || Date.parse(deletionTimestamp ?? '') + (parseDurationMs(after) ?? Number.NaN);
  return { after, ...(Number.isNaN(endMs) ? {} : { at: new Date(endMs).toISOString() }) };
}
