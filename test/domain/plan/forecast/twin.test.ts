/**
 * The forecast held against the twin, with which it shares no code: the same cluster is forecast and rolled by the twin's own Karpenter. Equal are the
 * nodes that are replaced and the pods that block; the length is alike.
 */
import { describe, expect, test } from 'vitest';
import { forecastUpgrade } from '../../../../domain/plan/forecast/forecast.ts';
import type { Forecast } from '../../../../domain/plan/forecast/types.ts';
import type { Snapshot, SnapshotKubeObject } from '../../../../domain/facts/snapshot/format.ts';
import { isReady } from '../../../../rehearsal/kubernetes/pods/pods.ts';
import type { KubeObject } from '../../../../rehearsal/kubernetes/store.ts';
import { addRoll, rollScenario } from '../../../../rehearsal/scenarios/parts/roll-parts.ts';
import type { Scenario } from '../../../../rehearsal/scenarios/scenario.ts';
import { small } from '../../../../rehearsal/scenarios/small.ts';
import type { BuiltWorld } from '../../../../rehearsal/world/build.ts';
import { MINUTE_MS, steppedWorld } from '../../../rehearsal/support.ts';
import { clusterSnapshot } from '../../../support/clusters.ts';
import { policy } from '../../../support/facts.ts';
import { plan, step } from '../../../support/plan.ts';

const STEP_MS = 1_000;
/** Karpenter has noticed by then that its images are others. */
const BAKE = { phase: 'bake' as const, to: '1.32', bakeMs: 10 * MINUTE_MS };
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
/** Nothing is replaced for so long: what is left is blocked. */
const QUIET_MS = 4 * MINUTE_MS;

/** What the twin's API server would answer. Its nodes and pods were there at once: they get the times that they would have taken. */
function snapshotOf({ world }: BuiltWorld): Snapshot {
  const empty = clusterSnapshot({});
  const { nodeLaunchMs, podStartMs } = world.tempo;
  const objects = new Map<string, SnapshotKubeObject[]>();
  for (const key of empty.objects.keys()) {
    const plural = key.split(' ')[1] ?? '';
    const copies = structuredClone(world.store.list(plural)).map((object) => {
      const tookMs = plural === 'nodeclaims' ? nodeLaunchMs : plural === 'pods' ? podStartMs : 0;
      return tookMs === 0 ? object : aged(object, tookMs);
    });
    // The twin's objects are those of an API server.
    objects.set(key, copies as unknown as SnapshotKubeObject[]);
  }
  return { ...empty, objects };
}

function aged(object: KubeObject, ms: number): KubeObject {
  const earlier = (time: string | undefined): string => new Date(Date.parse(time ?? '') - ms).toISOString();
  const ready = object.status?.conditions?.find(({ type }: { type: string }) => type === 'Ready' || type === 'Initialized');
  object.metadata.creationTimestamp = earlier(ready?.lastTransitionTime);
  for (const condition of object.status?.conditions ?? [])
    if (condition.type === 'PodScheduled') condition.lastTransitionTime = earlier(ready?.lastTransitionTime);
  return object;
}

interface Rolled {
  replaced: number;
  blocked: string[];
  tookMs: number;
}

/** Lets the twin's Karpenter roll to 1.32, until nothing moves any more. */
function roll(built: BuiltWorld): Rolled {
  const { world } = built;
  const old = (): KubeObject[] =>
    world.store
      .list('nodes')
      .filter(
        ({ metadata, status }) =>
          metadata.labels?.['karpenter.sh/nodepool'] !== undefined && String(status?.nodeInfo?.kubeletVersion).startsWith('v1.31'),
      );
  const before = old().length;
  world.eks.cluster.version = '1.32';
  let left = before;
  let quietMs = 0;
  let tookMs = 0;
  for (let nowMs = 0; quietMs < QUIET_MS && left > 0; nowMs += STEP_MS) {
    built.step(STEP_MS);
    const now = old().length;
    quietMs = now === left ? quietMs + STEP_MS : 0;
    if (now !== left) tookMs = nowMs;
    left = now;
  }
  const blocked = old().flatMap(({ metadata }) =>
    world.store
      .podsOn(metadata.name)
      .filter((pod) => isReady(pod) && isBlocked(built, pod))
      .map((pod) => `${pod.metadata.namespace}/${pod.metadata.name}`),
  );
  return { replaced: before - left, blocked: blocked.toSorted(), tookMs };
}

const isBlocked = ({ world }: BuiltWorld, { metadata }: KubeObject): boolean =>
  metadata.annotations?.['karpenter.sh/do-not-disrupt'] === 'true' ||
  world.store
    .list('poddisruptionbudgets')
    .filter(
      (budget) => budget.metadata.namespace === metadata.namespace && budget.spec.selector.matchLabels['app'] === metadata.labels?.['app'],
    )
    .some(({ status }) => status?.disruptionsAllowed === 0);

/** Its roll alone, with people who skip at once what is blocked. */
function forecast(snapshot: Snapshot, nodePools: string[], seed: number): Forecast {
  const params = { phase: 'karpenter-drift' as const, to: '1.32', nodePools, nodeCount: 0, paces: ['original'], offeredPaces: [] };
  return forecastUpgrade({
    snapshot,
    plan: { ...plan([]), steps: [step('control-plane'), step('bake', { params: BAKE }), step('karpenter-drift', { params })] },
    policy: policy(),
    runs: 1,
    seed,
    gateMs: 0,
    madeAt: snapshot.header.takenAt,
  });
}

/** From the beginning of the roll to the last node that went: a node that blocks is waited for beyond that. */
function lastReplacedMs({ nodesOverTime, steps }: Forecast): number {
  const left = nodesOverTime.at(-1)?.old;
  const last = nodesOverTime.find(({ old }) => old === left);
  return (last?.atMs ?? 0) - (steps.at(-1)?.startsAfter.p50 ?? 0);
}

const SCENARIOS: [name: string, scenario: Scenario][] = [
  ['small', small],
  [
    'a budget that allows nothing, and one that allows one at a time',
    rollScenario({
      name: 'forecast',
      title: '',
      description: '',
      build: (world) =>
        addRoll(world, {
          nodes: 5,
          budgets: [{ nodes: '2' }],
          apps: [
            { namespace: 'shop', name: 'web', replicas: 5, cpu: '3', budget: { maxUnavailable: 1 } },
            { namespace: 'shop', name: 'ledger', replicas: 1, budget: { maxUnavailable: 0 } },
          ],
        }),
    }),
  ],
];

describe('forecast and twin', () => {
  test.each(SCENARIOS)('%s', (_, scenario) => {
    const built = steppedWorld(scenario);
    const snapshot = snapshotOf(built);
    const forecasts = SEEDS.map((seed) => forecast(snapshot, ['default'], seed));
    const rolled = roll(built);
    for (const { nodesReplaced, blockers } of forecasts) {
      expect(nodesReplaced.map(({ count }) => count.p50)).toEqual([rolled.replaced]);
      expect(blockers.map(({ pod }) => `${pod.namespace}/${pod.name}`)).toEqual(rolled.blocked);
    }
    const median = forecasts.map(lastReplacedMs).toSorted((a, b) => a - b)[(SEEDS.length - 1) / 2] ?? 0;
    expect(median / rolled.tookMs).toBeGreaterThan(0.7);
    // Where no cluster was loaded the twin's Karpenter relies on nodes that are coming; the real one does not.
    expect(median / rolled.tookMs).toBeLessThan(1.5);
  });
});
