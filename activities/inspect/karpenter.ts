/** Facts of Karpenter: the controller that runs, its NodePools and EC2NodeClasses, and claims that will expire soon. */
import { parseDurationMs } from '../../domain/config/duration.ts';
import type { BudgetEntry, KarpenterFact, Marks, NodeClassFact, NodePoolFact } from '../../domain/facts.ts';
import { freezeFacts } from '../kubernetes/karpenter/freeze-nodes.ts';
import { aliasBeforeHold, aliasOf } from '../kubernetes/karpenter/hold-amis.ts';
import { classGroupOf, EC2_NODE_CLASSES, KARPENTER_GROUP, NODE_CLAIMS, NODE_POOLS, POOL } from '../kubernetes/karpenter/pools.ts';
import { slimClaim } from '../kubernetes/lists.ts';
import { type ClusterNode, isTrue, type NodeClass, type NodePool, type Workload } from '../kubernetes/shapes.ts';
import { controllerVersion } from '../kubernetes/versions.ts';
import type { KubernetesPort } from '../ports.ts';
import { classBeforeSwitch } from '../kubernetes/karpenter/switch-node-class.ts';
import { deliveredBy } from '../delivery/marks.ts';
import type { Reader } from './reader.ts';

const SOON_MS = 24 * 3_600_000;

/** Budgets as the CRD has them; whoever changes a pool takes them as they come. */
type Pool = NodePool & { spec?: { disruption?: { budgets?: BudgetEntry[] | null } } };

/** undefined: there is no Karpenter (EKS Auto Mode brings NodePools of its own, which are not Karpenter's). */
export async function readKarpenter(
  kubernetes: KubernetesPort,
  reader: Reader,
  nodes: readonly ClusterNode[],
  nowMs: number,
): Promise<KarpenterFact | undefined> {
  const deployment = await reader.attempt('the Karpenter Deployment', 'list on deployments', () => findController(kubernetes), undefined);
  const pools = await reader.attempt(
    'the Karpenter NodePools',
    'list on nodepools.karpenter.sh',
    () => kubernetes.list<Pool>(NODE_POOLS),
    undefined,
  );
  const own = (pools ?? []).filter((pool) => classGroupOf(pool) === KARPENTER_GROUP);
  if (deployment === undefined) {
    if (own.length > 0)
      reader.doubt(
        'the Karpenter Deployment',
        'NodePools of Karpenter exist, but no Deployment has its label app.kubernetes.io/name=karpenter',
      );
    return undefined;
  }
  if (pools === undefined)
    reader.doubt('the Karpenter NodePools', 'Karpenter runs, but the cluster does not serve nodepools of karpenter.sh/v1');
  const version = controllerVersion(deployment);
  if (version === undefined) reader.doubt('the Karpenter version', `the image of ${deployment.metadata.name} has no version in its tag`);
  return {
    version: version ?? 'unknown',
    namespace: deployment.metadata.namespace ?? '',
    deployment: deployment.metadata.name,
    nodePools: own.map((pool) => poolFact(pool, nodes)),
    nodeClasses: await readNodeClasses(kubernetes, reader),
    expiringSoonCount: await countExpiring(kubernetes, reader, nowMs),
  };
}

async function findController(kubernetes: KubernetesPort): Promise<Workload | undefined> {
  const query = { apiVersion: 'apps/v1', plural: 'deployments', labelSelector: 'app.kubernetes.io/name=karpenter' };
  return (await kubernetes.list<Workload>(query))?.[0];
}

function poolFact(pool: Pool, nodes: readonly ClusterNode[]): NodePoolFact {
  const { name } = pool.metadata;
  const template = pool.spec?.template?.spec;
  const before = classBeforeSwitch(pool);
  return {
    name,
    nodeClass: template?.nodeClassRef?.name ?? '',
    ready: isTrue(pool, 'Ready'),
    budgets: pool.spec?.disruption?.budgets ?? undefined,
    expireAfter: template?.expireAfter,
    nodeCount: nodes.filter((node) => node.metadata.labels?.[POOL] === name).length,
    ...ownedBy(pool),
    ...(before === undefined ? {} : { classBefore: before }),
    ...freezeFacts(pool, nodes),
  };
}

async function readNodeClasses(kubernetes: KubernetesPort, reader: Reader): Promise<NodeClassFact[]> {
  const classes = await reader.attempt(
    'the EC2NodeClasses',
    'list on ec2nodeclasses.karpenter.k8s.aws',
    () => kubernetes.list<NodeClass>(EC2_NODE_CLASSES),
    [],
  );
  if (classes === undefined)
    reader.doubt('the EC2NodeClasses', 'Karpenter runs, but the cluster does not serve ec2nodeclasses of karpenter.k8s.aws/v1');
  return (classes ?? []).map((nodeClass) => ({
    name: nodeClass.metadata.name,
    ready: isTrue(nodeClass, 'Ready'),
    alias: aliasOf(nodeClass.spec?.amiSelectorTerms),
    heldAlias: aliasBeforeHold(nodeClass),
    amiFamily: nodeClass.spec?.amiFamily,
    amiIds: (nodeClass.status?.amis ?? []).flatMap(({ id }) => id ?? []),
    amiNames: (nodeClass.status?.amis ?? []).flatMap(({ name }) => name ?? []),
    selects: selectionOf(nodeClass.spec?.amiSelectorTerms ?? []),
    ...ownedBy(nodeClass),
    userData: userDataKind(nodeClass.spec?.userData),
    hopLimit: nodeClass.spec?.metadataOptions?.httpPutResponseHopLimit,
  }));
}

function selectionOf(terms: readonly Record<string, unknown>[]): NodeClassFact['selects'] {
  const all = (key: string): boolean => terms.length > 0 && terms.every((term) => typeof term[key] === 'string');
  return all('alias') ? 'alias' : all('id') ? 'ids' : 'mixed';
}

/** By what it begins with, as Karpenter tells them apart (karpenter.sh, EC2NodeClass, userData). */
function userDataKind(text: string | undefined): NodeClassFact['userData'] {
  if (text === undefined || text.trim() === '') return 'none';
  if (text.includes('bootstrap.sh')) return 'shell';
  if (text.includes('node.eks.aws')) return 'nodeadm';
  if (/^MIME-Version:/im.test(text)) return 'mime';
  if (text.startsWith('#!')) return 'shell';
  return /^\s*\[settings/m.test(text) ? 'toml' : 'other';
}

export function ownedBy({ metadata }: NodeClass | NodePool): { deliveredBy?: Marks } {
  const owner = deliveredBy(metadata);
  return owner === undefined ? {} : { deliveredBy: owner };
}

/** expireAfter drains by force: no budget and no freeze holds it up. */
async function countExpiring(kubernetes: KubernetesPort, reader: Reader, nowMs: number): Promise<number> {
  const claims = await reader.attempt(
    'the NodeClaims',
    'list on nodeclaims.karpenter.sh',
    () => kubernetes.list(NODE_CLAIMS, slimClaim),
    [],
  );
  return (claims ?? []).filter((claim) => {
    const life = parseDurationMs(claim.spec?.expireAfter ?? 'Never');
    const born = Date.parse(claim.metadata.creationTimestamp ?? '');
    return life !== undefined && !Number.isNaN(born) && born + life - nowMs < SOON_MS;
  }).length;
}
