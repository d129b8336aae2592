/** What a forecast says in words, alike in a terminal, on a page and in Slack. */
import { count, duration, objectTitle, someOf } from '../../core/text.ts';
import type {
  Basis,
  BlockerForecast,
  DowntimeForecast,
  Forecast,
  GateForecast,
  NodesReplaced,
  Spread,
  WorkloadRef,
  Surge,
} from '../../plan/forecast/types.ts';
import { paceText } from '../../policy/pace.ts';
import type { NodeWaves } from '../../policy/policy.ts';
import { isLikely, nodesReplacedIn } from './stored.ts';

/** "3 h 10 min (p90 4 h 5 min)", or one of them where both are alike. */
export function timeText({ p50, p90 }: Spread): string {
  const [half, most] = [duration(p50), duration(p90)];
  return half === most ? half : `${half} (p90 ${most})`;
}

/** "42 (p90 44)"; with a noun "42 nodes (p90 44)". */
export function countText({ p50, p90 }: Spread, noun?: string): string {
  const [half, most] = [rounded(p50), rounded(p90)];
  const said = noun === undefined ? String(half) : count(half, noun);
  return half === most ? said : `${said} (p90 ${most})`;
}

/** "$2.50", "2.50 EUR" */
export const moneyText = (value: number, currency = 'USD'): string =>
  currency === 'USD' ? `$${value.toFixed(2)}` : `${value.toFixed(2)} ${currency}`;

/** "$2.50 (p90 $3.40)" */
export function costText({ p50, p90 }: Spread, currency?: string): string {
  const [half, most] = [moneyText(p50, currency), moneyText(p90, currency)];
  return half === most ? half : `${half} (p90 ${most})`;
}

/** Hours and the like have one digit behind the point; what is counted has none. */
const rounded = (value: number): number => Math.round(value * 10) / 10;

/** What is likely: "47 nodes replaced, 2 pods block 2 nodes, 1 workload goes down for a while". */
export function outcomeText(forecast: Pick<Forecast, 'nodesReplaced' | 'blockers' | 'downtimes'>): string {
  const blockers = forecast.blockers.filter(isLikely);
  const downtimes = forecast.downtimes.filter(isLikely);
  const nodes = new Set(blockers.map(({ node }) => node)).size;
  const replaced = nodesReplacedIn(forecast);
  return [
    `${count(replaced.p50, 'node')} replaced${replaced.p50 === replaced.p90 ? '' : ` (p90 ${replaced.p90})`}`,
    blockers.length === 0
      ? 'no pod blocks a node'
      : `${count(blockers.length, 'pod')} ${blockers.length === 1 ? 'blocks' : 'block'} ${count(nodes, 'node')}`,
    downtimes.length === 0
      ? 'no workload goes down'
      : `${count(downtimes.length, 'workload')} ${downtimes.length === 1 ? 'goes' : 'go'} down for a while`,
  ].join(', ');
}

/** "20 simulations of a snapshot that was 2 h old, seed 1" */
export function sourceText({
  runs,
  seed,
  snapshotTakenAt,
  madeAt,
}: Pick<Forecast, 'runs' | 'seed' | 'snapshotTakenAt' | 'madeAt'>): string {
  return `${count(runs, 'simulation')} on a snapshot that was ${duration(Date.parse(madeAt) - Date.parse(snapshotTakenAt))} old, seed ${seed}`;
}

/** How the nodes go: "nodes at every hop, at most 1 at a time in each pool, zone by zone". */
export function wayText({ strategy, pace, waves }: Pick<Forecast, 'strategy' | 'pace' | 'waves'>): string {
  return [
    `nodes ${strategy === 'every-hop' ? 'at every hop' : 'once, at the end'}`,
    ...(pace === undefined ? [] : [paceText(pace)]),
    ...(waves === undefined ? [] : [wavesText(waves)]),
  ].join(', ');
}

export function wavesText({ by, nodes = 1, gate }: NodeWaves): string {
  const each = { zone: 'zone by zone', nodepool: 'pool by pool', count: `${count(nodes, 'node')} per wave` }[by];
  return gate === true ? `${each} with a gate between waves` : each;
}

