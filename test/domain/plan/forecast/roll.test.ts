/** How long a roll takes, what it takes, and what it leaves. */
import { describe, expect, test } from 'vitest';
import { listKey, type Snapshot } from '../../../../domain/facts/snapshot/format.ts';
import type { ForecastInput } from '../../../../domain/plan/forecast/forecast.ts';
import type { Forecast } from '../../../../domain/plan/forecast/types.ts';
import type { PlannedStep } from '../../../../domain/plan/model/types.ts';
import { type ClusterOf, clusterSnapshot, subnets } from '../../../support/clusters.ts';
import { policy } from '../../../support/facts.ts';
import { step } from '../../../support/plan.ts';
import { forecastOf, rollPlan } from '../../../support/played-forecasts.ts';

const MINUTE_MS = 60_000;
const POOL = { name: 'general', nodes: 12, budgets: [{ nodes: '100%' }], zones: ['eu-1a', 'eu-1b', 'eu-1c'] };
/** Each fills a node, so that each needs a new one. */
const FULL = { name: 'web', replicas: 12, cpu: '3' };
const cluster: ClusterOf = { pools: [POOL], apps: [FULL] };

const rollOf = ({ steps }: Forecast): number => steps.find(({ phase }) => phase === 'karpenter-drift')?.takes.p50 ?? 0;
const replacedOf = ({ nodesReplaced }: Forecast): string[] =>
  nodesReplaced.map(({ owner, name, count }) => `${owner} ${name} ${count.p50}`);

describe('pace', () => {
  const paced = (of: ClusterOf): number[] => ['1', '25%', 'original'].map((pace) => rollOf(forecastOf(of, { pace })));

  test('a faster pace takes less', () => {
    const [one = 0, quarter = 0, all = 0] = paced({ ...cluster, apps: [{ ...FULL, cpu: '1' }] });
    expect(one).toBeGreaterThan(quarter * 1.2);
    expect(quarter).toBeGreaterThan(all * 1.2);
  });

  test('where each node needs a new one, nodes that are coming hold the others up: a budget of everything gains little', () => {
    const [one = 0, quarter = 0, all = 0] = paced(cluster);
    expect(one).toBeGreaterThan(quarter * 1.5);
    expect(all).toBeGreaterThan(quarter * 0.8);
  });

  test('the paces of the plan come one after the other', () => {
    const paced = rollOf(forecastOf(cluster, { plan: rollPlan(cluster, { paces: ['1', 'original'] }) }));
    expect(paced).toBeGreaterThan(rollOf(forecastOf(cluster, { pace: 'original' })));
    expect(paced).toBeLessThan(rollOf(forecastOf(cluster, { pace: '1' })));
  });

  test('percentages round up: a tenth of three is one', () => {
    const few: ClusterOf = { pools: [{ ...POOL, nodes: 3, budgets: [{ nodes: '10%' }] }], apps: [{ ...FULL, replicas: 3 }] };
    expect(replacedOf(forecastOf(few))).toEqual(['karpenter general 3']);
  });

  test('a pool whose own budget is 0 at all times is asked about and skipped, and does not hold the others up', () => {
    const two: ClusterOf = {
      pools: [
        { ...POOL, nodes: 2, budgets: [{ nodes: '0' }] },
        { ...POOL, name: 'batch', nodes: 2, budgets: [{ nodes: '1' }] },
      ],
    };
    const forecast = forecastOf(two, { runs: 1 });
    expect(replacedOf(forecast)).toEqual(['karpenter batch 2']);
    expect(forecast.gates.map(({ title, why, assumed }) => `${title} ${why}: ${assumed}`)).toContain(
      'Nodes cannot be replaced: what now? general lets Karpenter replace no node: a budget for drift is 0: the nodes are skipped',
    );
    expect(forecast.gates.filter(({ title }) => title.includes('failed'))).toEqual([]);
  });

  test('nothing is ever replaced at freeze', () => {
    expect(() => forecastOf(cluster, { pace: 'freeze' })).toThrow(
      new RangeError('At pace freeze no node is ever replaced: choose another pace'),
    );
    expect(() => forecastOf(cluster, { runs: 0 })).toThrow(new RangeError('A forecast needs at least one run, not 0'));
  });

  test('a pool whose own budget is smaller keeps to it while the other goes on', () => {
    const two: ClusterOf = {
      pools: [
        { ...POOL, nodes: 6, budgets: [{ nodes: '1' }] },
        { ...POOL, name: 'batch', nodes: 6, budgets: [{ nodes: '3' }] },
      ],
      apps: [{ ...FULL, spec: { nodeSelector: { 'karpenter.sh/nodepool': 'general' } }, replicas: 6 }],
    };
    const both = forecastOf(two);
    expect(replacedOf(both)).toEqual(['karpenter batch 6', 'karpenter general 6']);
    const alone = forecastOf({ ...two, pools: two.pools?.slice(0, 1) ?? [] });
    expect(Math.abs(rollOf(both) - rollOf(alone))).toBeLessThan(2 * MINUTE_MS);
  });
});

