/** What a change of Karpenter's controller must leave as it is: read before it, held against afterwards. */
import { parseComponentVersion } from '../../../domain/core/component-version.ts';
import type { BudgetEntry } from '../../../domain/facts/facts.ts';
import { karpenterNotes, karpenterPermissions } from '../../../domain/tables/karpenter-notes.ts';
import type { AwsClients } from '../../clients/aws/clients.ts';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import type { DeliveryActivities, KarpenterPlace, KarpenterState } from '../../contract/delivery.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { listServed } from '../../kubernetes/objects/lists.ts';
import { conditionOf, isTrue, type NodeClaim, type NodeClass, type NodePool, type Workload } from '../../clients/kubernetes/objects.ts';
import { unestablished, unowned } from '../objects/crds.ts';
import { isMarked } from '../objects/drift-marks.ts';
import { watchLeader } from './leader.ts';
import { freezeFacts, listKarpenterNodes } from '../freeze/by-annotation.ts';
import { checkPermissions } from './permissions.ts';
import { classGroupOf, EC2_NODE_CLASSES, KARPENTER_GROUP, listPools, NODE_CLAIMS } from '../objects/node-pools.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { defined } from '../../../domain/core/defined.ts';
import { agree, count, someOf } from '../../../domain/core/text.ts';

export interface ChangeDeps extends KubernetesDeps {
  aws(cluster: ClusterRef): AwsClients;
  account(cluster: ClusterRef): AccountClients;
}

type Change = Pick<DeliveryActivities, 'examineKarpenter' | 'verifyKarpenter'>;

export function createKarpenterChangeActivities(deps: ChangeDeps): Change {
  return {
    async examineKarpenter({ cluster, from, to, ...place }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const claims = await listServed<NodeClaim>(port, NODE_CLAIMS);
      const pools = await ownPools(port);
      const nodes = await listKarpenterNodes(port);
      return {
        claimCount: claims.length,
        driftedCount: claims.filter(isMarked).length,
        frozenPools: pools.filter((pool) => freezeFacts(pool, nodes).freezeStands === true || standsStill(pool)).length,
        poolCount: pools.length,
        notReady: await findNotReady(port, pools),
        unowned: await unowned(port),
        ...(await needsOf(deps, { cluster, port, place, from, to })),
      };
    },
    async verifyKarpenter({ cluster, timing, driftedCount, notReady = [], watchMs, leader }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const leading = leader === undefined ? undefined : watchLeader(port, leader);
      let troubles: string[] = [];
      let leaderUnknown: string | undefined;
      const readying = { timing, timeoutMs: timing.rolloutTimeoutMs, doing: 'waiting for Karpenter’s node pools, CRDs and leader' };
      const ready = await waitUntil<true>(readying, async () => {
        ({ troubles } = await settled(port, notReady));
        const led = troubles.length === 0 ? await leading?.look() : undefined;
        if (led?.kind === 'not-yet') troubles = [led.why];
        leaderUnknown = led?.kind === 'unknown' ? led.why : undefined;
        return troubles.length === 0 ? { done: true, value: true } : { done: false, note: troubles[0] };
      });
      if (ready.kind === 'timed-out') return { troubles };
      if (driftedCount === undefined) return { ...(await settled(port, notReady)), ...defined({ leaderUnknown }) };
      const doing = 'watching whether Karpenter marks nodes as drifted';
      const drifting = await waitUntil<string>({ timing, timeoutMs: watchMs, doing }, async () => {
        const drifted = (await listServed<NodeClaim>(port, NODE_CLAIMS)).filter(isMarked);
        return drifted.length > driftedCount ? { done: true, value: moreDrift(driftedCount, drifted) } : { done: false };
      });
      const last = await settled(port, notReady);
      return { ...last, ...(drifting.kind === 'done' ? { troubles: [drifting.value] } : {}), ...defined({ leaderUnknown }) };
    },
  };
}

/** Which reasons Karpenter gives, says where to look: the node class, the node pool, the image. Older versions give none. */
function moreDrift(before: number, marked: readonly NodeClaim[]): string {
  const reasons = [...new Set(marked.map((claim) => conditionOf(claim, 'Drifted')?.reason))].filter((reason) => reason !== undefined);
  const why = reasons.length === 0 ? '' : ` (${someOf(reasons.toSorted())})`;
  return `${count(marked.length, 'NodeClaim')} ${agree(marked.length, 'is', 'are')} marked as drifted${why}; before the change it was ${before}`;
}

async function ownPools(port: KubernetesPort): Promise<NodePool[]> {
  return (await listPools(port)).filter((pool) => classGroupOf(pool) === KARPENTER_GROUP);
}

/** Has the pool a budget that stops drift at any time of day? */
function standsStill({ spec }: NodePool): boolean {
  const budgets = (spec?.disruption?.budgets ?? []) as Partial<BudgetEntry>[];
  return budgets.some(
    ({ nodes, reasons, schedule }) => /^0%?$/.test(nodes ?? '') && schedule === undefined && (reasons?.includes('Drifted') ?? true),
  );
}

/** `before`: who was not Ready before the change, and is no trouble of it. */
async function settled(port: KubernetesPort, before: readonly string[]): Promise<{ troubles: string[]; stillNotReady: string[] }> {
  const definitions = (await unestablished(port)).map((name) => `CustomResourceDefinition ${name} is not Established`);
  if (definitions.length > 0) return { troubles: definitions, stillNotReady: [] };
  const found = await findNotReady(port, await ownPools(port));
  const lines = (wanted: boolean): string[] => found.filter(({ name }) => before.includes(name) === wanted).map(({ line }) => line);
  return { troubles: lines(false), stillNotReady: lines(true) };
}

async function findNotReady(port: KubernetesPort, pools: readonly NodePool[]): Promise<KarpenterState['notReady']> {
  const classes = await listServed<NodeClass>(port, EC2_NODE_CLASSES);
  return [
    ...pools.filter((pool) => !isTrue(pool, 'Ready')).map((pool) => notReady('NodePool', pool)),
    ...classes.filter((nodeClass) => !isTrue(nodeClass, 'Ready')).map((nodeClass) => notReady('EC2NodeClass', nodeClass)),
  ];
}

function notReady(kind: string, object: NodePool | NodeClass): KarpenterState['notReady'][number] {
  const name = `${kind} ${object.metadata.name}`;
  const { reason, message } = conditionOf(object, 'Ready') ?? {};
  const said = [reason, message].filter((part) => part !== undefined && part !== '').join(': ');
  return { name, line: `${name} is not Ready${said === '' ? '' : ` (${said.slice(0, 200)})`}` };
}

interface Asked {
  cluster: ClusterRef;
  port: KubernetesPort;
  place: KarpenterPlace;
  from: string;
  to: string;
}

async function needsOf(
  deps: ChangeDeps,
  { cluster, port, place, from, to }: Asked,
): Promise<Pick<KarpenterState, 'needs' | 'permissions'>> {
  const [before, after] = [parseComponentVersion(from), parseComponentVersion(to)];
  const { namespace, deployment: name } = place;
  const found = await port.get<Workload>({ apiVersion: 'apps/v1', plural: 'deployments', namespace, name });
  const account = { namespace, name: found?.spec?.template?.spec?.serviceAccountName ?? 'default' };
  const sources = { aws: deps.aws(cluster), account: deps.account(cluster), port };
  const permissions = await checkPermissions(sources, cluster, account, karpenterPermissions(before, after));
  return { needs: karpenterNotes(before, after), permissions };
}