/** Of how many simulations: "in every simulation", "in 15 of 20 simulations". */
export function shareText(share: number, runs: number): string {
  return share >= 1 ? 'in every simulation' : `in ${Math.max(1, Math.round(share * runs))} of ${count(runs, 'simulation')}`;
}

/** "StatefulSet billing/ledger" */
export const workloadText = (workload: WorkloadRef): string => objectTitle(workload);

/** Nobody's workloads have a name, too. */
export const NO_TEAM = 'no team';
export const teamOf = (workload: WorkloadRef | undefined): string => workload?.team ?? NO_TEAM;

/** Why its node waits: "PodDisruptionBudget ledger allows no disruption". */
export function blockedBecause({ reason, budgets }: Pick<BlockerForecast, 'reason' | 'budgets'>): string {
  const names = budgets.join(' and ');
  switch (reason) {
    case 'budget':
      return names === '' ? 'its PodDisruptionBudget allows no disruption' : `PodDisruptionBudget ${names} allows no disruption`;
    case 'several-budgets':
      return `PodDisruptionBudgets ${names} both select it, so the API server refuses every eviction`;
    case 'do-not-disrupt':
      return 'it is annotated with karpenter.sh/do-not-disrupt';
    case 'no-room':
      return 'no node that may be launched takes it: the zone of its volume, limits of the NodePool, or its selectors';
  }
}

export function downBecause({ why, replicas }: Pick<DowntimeForecast, 'why' | 'replicas'>): string {
  switch (why) {
    case 'one-replica':
      return 'it has one replica';
    case 'one-zone':
      return `all ${replicas} replicas are in one zone`;
    case 'all-at-once':
      return `all ${replicas} replicas are on nodes that go at the same time`;
    case 'no-room':
      return 'its pods find no room for a while';
  }
}

/** "in 15 of 20 simulations; assumed: delete the pod, after 15 min" */
export function gateText({ share, assumed, decidedAfterMs }: GateForecast, runs: number): string {
  return `${shareText(share, runs)}; assumed: ${assumed}, after ${duration(decidedAfterMs)}`;
}

const OWNERS: Record<NodesReplaced['owner'], string> = {
  karpenter: 'NodePool',
  'node-group': 'Node group',
  'self-managed': 'Auto Scaling group',
  'auto-mode': 'Auto Mode pool',
  fargate: 'Fargate profile',
};

export const ownerText = ({ owner, name }: Pick<NodesReplaced, 'owner' | 'name'>): string => `${OWNERS[owner]} ${name}`;

export const BASES: Record<Basis, string> = {
  snapshot: 'measured in the snapshot',
  learnt: 'earlier upgrades',
  configured: 'belay.yaml',
  reports: 'reports of other clusters',
};

/** "5 extra nodes (p90 6), 40 extra vCPUs (p90 48), …" */
export function peakText({ extraNodes, extraVcpus, extraAddresses, volumesMoved }: Forecast['peak']): string {
  return [
    countText(extraNodes, 'extra node'),
    countText(extraVcpus, 'extra vCPU'),
    countText(extraAddresses, 'extra IP address'),
    `${countText(volumesMoved, 'volume')} re-attached`,
  ].join(', ');
}

/** "eu-central-1b needs 58 addresses, and its subnets have 40 free" */
export const shortText = ({ zone, needed, free }: Forecast['peak']['shortOfAddresses'][number]): string =>
  `${zone} needs ${count(needed, 'address')}, and its subnets have ${free} free`;

/** "6.5 node hours (p90 9), $2.50 (p90 $3.40)"; what has no price is not taken for free. */
export function surgeText({ nodeHours, cost, currency, unpriced }: Surge): string {
  const types = unpriced.length === 0 ? '' : ` (${someOf(unpriced)})`;
  return `${countText(nodeHours, 'node hour')}, ${cost === undefined ? `price not known${types}` : costText(cost, currency)}`;
}