describe('nodes that go at the same time', () => {
  const onNode = (name: string, count: number): string[] => Array.from({ length: count }, () => name);
  /** Three pods fill a node; the one of the group has room for two. */
  const two: ClusterOf = {
    pools: [{ ...POOL, nodes: 2, zones: ['eu-1a'], startsMs: [60_000, 60_000] }],
    groups: [{ name: 'system', nodes: 1, zones: ['eu-1a'] }],
    apps: [
      { name: 'few', replicas: 1, cpu: '1300m', on: ['system-0'] },
      { name: 'web', replicas: 3, cpu: '1300m', on: onNode('general-0', 3) },
      { name: 'api', replicas: 3, cpu: '1300m', on: onNode('general-1', 3) },
    ],
  };
  /** The shortest of many rolls, in seconds: which node goes first is chance. `ages`: of web's pods and of api's, in seconds. */
  const shortest = (ages: { web: number[]; api: number[] }): number => {
    const snapshot = clusterSnapshot(two);
    for (const { metadata } of snapshot.objects.get(listKey('v1', 'pods')) ?? []) {
      const [, app = '', index = ''] = /^(web|api)-.*-(\d)$/.exec(metadata.name) ?? [];
      const age = app === 'web' || app === 'api' ? ages[app][Number(index)] : 0;
      metadata.creationTimestamp = new Date(Date.parse('2026-09-01T09:00:00Z') - (age ?? 0) * 1_000).toISOString();
    }
    const rolls = Array.from({ length: 20 }, (_, seed) =>
      rollOf(forecastOf(two, { snapshot, runs: 1, seed, plan: rollPlan({ ...two, groups: [] }) })),
    );
    return Math.min(...rolls) / 1_000;
  };

  test('a pod that is older takes a place that a Ready node has for one that moves, and that one moves to the node that is coming', () => {
    const nested = shortest({ web: [60, 50, 10], api: [40, 30, 20] });
    const between = shortest({ web: [60, 40, 20], api: [50, 30, 10] });
    // The launch of a node, less what Karpenter waits between its looks.
    expect(between - nested).toBeGreaterThan(40);
  });
});

describe('how long a node takes', () => {
  /** One node, whose replacement is there after ten seconds; pods and instances end at once. */
  const takes = (of: ClusterOf): number => rollOf(forecastOf(of, { runs: 20, usual: { podEndMs: 0, removalMs: 0, detachMs: 0 } })) / 1_000;
  const roll = (apps: ClusterOf['apps']): ClusterOf => ({
    pools: [{ ...POOL, nodes: 1, startsMs: [10_000, 10_000, 10_000] }],
    apps: apps ?? [],
  });

  test('Karpenter drains each for five seconds at least, also an empty one', () => {
    const empty = takes(roll([]));
    // The node of its pod comes first, and is looked for once a second.
    const full = takes(roll([{ name: 'solo', cpu: '3' }]));
    expect(empty).toBeGreaterThanOrEqual(5);
    expect(full - empty).toBeGreaterThanOrEqual(10);
    expect(full - empty).toBeLessThan(13);
  });

  test('a node counts against its budget until then: the next one goes at the look after it', () => {
    // Looks are every ten seconds: with five seconds of draining, a replacement after 18 s is over when the second look is, too.
    const two = (startMs: number): number =>
      takes({
        pools: [{ ...POOL, nodes: 2, budgets: [{ nodes: '1' }], startsMs: [startMs, startMs, startMs] }],
        apps: [{ name: 'solo', replicas: 2, cpu: '3' }],
      });
    expect(two(18_000) - two(13_000)).toBeGreaterThan(10);
  });
});

