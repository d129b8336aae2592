/** Random clusters: whatever happens in a play, budgets hold at every moment, and nothing is lost. */
import { describe, expect, test } from 'vitest';
import { NodeLengths } from '../../../../domain/plan/forecast/measure/node-lengths.ts';
import { Random } from '../../../../domain/plan/forecast/measure/random.ts';
import { stepLengths } from '../../../../domain/plan/forecast/measure/step-lengths.ts';
import { readCluster } from '../../../../domain/plan/forecast/model/read-cluster.ts';
import { GONE } from '../../../../domain/plan/forecast/play/nodes.ts';
import { Play } from '../../../../domain/plan/forecast/play/play.ts';
import { LOST, PENDING, WAITING } from '../../../../domain/plan/forecast/play/pod-state.ts';
import { walk } from '../../../../domain/plan/forecast/steps/walk.ts';
import { allowedNodes } from '../../../../domain/policy/freeze-means.ts';
import { type AppOf, type ClusterOf, clusterSnapshot, type PoolOf } from '../../../support/clusters.ts';
import { policy } from '../../../support/facts.ts';
import { rollPlan } from '../../../support/played-forecasts.ts';

const SEEDS = Array.from({ length: 60 }, (_, index) => index + 1);
const ZONES = ['eu-1a', 'eu-1b', 'eu-1c'];
const BUDGETS = ['1', '2', '10%', '34%', '100%'];

function clusterOf(random: Random): ClusterOf {
  const pick = <T>(list: readonly T[]): T => list[random.index(list.length)] as T;
  const pools = Array.from({ length: 1 + random.index(3) }, (_, index): PoolOf => {
    const zones = ZONES.slice(0, 1 + random.index(3));
    const nodes = 2 + random.index(8);
    return {
      name: `pool-${index}`,
      nodes,
      zones,
      cpu: pick(['4', '8']),
      budgets: [{ nodes: pick(BUDGETS) }],
      startsMs: [20_000, 40_000, 90_000],
    };
  });
  const groups = random.index(2) === 0 ? [] : [{ name: 'system', nodes: 1 + random.index(4), zones: ZONES.slice(0, 1 + random.index(3)) }];
  const apps = Array.from({ length: 2 + random.index(10) }, (_, index): AppOf => {
    const replicas = 1 + random.index(4);
    const name = `app-${index}`;
    return {
      name,
      kind: pick(['Deployment', 'Deployment', 'StatefulSet']),
      replicas,
      cpu: pick(['100m', '500m', '1']),
      startMs: 1_000 + random.index(60_000),
      graceS: pick([5, 30, 120]),
      volume: random.index(4) === 0,
      ...(random.index(2) === 0
        ? {}
        : { budget: pick([{ maxUnavailable: 1 }, { minAvailable: '50%' }, { minAvailable: 1 }, { maxUnavailable: 0 }]) }),
      ...(random.index(6) === 0 ? { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } : {}),
      ...(random.index(3) === 0 ? { spec: { affinity: apart(name) } } : {}),
    };
  });
  return { pools, groups, apps };
}

/** Some of them may not even fit at the beginning: the cluster is as it is. */
const apart = (name: string): object => ({
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: { app: name } }, topologyKey: 'kubernetes.io/hostname' },
    ],
  },
});

/** Looks at each change as it is made. */
function watched(of: ClusterOf, seed: number): { play: Play; broken: string[] } {
  const cluster = readCluster(clusterSnapshot(of), []);
  const play = new Play(cluster, new NodeLengths(cluster), { seed, minor: 31, beganAtMs: 0 });
  const broken: string[] = [];
  const leave = play.nodes.leave.bind(play.nodes);
  play.nodes.leave = (index, to) => {
    leave(index, to);
    const pool = play.nodes.list[index]?.pool ?? -1;
    const counts = play.nodes.tally.pools[pool];
    const allowed = Math.min(...(cluster.pools[pool]?.budgets ?? []).map(({ nodes = '' }) => allowedNodes(nodes, counts?.count ?? 0)));
    if (to === 'leaving' && counts !== undefined && counts.away > allowed)
      broken.push(`${counts.away} away of pool ${pool}, ${allowed} allowed`);
  };
  const evict = play.pods.evict.bind(play.pods);
  play.pods.evict = (pod) => {
    const { budgets = [], node = -1 } = play.pods.list[pod] ?? {};
    const there = play.nodes.list[node];
    // A group that shrinks again ends a node that cannot be drained in time, as does an update that people force.
    const isForced = play.ledger.gates.has('node-groups@1.32 Force the update?') || (there?.isNew === true && there.group >= 0);
    const isUsedUp = budgets.some((budget) => play.budgets.allowed(budget) === 0);
    if (play.pods.isReady(pod) && !isForced && isUsedUp) broken.push(`pod ${pod} evicted`);
    evict(pod);
  };
  return { play, broken };
}

describe('a roll of any cluster', () => {
  test.each(SEEDS)('seed %i', (seed) => {
    const of = clusterOf(new Random(seed * 31));
    const { play, broken } = watched(of, seed);
    const plan = rollPlan(of);
    const { timing } = policy();
    walk(
      {
        play,
        policy: policy(),
        gateMs: 60_000,
        lengths: stepLengths(plan, undefined, timing),
        pace: undefined,
        waves: undefined,
        frozen: new Set(),
      },
      plan.steps,
    );
    // What is under way when the last step ends comes to its end.
    play.clock.advance(60 * 60_000);
    expect(broken).toEqual([]);
    const left = play.nodes.list.filter(({ state, minor }) => state !== GONE && minor < 32);
    const skipped = new Set([...play.ledger.blockers.values()].map(({ node }) => play.nodes.list[node]?.name));
    expect(left.filter(({ name }) => !skipped.has(name)).map(({ name }) => name)).toEqual([]);
    const nowhere = play.pods.list.filter(({ state }) => state === PENDING || state === WAITING);
    expect(nowhere.filter((pod) => play.cluster.classes[pod.class]?.zone === -1 && pod.state !== LOST)).toEqual([]);
    for (const group of of.groups ?? []) {
      const now = play.nodes.list.filter(({ state, group: index }) => state !== GONE && play.cluster.groups[index]?.name === group.name);
      expect(now.length).toBe(group.nodes);
    }
    for (const [index, { state, pods, bodies, shape }] of play.nodes.list.entries()) {
      if (state === GONE) expect(pods.length + bodies).toBe(0);
      const used = pods.reduce((sum, pod) => sum + (play.pods.classOf(pod).request[0] ?? 0), 0);
      const before = play.cluster.pods
        .filter(({ node }) => node === index)
        .reduce((sum, pod) => sum + (play.cluster.classes[pod.class]?.request[0] ?? 0), 0);
      expect(used).toBeLessThanOrEqual(Math.max(before, shape.room[0] ?? 0));
    }
  });
});
