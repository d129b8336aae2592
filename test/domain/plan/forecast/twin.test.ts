/**
 * The forecast held against the twin, with which it shares no code: the same cluster is forecast and rolled by the twin's own Karpenter. Equal are the
 * nodes that are replaced and the pods that block; the length is alike.
 */
import { describe, expect, test } from 'vitest';
import { readSnapshotFile } from '../../../../activities/observe/snapshot/read-file.ts';
import { forecastUpgrade } from '../../../../domain/plan/forecast/forecast.ts';
import type { Forecast } from '../../../../domain/plan/forecast/types.ts';
import { objectsOf, type Snapshot, type SnapshotKubeObject } from '../../../../domain/facts/snapshot/format.ts';
import { type Condition, isReady } from '../../../../rehearsal/kubernetes/pods/pods.ts';
import type { KubeObject } from '../../../../rehearsal/kubernetes/store.ts';
import { addRoll, rollScenario } from '../../../../rehearsal/scenarios/parts/roll-parts.ts';
import type { Scenario } from '../../../../rehearsal/scenarios/scenario.ts';
import { small } from '../../../../rehearsal/scenarios/small.ts';
import type { BuiltWorld } from '../../../../rehearsal/world/build.ts';
import { load } from '../../../rehearsal/snapshot/play.ts';
import { sampleFile } from '../../../rehearsal/snapshot/samples.ts';
import { snapshotOf } from '../../../rehearsal/snapshot/snapshot-of.ts';
import { MINUTE_MS, steppedWorld } from '../../../rehearsal/support.ts';
import { policy } from '../../../support/facts.ts';
import { plan, step } from '../../../support/plan.ts';

const STEP_MS = 1_000;
/** Karpenter has noticed by then that its images are others. */
const BAKE = { phase: 'bake' as const, bakeMs: 10 * MINUTE_MS };
const TO = '1.32';
const SEEDS = Array.from({ length: 36 }, (_, at) => at + 1);
/** Nothing is replaced for so long: what is left is blocked. */
const QUIET_MS = 4 * MINUTE_MS;

/** Its nodes and pods were there at once: they get the times that they would have taken. */
function agedSnapshot({ world }: BuiltWorld): Snapshot {
  const { nodeLaunchMs, podStartMs } = world.tempo;
  const snapshot = snapshotOf(world);
  for (const object of objectsOf(snapshot, 'karpenter.sh/v1', 'nodeclaims') ?? []) age(object, nodeLaunchMs);
  for (const object of objectsOf(snapshot, 'v1', 'pods') ?? []) age(object, podStartMs);
  return snapshot;
}

function age({ metadata, status }: SnapshotKubeObject, ms: number): void {
  const { conditions = [] } = (status ?? {}) as { conditions?: Condition[] };
  const earlier = (time: string | undefined): string => new Date(Date.parse(time ?? '') - ms).toISOString();
  const ready = conditions.find(({ type }) => type === 'Ready' || type === 'Initialized');
  metadata.creationTimestamp = earlier(ready?.lastTransitionTime);
  for (const condition of conditions)
    if (condition.type === 'PodScheduled') condition.lastTransitionTime = earlier(ready?.lastTransitionTime);
}

interface Rolled {
  replaced: number;
  blocked: string[];
  tookMs: number;
}

/** Lets the twin's Karpenter roll to 1.32, until nothing moves any more. */
function roll(built: BuiltWorld, to = TO): Rolled {
  const { world } = built;
  const from = `v${world.eks.cluster.version}`;
  const old = (): KubeObject[] =>
    world.store
      .list('nodes')
      .filter(
        ({ metadata, status }) =>
          metadata.labels?.['karpenter.sh/nodepool'] !== undefined && String(status?.nodeInfo?.kubeletVersion).startsWith(from),
      );
  const before = old().length;
  world.eks.cluster.version = to;
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
function forecast(snapshot: Snapshot, nodePools: string[], seed: number, to = TO): Forecast {
  const params = { phase: 'karpenter-drift' as const, to, nodePools, nodeCount: 0, paces: ['original'], offeredPaces: [] };
  return forecastUpgrade({
    snapshot,
    plan: {
      ...plan([]),
      steps: [
        step('control-plane', { params: { phase: 'control-plane', from: snapshot.header.kubernetes.minor, to, managedBy: 'eks' } }),
        step('bake', { params: { ...BAKE, to } }),
        step('karpenter-drift', { params }),
      ],
    },
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

/** `loads`: the twin plays the snapshot, and tries where pods would go before it replaces a node; in a scenario's world it launches one for each. */
const SCENARIOS: [name: string, scenario: Scenario, loads: boolean][] = [
  ['small', small, false],
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
    true,
  ],
];

describe('forecast and twin', () => {
  test.each(SCENARIOS)('%s', (_, scenario, loads) => {
    // Which node goes first is chance, in the twin as well: each seed has a world of its own.
    const pairs = SEEDS.map((seed) => {
      const built = steppedWorld(scenario);
      const snapshot = agedSnapshot(built);
      return { said: forecast(snapshot, ['default'], seed), rolled: roll(loads ? load(snapshot, TO) : built) };
    });
    for (const { said, rolled } of pairs) {
      expect(said.nodesReplaced.map(({ count }) => count.p50)).toEqual([rolled.replaced]);
      expect(said.blockers.map(({ pod }) => `${pod.namespace}/${pod.name}`)).toEqual(rolled.blocked);
    }
    expectAlike(
      pairs.map(({ said }) => said),
      pairs.map(({ rolled }) => rolled),
    );
  });

  test('the shop sample: spread, volumes, and budgets that allow nothing', async () => {
    const snapshot = await readSnapshotFile(sampleFile('shop'));
    const to = '1.34';
    const forecasts = [1, 2, 3].map((seed) => forecast(snapshot, ['general', 'data'], seed, to));
    const rolled = roll(load(snapshot, to), to);
    for (const { nodesReplaced, blockers } of forecasts) {
      // People add a replica of one of the two.
      expect(nodesReplaced.reduce((sum, { count }) => sum + count.p50, 0)).toBe(rolled.replaced + 1);
      expect(blockers.map(({ pod }) => `${pod.namespace}/${pod.name}`)).toEqual(rolled.blocked);
    }
    expectAlike(forecasts, [rolled]);
  });
});

function expectAlike(forecasts: readonly Forecast[], rolls: readonly Rolled[]): void {
  const ratio = mean(forecasts.map(lastReplacedMs)) / mean(rolls.map(({ tookMs }) => tookMs));
  expect(ratio).toBeGreaterThan(0.7);
  expect(ratio).toBeLessThan(1.5);
}

const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