describe('an eviction that a budget refuses', () => {
  /** Two pods of one budget on one node: the second goes once the successor of the first is Ready. */
  const takes = (startMs: number): number =>
    rollOf(
      forecastOf(
        {
          pools: [{ ...POOL, nodes: 1, startsMs: [10_000, 10_000, 10_000] }],
          apps: [{ name: 'web', replicas: 2, cpu: '1', startMs, budget: { maxUnavailable: 1 } }],
        },
        { runs: 20, usual: { podEndMs: 0, removalMs: 0, detachMs: 0 } },
      ),
    ) / 1_000;

  test('Karpenter tries it again after ever longer pauses, up to ten seconds', () => {
    // Tries come 3.1, 6.3, 12.7 and 22.7 s after the first: for a pod that takes 5 s the one at 6.3, for one that takes 16 s the one at 22.7.
    const longer = takes(16_000) - takes(5_000);
    expect(longer).toBeGreaterThan(15);
    expect(longer).toBeLessThan(18);
  });
});

describe('by the version of Karpenter', () => {
  const one: ClusterOf = { pools: [{ ...POOL, nodes: 1, startsMs: [10_000, 10_000, 10_000] }] };
  const usual = { podEndMs: 0, removalMs: 0, detachMs: 0 };
  const running = (image: string): Snapshot => {
    const snapshot = clusterSnapshot(one);
    snapshot.objects.get(listKey('apps/v1', 'deployments'))?.push({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { uid: 'karpenter', name: 'karpenter', namespace: 'kube-system', labels: { 'app.kubernetes.io/name': 'karpenter' } },
      spec: { template: { spec: { containers: [{ name: 'controller', image }] } } },
    });
    return snapshot;
  };
  const takes = (change: Partial<ForecastInput>): number => rollOf(forecastOf(one, { runs: 20, usual, ...change })) / 1_000;

  test.each([
    ['1.9.1 drains an empty node in no time', 'public.ecr.aws/karpenter/controller:1.9.1', 0],
    ['1.10.0 takes five seconds', 'public.ecr.aws/karpenter/controller:v1.10.0@sha256:0123', 5],
    ['an unknown one is taken for new', 'registry.example/karpenter:latest', 5],
  ])('%s', (_, image, seconds) => {
    // Karpenter looks every ten seconds where it finds something to do: by the same seed, what differs is the drain.
    expect(Math.round(takes({ snapshot: running(image) }) - takes({ snapshot: running('karpenter:1.0.8') }))).toBe(seconds);
  });

  test('it counts which version the plan brings', () => {
    const to = (version: string): number => {
      const params = { phase: 'karpenter-controller', from: '1.0.8', to: version } as const;
      const given = { minimum: version, namespace: 'kube-system', deployment: 'karpenter', managedBy: 'helm' as const };
      const brought = step('karpenter-controller', { params: { ...params, ...given } });
      const plan = rollPlan(one);
      return takes({ snapshot: running('karpenter:1.0.8'), plan: { ...plan, steps: [brought, ...plan.steps] } });
    };
    expect(Math.round(to('1.14.1') - to('1.9.1'))).toBe(5);
  });
});

describe('what extra nodes cost', () => {
  const priced = (prices: Record<string, number>, currency?: string) =>
    forecastOf(cluster, { policy: { ...policy(), forecast: { prices, ...(currency === undefined ? {} : { currency }) } } });
  const TYPE = 'm5.4';

  test('at the prices of belay.yaml: as many node hours, in its currency, with what is left out', () => {
    const { surge, limits } = priced({ [TYPE]: 100 }, 'EUR');
    expect(surge).toMatchObject({ currency: 'EUR', unpriced: [] });
    // The same types come as go: what is beyond is the nodes beyond, which are told to a tenth of an hour.
    for (const rank of ['p50', 'p90'] as const) {
      expect(surge.cost?.[rank]).toBeGreaterThan(0);
      expect(Math.abs((surge.cost?.[rank] ?? 0) / 100 - surge.nodeHours[rank])).toBeLessThanOrEqual(0.051);
    }
    expect(limits).toContain(
      'Extra nodes cost what forecast.prices of belay.yaml says: spot, savings plans, volumes and traffic are left out',
    );
  });

  test('a type without a price makes all of it unknown, and is named', () => {
    for (const forecast of [priced({ 'c6g.large': 1 }), forecastOf(cluster)]) {
      expect(forecast.surge).toEqual({ nodeHours: forecast.surge.nodeHours, unpriced: [TYPE] });
      expect(forecast.limits).toContain(`What extra nodes cost is unknown: forecast.prices of belay.yaml has no price of ${TYPE}`);
    }
  });
});

