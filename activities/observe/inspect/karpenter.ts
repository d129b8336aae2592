/** Facts of Karpenter: the controller that runs, its NodePools and EC2NodeClasses, and claims that will expire soon. */
import { parseDurationMs } from '../../../domain/core/parse-duration.ts';
import type { BudgetEntry, KarpenterFact, Deliverer, NodeClassFact, NodePoolFact } from '../../../domain/facts/facts.ts';
import { freezeFacts } from '../../karpenter/freeze/by-annotation.ts';
import { aliasBeforeHold, aliasOf } from '../../karpenter/amis/hold-amis.ts';
import { findController } from '../../karpenter/objects/find-controller.ts';
import { V1_DEFINITIONS } from '../../karpenter/objects/crds.ts';
import { AUTO_MODE_GROUP, classGroupOf, KARPENTER_GROUP, NODE_CLAIMS } from '../../karpenter/objects/node-pools.ts';
import { slimClaim } from '../../kubernetes/objects/lists.ts';
import { type ClusterNode, conditionOf, isTrue, type NodeClass, type NodePool } from '../../clients/kubernetes/objects.ts';
import { controllerVersion } from '../../kubernetes/objects/kubelet-versions.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import { classBeforeSwitch } from '../../karpenter/amis/switch-node-class.ts';
import { deliveredBy } from '../../kubernetes/gitops/owner-marks.ts';
import { listClassesAsV1, listPoolsAsV1, type ShownAsV1 } from './karpenter-older.ts';
import type { Reader } from '../../runtime/reader.ts';
import { OLD_POOL, POOL } from '../../kubernetes/objects/node-owner.ts';
import { defined } from '../../../domain/core/defined.ts';

const SOON_MS = 24 * 3_600_000;

/** Budgets as the CRD has them; whoever changes a pool takes them as they come. */
type Pool = NodePool & { spec?: { disruption?: { budgets?: BudgetEntry[] | null } } };

const CONTROLLER = { part: 'karpenter', what: 'the Karpenter Deployment' } as const;
const POOLS = { part: 'node-pools', what: 'the Karpenter NodePools' } as const;
const CLASSES = { part: 'node-classes', what: 'the EC2NodeClasses' } as const;

/** undefined: there is no Karpenter (EKS Auto Mode brings NodePools of its own, which are not Karpenter's). */
export async function readKarpenter(
  kubernetes: KubernetesPort,
  reader: Reader,
  nodes: readonly ClusterNode[],
  nowMs: number,
): Promise<KarpenterFact | undefined> {
  const deployment = await reader.attempt(CONTROLLER, 'list on deployments', () => findController(kubernetes), undefined);
  const version = deployment === undefined ? undefined : controllerVersion(deployment);
  const pools = await reader.attempt<ShownAsV1<Pool> | undefined>(
    POOLS,
    'list on nodepools.karpenter.sh',
    () => listPoolsAsV1<Pool>(kubernetes, version ?? 'unknown'),
    undefined,
  );
  // Budgets belong to NodePools: those of other providers' classes are frozen as well. Auto Mode's are read apart.
  const own = (pools?.objects ?? []).filter((pool) => classGroupOf(pool) !== AUTO_MODE_GROUP);
  if (deployment === undefined) {
    if (own.length > 0)
      reader.doubt(CONTROLLER, 'NodePools of Karpenter exist, but no Deployment has its label app.kubernetes.io/name=karpenter');
    return undefined;
  }
  if (pools === undefined) reader.doubt(POOLS, 'Karpenter runs, but the cluster serves neither nodepools of karpenter.sh nor provisioners');
  if (version === undefined)
    reader.doubt(
      { part: 'component-versions', what: 'the Karpenter version' },
      `the image of ${deployment.metadata.name} has no version in its tag`,
    );
  return {
    version: version ?? 'unknown',
    namespace: deployment.metadata.namespace ?? '',
    deployment: deployment.metadata.name,
    nodePools: own.map((pool) => poolFact(pool, nodes, pools?.api)),
    nodeClasses: await readNodeClasses(kubernetes, reader, version ?? 'unknown'),
    expiringSoonCount: pools?.api === undefined ? await countExpiring(kubernetes, reader, nowMs) : 0,
    ...(pools?.api === undefined ? {} : { api: pools.api }),
    ...(version !== undefined && parseMinor(version) === '1.0' ? await readStored(kubernetes, reader) : {}),
  };
}

