/** Karpenter beside what the planner knows of it: limits, selectors, claims, objects of before v1beta1. */
import type { KarpenterFact } from '../../../../domain/facts/facts.ts';
import type { KarpenterSeen, NodeClassSeen, NodePoolSeen } from '../../../../domain/readiness/model/evidence.ts';
import { createReader } from '../../../runtime/reader.ts';
import { readKarpenter } from '../../inspect/karpenter.ts';
import { listClassesAsV1, listPoolsAsV1 } from '../../inspect/karpenter-older.ts';
import { NODE_CLAIMS } from '../../../karpenter/objects/node-pools.ts';
import { NODES, slimClaim, slimNode } from '../../../kubernetes/objects/lists.ts';
import type { Workload } from '../../../clients/kubernetes/objects.ts';
import type { KubeObject, KubernetesPort } from '../../../contract/ports.ts';
import { deliveredBy } from '../../../kubernetes/gitops/owner-marks.ts';
import { refuseBlindness } from '../../../runtime/see.ts';
import { POOL } from '../../../kubernetes/objects/node-owner.ts';
import { given } from '../../../runtime/given.ts';

type Pool = KubeObject<{ limits?: Record<string, string | number> }, { resources?: Record<string, string> }>;
type Class = KubeObject<{ amiSelectorTerms?: Record<string, unknown>[] }, { amis?: { name?: string }[] }>;

/** Kinds of v1alpha5, by their CRDs: served only up to Karpenter 0.32. */
const OLD_KINDS = [
  { apiVersion: 'karpenter.sh/v1alpha5', plural: 'provisioners', kind: 'Provisioner' },
  { apiVersion: 'karpenter.k8s.aws/v1alpha1', plural: 'awsnodetemplates', kind: 'AWSNodeTemplate' },
  { apiVersion: 'karpenter.sh/v1alpha5', plural: 'machines', kind: 'Machine' },
];

/** Throws where any part cannot be read: half of it would read as if all were well. */
export async function readKarpenterSeen(port: KubernetesPort, nowMs: number): Promise<KarpenterSeen | 'none'> {
  const reader = createReader('throw');
  const nodes = await port.list(NODES, slimNode);
  const fact = await readKarpenter(port, reader, nodes ?? [], nowMs);
  refuseBlindness(reader.unknowns);
  return fact === undefined ? 'none' : widened(port, fact);
}

async function widened(port: KubernetesPort, fact: KarpenterFact): Promise<KarpenterSeen> {
  const [pools, classes, claims, deployment, old] = await Promise.all([
    listPoolsAsV1<Pool>(port, fact.version),
    listClassesAsV1<Class>(port, fact.version),
    fact.api === undefined ? port.list(NODE_CLAIMS, slimClaim) : [],
    port.get<Workload>({ apiVersion: 'apps/v1', plural: 'deployments', namespace: fact.namespace, name: fact.deployment }),
    Promise.all(OLD_KINDS.map(({ kind, ...query }) => readOld(port, query, kind))),
  ]);
  return {
    ...fact,
    nodePools: fact.nodePools.map(
      (each): NodePoolSeen => ({ ...each, limits: limitsOf(pools?.objects.find(({ metadata }) => metadata.name === each.name)) }),
    ),
    nodeClasses: fact.nodeClasses.map(
      (each): NodeClassSeen => ({ ...each, ...selectionOf(classes?.objects.find(({ metadata }) => metadata.name === each.name)) }),
    ),
    claims: (claims ?? []).map(({ metadata, spec }) => ({
      name: metadata.name,
      pool: metadata.labels?.[POOL] ?? '',
      createdAt: metadata.creationTimestamp ?? '',
      ...given('expireAfter', spec?.expireAfter),
    })),
    oldObjects: old.flat(),
    labels: deployment?.metadata.labels ?? {},
    ...given('deliveredBy', deployment === undefined ? undefined : deliveredBy(deployment.metadata)),
  };
}

async function readOld(
  port: KubernetesPort,
  query: { apiVersion: string; plural: string },
  kind: string,
): Promise<{ kind: string; name: string }[]> {
  const found = await port.list({ ...query, metadataOnly: true });
  return (found ?? []).map(({ metadata }) => ({ kind, name: metadata.name }));
}

function limitsOf(pool: Pool | undefined): NodePoolSeen['limits'] {
  return Object.entries(pool?.spec?.limits ?? {}).map(([resource, limit]) => ({
    resource,
    limit: String(limit),
    ...given('used', pool?.status?.resources?.[resource]),
  }));
}

function selectionOf(nodeClass: Class | undefined): Pick<NodeClassSeen, 'aliases' | 'pinned' | 'amiNames'> {
  const terms = nodeClass?.spec?.amiSelectorTerms ?? [];
  const aliases = terms.flatMap(({ alias }) => (typeof alias === 'string' ? [alias] : []));
  return { aliases, pinned: terms.length > aliases.length, amiNames: (nodeClass?.status?.amis ?? []).flatMap(({ name }) => name ?? []) };
}