describe('waves', () => {
  test.each([
    ['zone', 2],
    ['nodepool', 0],
    ['count', 3],
  ] as const)('by %s take a bake between them', (by, bakes) => {
    const base = rollOf(forecastOf(cluster));
    const { waveBakeMs } = policy().timing;
    const waved = rollOf(forecastOf(cluster, { waves: { by, nodes: 3 } }));
    expect(waved).toBeGreaterThanOrEqual(base * 0.8 + bakes * waveBakeMs);
  });

  test('with a gate people are asked between them, ten minutes each', () => {
    const forecast = forecastOf(cluster, { waves: { by: 'zone', gate: true } });
    const titles = forecast.gates.filter(({ title }) => title.startsWith('Continue')).map(({ why }) => why);
    expect(titles.length).toBe(1);
    const ungated = forecastOf(cluster, { waves: { by: 'zone' } });
    expect(rollOf(forecast) - rollOf(ungated)).toBeGreaterThan(18 * MINUTE_MS);
  });
});

describe('downtime', () => {
  test.each([
    ['one replica of a Deployment is down while its successor starts', { name: 'solo', startMs: 25_000 }, 15_000, 50_000],
    [
      'one of a StatefulSet until the old one has ended, too',
      { name: 'db', kind: 'StatefulSet' as const, startMs: 25_000, volume: true },
      25_000,
      90_000,
    ],
  ])('%s', (_, app, least, most) => {
    const { downtimes } = forecastOf({ pools: [{ ...POOL, nodes: 3, budgets: [{ nodes: '1' }] }], apps: [app] }, { runs: 9 });
    expect(downtimes).toEqual([expect.objectContaining({ replicas: 1, why: 'one-replica', share: 1 })]);
    expect(downtimes[0]?.down.p50).toBeGreaterThan(least);
    expect(downtimes[0]?.down.p50).toBeLessThan(most);
  });

  test('two replicas with a budget are never both down', () => {
    expect(forecastOf({ pools: [POOL], apps: [{ name: 'web', replicas: 2, budget: { maxUnavailable: 1 } }] }).downtimes).toEqual([]);
  });

  test('a pod without a controller is gone for good, and that is said', () => {
    const { downtimes, limits } = forecastOf({ pools: [POOL], apps: [{ name: 'tool', kind: 'Pod' }] });
    expect(downtimes[0]?.workload).toEqual({ kind: 'Pod', namespace: 'shop', name: 'tool' });
    expect(limits).toContain('Pods without a controller are gone once their node is replaced: shop/tool');
  });

  test('names the team by the first ownership label that is there', () => {
    const owned = policy({ karpenter: { ...policy().karpenter, ownerKeys: ['team', 'owner'] } });
    const { downtimes } = forecastOf({ pools: [POOL], apps: [{ name: 'solo', ownLabels: { owner: 'checkout' } }] }, { policy: owned });
    expect(downtimes[0]?.workload.team).toBe('checkout');
  });
});