const parseMinor = (version: string): string | undefined => /^(\d+\.\d+)/.exec(version)?.[1];

/** 1.0 reads both; what it has not written anew yet is stored as it was. */
async function readStored(kubernetes: KubernetesPort, reader: Reader): Promise<Pick<KarpenterFact, 'storedBeta'>> {
  type Definition = KubeObject<unknown, { storedVersions?: string[] }>;
  const definition = (name: string) =>
    kubernetes.get<Definition>({ apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions', name });
  const read = () => Promise.all(V1_DEFINITIONS.map(definition));
  const found = await reader.attempt(
    { part: 'crds', what: 'the stored versions of Karpenter’s CRDs' },
    'get on customresourcedefinitions',
    read,
    [],
  );
  return found.some((each) => (each?.status?.storedVersions ?? []).some((stored) => stored !== 'v1')) ? { storedBeta: true } : {};
}

/** Conditions of Ready came with v1. */
function poolFact(pool: Pool, nodes: readonly ClusterNode[], api: KarpenterFact['api']): NodePoolFact {
  const { name } = pool.metadata;
  const template = pool.spec?.template?.spec;
  const before = classBeforeSwitch(pool);
  const group = classGroupOf(pool);
  return {
    name,
    nodeClass: template?.nodeClassRef?.name ?? '',
    ...(group === KARPENTER_GROUP ? {} : { group }),
    ready: api === undefined ? isTrue(pool, 'Ready') : conditionOf(pool, 'Ready')?.status !== 'False',
    budgets: pool.spec?.disruption?.budgets ?? undefined,
    expireAfter: template?.expireAfter,
    nodeCount: nodes.filter(({ metadata: { labels = {} } }) => (labels[POOL] ?? labels[OLD_POOL]) === name).length,
    ...ownedBy(pool),
    ...defined({ classBefore: before }),
    ...freezeFacts(pool, nodes),
  };
}

async function readNodeClasses(kubernetes: KubernetesPort, reader: Reader, version: string): Promise<NodeClassFact[]> {
  const read = await reader.attempt<ShownAsV1<NodeClass> | undefined>(
    CLASSES,
    'list on ec2nodeclasses.karpenter.k8s.aws',
    () => listClassesAsV1<NodeClass>(kubernetes, version),
    { objects: [] },
  );
  const classes = read?.objects;
  if (classes === undefined)
    reader.doubt(CLASSES, 'Karpenter runs, but the cluster serves neither ec2nodeclasses of karpenter.k8s.aws nor awsnodetemplates');
  return (classes ?? []).map((nodeClass) => ({
    name: nodeClass.metadata.name,
    ready: read?.api === undefined ? isTrue(nodeClass, 'Ready') : conditionOf(nodeClass, 'Ready')?.status !== 'False',
    alias: aliasOf(nodeClass.spec?.amiSelectorTerms),
    heldAlias: aliasBeforeHold(nodeClass),
    amiFamily: nodeClass.spec?.amiFamily,
    amiIds: (nodeClass.status?.amis ?? []).flatMap(({ id }) => id ?? []),
    amiNames: (nodeClass.status?.amis ?? []).flatMap(({ name }) => name ?? []),
    selects: selectionOf(nodeClass.spec?.amiSelectorTerms ?? []),
    terms: nodeClass.spec?.amiSelectorTerms ?? [],
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

export function ownedBy({ metadata }: NodeClass | NodePool): { deliveredBy?: Deliverer } {
  const owner = deliveredBy(metadata);
  return owner === undefined ? {} : { deliveredBy: owner };
}

/** expireAfter drains by force: no budget and no freeze holds it up. */
async function countExpiring(kubernetes: KubernetesPort, reader: Reader, nowMs: number): Promise<number> {
  const claims = await reader.attempt(
    { part: 'node-claims', what: 'the NodeClaims' },
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
