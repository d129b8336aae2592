/** From what plays have seen to a forecast. */
import { compareText } from '../../../core/text.ts';
import type { PlannedStep } from '../../model/types.ts';
import { at } from '../model/at.ts';
import type { Cluster } from '../model/cluster.ts';
import type { Ledger } from '../play/ledger.ts';
import type {
  Basis,
  BlockerForecast,
  DowntimeForecast,
  Forecast,
  GateForecast,
  NodesReplaced,
  Peak,
  StepForecast,
  Surge,
  WorkloadRef,
} from '../types.ts';
import { byKey, spreadOf } from './spread.ts';
import { nodesOverTime } from './timeline.ts';

type Played = Pick<
  Forecast,
  'total' | 'steps' | 'gates' | 'nodesReplaced' | 'blockers' | 'downtimes' | 'evictions' | 'peak' | 'surge' | 'nodesOverTime'
>;

const HOUR_MS = 3_600_000;

/** `basisOf`: what the length of a step stands on. */
export function aggregate(
  plays: readonly Ledger[],
  cluster: Cluster,
  steps: readonly PlannedStep[],
  basisOf: (step: PlannedStep) => Basis,
): Played {
  return {
    total: spreadOf(plays.map(({ totalMs }) => totalMs)),
    steps: steps.map((step, index) => stepOf(plays, step, index, basisOf(step))),
    gates: gatesOf(plays),
    nodesReplaced: replacedOf(plays),
    blockers: blockersOf(plays, cluster),
    downtimes: downtimesOf(plays, cluster),
    evictions: [...byKey(plays.map(({ evictions }) => evictions))]
      .map(([workload, counts]) => ({ workload: at(cluster.workloads, workload).ref, count: spreadOf(counts) }))
      .sort((a, b) => b.count.p90 - a.count.p90 || byName(a.workload, b.workload)),
    peak: peakOf(plays, cluster),
    surge: surgeOf(plays, cluster),
    nodesOverTime: nodesOverTime(medianPlay(plays)),
  };
}

/** Where one type that comes or goes has no price, there is no cost: it would be taken for free. */
function surgeOf(plays: readonly Ledger[], { prices = {} }: Cluster): Surge {
  const types = [...new Set(plays.flatMap((play) => [...play.types]))];
  const unpriced = types.filter((type) => !Object.hasOwn(prices, type)).toSorted(compareText);
  return {
    nodeHours: spreadOf(plays.map(({ surgeNodeMs }) => Math.round((surgeNodeMs / HOUR_MS) * 10) / 10)),
    ...(unpriced.length > 0 || types.length === 0
      ? {}
      : { cost: spreadOf(plays.map(({ surgeCost }) => Math.round(surgeCost * 100) / 100)) }),
    unpriced,
  };
}

function stepOf(plays: readonly Ledger[], { id, title, phase }: PlannedStep, index: number, basis: Basis): StepForecast {
  const played = plays.map(({ steps }) => at(steps, index));
  return {
    id,
    title,
    phase,
    startsAfter: spreadOf(played.map(({ startMs }) => startMs)),
    takes: spreadOf(played.map(({ startMs, endMs }) => endMs - startMs)),
    basis,
  };
}

function gatesOf(plays: readonly Ledger[]): GateForecast[] {
  const gates = new Map<string, GateForecast>();
  for (const { gates: own } of plays)
    for (const [key, gate] of own) {
      const known = gates.get(key) ?? { ...gate, share: 0 };
      gates.set(key, { ...known, share: known.share + 1 / plays.length });
    }
  return [...gates.values()].map((gate) => ({ ...gate, share: round(gate.share) }));
}

function replacedOf(plays: readonly Ledger[]): NodesReplaced[] {
  return [...byKey(plays.map(({ replaced }) => replaced))]
    .map(([key, counts]) => {
      const [owner = '', ...name] = key.split(' ');
      return { owner: owner as NodesReplaced['owner'], name: name.join(' '), count: spreadOf(counts) };
    })
    .sort((a, b) => compareText(a.owner, b.owner) || compareText(a.name, b.name));
}

function blockersOf(plays: readonly Ledger[], { pods, nodes, workloads, budgets }: Cluster): BlockerForecast[] {
  const blockers = new Map<string, BlockerForecast>();
  for (const { blockers: own } of plays)
    for (const [key, { pod: index, node, reason, budgets: blocking }] of own) {
      const pod = index === undefined ? undefined : pods[index];
      const known = blockers.get(key) ?? {
        pod: { namespace: pod?.namespace ?? '', name: pod?.name ?? '' },
        node: nodes[node]?.name ?? 'a node that was new',
        ...(pod === undefined ? {} : { workload: at(workloads, pod.workload).ref }),
        reason,
        budgets: blocking.map((budget) => at(budgets, budget).name),
        share: 0,
      };
      blockers.set(key, { ...known, share: known.share + 1 / plays.length });
    }
  return [...blockers.values()]
    .map((blocker) => ({ ...blocker, share: round(blocker.share) }))
    .sort((a, b) => b.share - a.share || compareText(a.node, b.node) || compareText(a.pod.name, b.pod.name));
}

function downtimesOf(plays: readonly Ledger[], { workloads }: Cluster): DowntimeForecast[] {
  const lengths = byKey(plays.map(({ downtimes }) => new Map([...downtimes].map(([workload, { ms }]) => [workload, ms]))));
  return [...lengths]
    .map(([index, ms]) => {
      const { ref: workload, replicas } = at(workloads, index);
      const why = plays.flatMap(({ downtimes }) => downtimes.get(index)?.why ?? []);
      return { workload, replicas, why: commonest(why), down: spreadOf(ms), share: round(why.length / plays.length) };
    })
    .sort((a, b) => b.down.p90 - a.down.p90 || byName(a.workload, b.workload));
}

function commonest(whys: readonly DowntimeForecast['why'][]): DowntimeForecast['why'] {
  const counts = new Map<DowntimeForecast['why'], number>();
  for (const why of whys) counts.set(why, (counts.get(why) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 'all-at-once';
}

function peakOf(plays: readonly Ledger[], { zones, freeAddresses }: Cluster): Peak {
  const needed = zones.map((_, zone) => spreadOf(plays.map(({ peakByZone }) => peakByZone[zone] ?? 0)).p90);
  return {
    extraNodes: spreadOf(plays.map(({ peakNodes }) => peakNodes)),
    extraVcpus: spreadOf(plays.map(({ peakVcpus }) => peakVcpus)),
    extraAddresses: spreadOf(plays.map(({ peakAddresses }) => peakAddresses)),
    shortOfAddresses: (freeAddresses ?? []).flatMap((free, zone) =>
      at(needed, zone) > free ? [{ zone: at(zones, zone), needed: at(needed, zone), free }] : [],
    ),
    volumesMoved: spreadOf(plays.map(({ volumesMoved }) => volumesMoved)),
  };
}

/** The play whose total is the median. */
function medianPlay(plays: readonly Ledger[]): Ledger {
  const sorted = plays.toSorted((a, b) => a.totalMs - b.totalMs);
  return at(sorted, Math.ceil(sorted.length / 2) - 1);
}

const round = (share: number): number => Math.round(share * 1_000) / 1_000;
const byName = (a: WorkloadRef, b: WorkloadRef): number => compareText(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`);