describe('room', () => {
  test('a volume keeps its pod in its zone: no room there, no replacement', () => {
    const tight: ClusterOf = {
      pools: [{ ...POOL, nodes: 2, zones: ['eu-1a', 'eu-1b'], limits: { cpu: '3' }, budgets: [{ nodes: '1' }] }],
      apps: [
        { name: 'db', kind: 'StatefulSet', cpu: '3', volume: true, on: ['general-0'] },
        { name: 'web', cpu: '500m', on: ['general-1'] },
      ],
    };
    const { blockers, nodesReplaced } = forecastOf(tight);
    expect(blockers.map(({ pod, reason }) => `${pod.name} ${reason}`)).toEqual(['db-0 no-room']);
    expect(nodesReplaced).toEqual([{ owner: 'karpenter', name: 'general', count: { p50: 1, p90: 1 } }]);
  });

  test('a NodePool beyond its limit launches nothing', () => {
    const { blockers, nodesReplaced } = forecastOf({
      pools: [{ ...POOL, nodes: 3, limits: { cpu: '11' } }],
      apps: [{ ...FULL, replicas: 3 }],
    });
    expect(blockers.map(({ reason }) => reason)).toEqual(['no-room', 'no-room', 'no-room']);
    expect(nodesReplaced).toEqual([]);
  });

  test('one replica more that finds no node frees nothing: its nodes are skipped, not asked about until the roll is given up', () => {
    const { gates, nodesReplaced } = forecastOf(
      { pools: [{ ...POOL, nodes: 3, limits: { cpu: '12' } }], apps: [{ ...FULL, replicas: 3, budget: { minAvailable: 3 } }] },
      { runs: 1 },
    );
    expect(gates.filter(({ title }) => title.includes('failed'))).toEqual([]);
    expect(gates.filter(({ title }) => title === 'Nodes cannot be replaced: what now?').length).toBeLessThan(4);
    expect(nodesReplaced).toEqual([]);
  });

  // What is being replaced does not count: a real Karpenter replaces all three at a time (test/real/forecast, fc-full).
  test('a NodePool at its limit is replaced, one for one', () => {
    const { blockers, nodesReplaced } = forecastOf({
      pools: [{ ...POOL, nodes: 3, limits: { cpu: '12' } }],
      apps: [{ ...FULL, replicas: 3 }],
    });
    expect(blockers).toEqual([]);
    expect(nodesReplaced).toEqual([{ owner: 'karpenter', name: 'general', count: { p50: 3, p90: 3 } }]);
  });

  test('a terminationGracePeriod forces what do-not-disrupt keeps', () => {
    const { blockers, nodesReplaced } = forecastOf({
      pools: [{ ...POOL, nodes: 1, terminationGracePeriod: '5m' }],
      apps: [{ name: 'job', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }],
    });
    expect(blockers.length).toBeLessThanOrEqual(1);
    expect(nodesReplaced).toEqual([{ owner: 'karpenter', name: 'general', count: { p50: 1, p90: 1 } }]);
  });

  test('addresses that a zone does not have are named', () => {
    const { peak } = forecastOf({ ...cluster, calls: [subnets({ 'eu-1a': 0, 'eu-1b': 500, 'eu-1c': 500 })] });
    expect(peak.shortOfAddresses).toEqual([{ zone: 'eu-1a', needed: expect.any(Number), free: 0 }]);
    expect(peak.extraNodes.p50).toBeGreaterThan(0);
    expect(peak.extraVcpus.p50).toBe(peak.extraNodes.p50 * 4);
  });
});

test('a node that is not Ready uses up its pool’s budget: the roll ends in a failure, and people skip the step', () => {
  const snapshot = clusterSnapshot({ pools: [{ ...POOL, nodes: 3, budgets: [{ nodes: '1' }] }] });
  const [node] = snapshot.objects.get('v1 nodes') ?? [];
  Object.assign(node ?? {}, { status: { ...(node?.['status'] as object), conditions: [{ type: 'Ready', status: 'False' }] } });
  const { gates, nodesReplaced } = forecastOf({ pools: [{ ...POOL, nodes: 3 }] }, { snapshot, runs: 1 });
  expect(nodesReplaced).toEqual([]);
  expect(gates.slice(-2).map(({ why, assumed }) => `${why}: ${assumed}`)).toEqual([
    'Nodes are not replaced within 12 h: a retry',
    'Nodes are not replaced within 12 h: the step is skipped',
  ]);
});

test('what comes on top is counted from the cluster as it is', () => {
  const { peak } = forecastOf({ pools: [{ ...POOL, nodes: 3, budgets: [{ nodes: '1' }] }], apps: [{ ...FULL, replicas: 3 }] });
  // A node, and two bodies of the pod that moves.
  expect(peak.extraAddresses.p90).toBeLessThanOrEqual(4);
  expect(peak.extraNodes.p90).toBeLessThanOrEqual(3);
});

