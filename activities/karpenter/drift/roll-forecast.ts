/** What a roll of nodes will meet: services that go down for a moment, pods that cannot be moved, nodes that expire by force. */
import { parseDurationMs } from '../../../domain/core/parse-duration.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import { matches } from '../../../domain/core/label-selectors.ts';
import { count } from '../../../domain/core/text.ts';
import { toleratesKarpentersDrain } from '../../../domain/facts/disruption/tolerations.ts';
import type { KarpenterActivities } from '../../contract/karpenter.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { heartbeating } from '../../runtime/heartbeating.ts';
import { listServed, slimNode } from '../../kubernetes/objects/lists.ts';
import {
  type ClusterNode,
  type DisruptionBudget,
  isLive,
  nameOf,
  needsEviction,
  type NodeClaim,
  type Pod,
} from '../../clients/kubernetes/objects.ts';
import { peopleOf, workloadName, workloadOf } from '../../kubernetes/drain/pod-owners.ts';
import { KARPENTER_NODES, listPools, NODE_CLAIMS } from '../objects/node-pools.ts';
import { nowOf } from '../../kubernetes/objects/server-time.ts';
import { karpenterEvicts, protectionOf } from '../../kubernetes/drain/pod-marks.ts';
import { stopsAhead } from './pool-holds.ts';
import { DO_NOT_DISRUPT } from '../../kubernetes/drain/draining-nodes.ts';
import { POOL } from '../../kubernetes/objects/node-owner.ts';
import { defined } from '../../../domain/core/defined.ts';

/** So many are named; a gate is read on a phone. */
const NAMED = 6;

type Asked = Parameters<KarpenterActivities['forecastRoll']>[0];

export function createForecastActivities(deps: KubernetesDeps): Pick<KarpenterActivities, 'forecastRoll'> {
  return {
    async forecastRoll(asked) {
      const port = (await deps.clusterPorts(asked.cluster)).kubernetes;
      return { evidence: await heartbeating('forecasting the roll', () => forecast(port, asked)) };
    },
  };
}

async function forecast(port: KubernetesPort, { nodePools, ownerKeys, withinMs }: Asked): Promise<GateEvidence[]> {
  const rolls = ({ metadata }: ClusterNode | NodeClaim): boolean => nodePools.includes(metadata.labels?.[POOL] ?? '');
  const nodes = (await listServed<ClusterNode>(port, KARPENTER_NODES, slimNode)).filter(rolls);
  const claims = (await listServed<NodeClaim>(port, NODE_CLAIMS)).filter(rolls);
  const pools = (await listPools(port)).filter(({ metadata }) => nodePools.includes(metadata.name));
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  const live = ((await port.list<Pod>({ apiVersion: 'v1', plural: 'pods' }, slimPlaced)) ?? []).filter(isLive);
  const nowMs = nowOf(port);
  const here = live.filter(({ spec }) => names.has(spec?.nodeName ?? ''));
  const evicted = here.filter(karpenterEvicts);
  const budgets = (await port.list<DisruptionBudget>({ apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' })) ?? [];
  const periods = new Map(
    claims.flatMap(({ spec, status }) => (spec?.terminationGracePeriod ? [[status?.nodeName, spec.terminationGracePeriod]] : [])),
  );
  const periodOf = ({ spec }: Pod): string | undefined => periods.get(spec?.nodeName);
  const isKept = (pod: Pod): boolean => periodOf(pod) === undefined;
  const marked = here.filter((pod) => protectionOf(pod, nowMs) !== undefined);
  const ended = [
    ...new Set([
      ...held(
        evicted.filter((pod) => !isKept(pod)),
        budgets,
      ),
      ...marked.filter((pod) => !isKept(pod)),
    ]),
  ];
  const of = (pod: Pod): Promise<string> => describe(port, pod, ownerKeys);
  return [
    await evidence(
      'Services of one replica, away for about a minute each',
      lonely(live.filter(needsEviction), here.filter(needsEviction)),
      of,
    ),
    await evidence('Budgets that allow nothing: people will be asked about these pods', held(evicted.filter(isKept), budgets), of),
    await evidence('Pods that say do-not-disrupt', marked.filter(isKept), of),
    await evidence(
      'Deleted by force, whatever budgets and do-not-disrupt say, because their nodes have a terminationGracePeriod',
      ended,
      async (pod) => `${await of(pod)}: ${periodOf(pod)} after its node begins to drain`,
    ),
    { title: 'NodePools that stop their own nodes', lines: pools.flatMap(stopsAhead) },
    expiring(claims, nowMs, withinMs),
  ].filter(({ lines }) => lines.length > 0);
}

async function evidence(title: string, pods: readonly Pod[], of: (pod: Pod) => Promise<string>): Promise<GateEvidence> {
  const lines: string[] = [];
  for (const pod of pods.slice(0, NAMED)) lines.push(await of(pod));
  return { title, lines: pods.length > NAMED ? [...lines, `and ${pods.length - NAMED} more`] : lines };
}

/** "shop/ledger (team payments)" */
async function describe(port: KubernetesPort, pod: Pod, ownerKeys: readonly string[]): Promise<string> {
  const people = await peopleOf(port, pod, await workloadOf(port, pod), ownerKeys);
  return `${workloadName(pod) ?? nameOf(pod)}${people.length === 0 ? '' : ` (${people.join(', ')})`}`;
}

/** Pods that are the only one of their workload, wherever the others would be. */
function lonely(pods: readonly Pod[], moving: readonly Pod[]): Pod[] {
  const counts = new Map<string, number>();
  for (const pod of pods) {
    const name = workloadName(pod);
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return moving.filter((pod) => counts.get(workloadName(pod) ?? '') === 1);
}

/** One pod for each budget that allows no disruption. */
function held(evicted: readonly Pod[], budgets: readonly DisruptionBudget[]): Pod[] {
  const exhausted = budgets.filter(({ status }) => status?.disruptionsAllowed === 0);
  return exhausted.flatMap((budget) => {
    const pod = evicted.find(
      ({ metadata }) => metadata.namespace === budget.metadata.namespace && matches(budget.spec?.selector, metadata.labels),
    );
    return pod === undefined ? [] : [pod];
  });
}

/** expireAfter drains by force: neither a budget nor the freeze holds it up. */
function expiring(claims: readonly NodeClaim[], nowMs: number, withinMs: number): GateEvidence {
  const soon = claims.filter(({ metadata, spec }) => {
    const life = parseDurationMs(spec?.expireAfter ?? 'Never');
    const endMs = life === undefined ? Number.NaN : Date.parse(metadata.creationTimestamp ?? '') + life;
    return endMs - nowMs < withinMs;
  });
  const names = soon.slice(0, NAMED).map(({ metadata }) => metadata.name);
  const lines = [`${count(soon.length, 'NodeClaim')} will be drained by force whatever the pace is: ${names.join(', ')}`];
  return { title: 'Nodes that expire meanwhile', lines: soon.length === 0 ? [] : lines };
}

/** What says where a pod is and whose. */
function slimPlaced({ metadata, spec, status }: Pod): Pod {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, labels, annotations, ownerReferences } = metadata;
  const mark = annotations?.[DO_NOT_DISRUPT];
  return {
    metadata: {
      name,
      uid,
      resourceVersion,
      ...defined({ namespace, deletionTimestamp, labels }),
      ...(mark === undefined ? {} : { annotations: { [DO_NOT_DISRUPT]: mark } }),
      ...defined({ ownerReferences }),
    },
    // A cluster may have 50,000 pods; the tolerations of most say nothing here.
    spec: defined({
      nodeName: spec?.nodeName,
      tolerations: toleratesKarpentersDrain(spec?.tolerations) ? spec?.tolerations : undefined,
    }),
    status: defined({ phase: status?.phase, startTime: mark === undefined ? undefined : status?.startTime }),
  };
}