describe('node groups', () => {
  const group = { name: 'system', nodes: 3, zones: ['eu-1a', 'eu-1b'] };

  test('twice the zones come first, and the size is as before at the end', () => {
    const { peak, nodesReplaced, nodesOverTime } = forecastOf({ groups: [group], apps: [{ name: 'web', replicas: 3 }] });
    expect(peak.extraNodes).toEqual({ p50: 4, p90: 4 });
    expect(nodesReplaced).toEqual([{ owner: 'node-group', name: 'system', count: { p50: 3, p90: 3 } }]);
    expect(nodesOverTime.at(-1)).toMatchObject({ old: 0, new: 3, coming: 0 });
  });

  test('MINIMAL launches none first, and takes no longer', () => {
    const minimal = forecastOf({ groups: [{ ...group, updateConfig: { maxUnavailable: 1, updateStrategy: 'MINIMAL' } }] });
    expect(minimal.peak.extraNodes).toEqual({ p50: 0, p90: 0 });
    expect(minimal.nodesOverTime.at(-1)).toMatchObject({ old: 0, new: 3, coming: 0 });
  });

  test('more at a time take less; a percentage rounds up', () => {
    const large = { ...group, nodes: 10 };
    const take = (updateConfig: Record<string, unknown>): number =>
      forecastOf({ groups: [{ ...large, updateConfig }] }).steps.find(({ phase }) => phase === 'node-groups')?.takes.p50 ?? 0;
    expect(take({ maxUnavailablePercentage: 33 })).toBeLessThan(take({ maxUnavailable: 1 }) / 2);
  });

  test('a budget that allows nothing fails the update after 15 minutes; it is retried with force', () => {
    const { blockers, gates, nodesReplaced } = forecastOf({ groups: [group], apps: [{ name: 'web', budget: { maxUnavailable: 0 } }] });
    expect(blockers.map(({ pod, reason }) => `${pod.name} ${reason}`)).toEqual(['web-5d8-0 budget']);
    expect(gates.map(({ title, assumed }) => `${title} ${assumed}`)).toContain('Step node-groups failed: what now? a retry with force');
    expect(nodesReplaced).toEqual([{ owner: 'node-group', name: 'system', count: { p50: 3, p90: 3 } }]);
  });
});

test('the same seed gives the same forecast, another one another', () => {
  expect(forecastOf(cluster)).toEqual(forecastOf(cluster));
  expect(forecastOf(cluster, { seed: 2 }).total).not.toEqual(forecastOf(cluster).total);
});

test('steps follow each other, with ten minutes for each gate but the first', () => {
  const { steps, gates, total } = forecastOf(cluster, { runs: 1 });
  const [first, second] = steps;
  expect(gates.map(({ decidedAfterMs }) => decidedAfterMs)).toEqual([0, 10 * MINUTE_MS]);
  expect(second?.startsAfter.p50).toBe((first?.takes.p50 ?? 0) + 10 * MINUTE_MS);
  expect(total.p50).toBe((second?.startsAfter.p50 ?? 0) + (second?.takes.p50 ?? 0));
});

test('what belay.yaml says about a length goes before what was learnt, and that before reports', () => {
  const basis = (of: Parameters<typeof forecastOf>[1]): string | undefined =>
    forecastOf(cluster, { runs: 1, ...of }).steps.find(({ phase }) => phase === 'control-plane')?.basis;
  const learnt = { 'control-plane': { medianMs: 60_000, minMs: 50_000, maxMs: 70_000, count: 3, of: 'cluster' as const } };
  const { timing } = policy();
  expect(basis({})).toBe('reports');
  expect(basis({ learnt })).toBe('learnt');
  expect(basis({ learnt, policy: policy({ timing: { ...timing, expected: { controlPlaneMs: 30_000 } } }) })).toBe('configured');
});

test('calibration says what is measured in the snapshot', () => {
  const { calibration } = forecastOf({ ...cluster, pools: [{ ...POOL, startsMs: [30_000, 40_000, 90_000] }] });
  expect(calibration).toContainEqual({ what: 'from NodeClaim to Ready, NodePool general', basis: 'snapshot', medianMs: 40_000, count: 12 });
  expect(calibration).toContainEqual({
    what: 'from scheduled to Ready, Deployment shop/web',
    basis: 'snapshot',
    medianMs: 10_000,
    count: 12,
  });
});

test('every step of a plan is played', () => {
  const all: PlannedStep[] = rollPlan(cluster).steps;
  expect(forecastOf(cluster).steps.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
});
