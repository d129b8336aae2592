/** The world as a whole: scenarios at rest, what counts as left behind, and controllers that run by themselves. */
import { describe, expect, test } from 'vitest';
import { SCENARIOS } from '../../../rehearsal/scenarios/index.ts';
import { buildWorld } from '../../../rehearsal/world/build.ts';
import { createRunner } from '../../../rehearsal/world/run-controllers.ts';
import { MINUTE_MS, steppedWorld } from '../support.ts';

/** All but those that are full of faults, for readiness checks, and the largest, which is scale-500 with ten times as much of all. */
const SOUND = Object.keys(SCENARIOS).filter((name) => !name.startsWith('readiness') && name !== 'scale-5000');

/** What an accident has left behind before anybody came. */
const LEFT_OVER: Record<string, unknown[]> = {
  'istio-leftover': [
    {
      kind: 'istio-part',
      resource: 'mutatingwebhookconfigurations/istio-sidecar-injector-1-24',
      what: 'belongs to Istio revision 1-24, which is gone',
    },
  ],
};

describe.each(SOUND)('scenario %s', (name) => {
  test('is at rest, healthy, at its first version with what EKS offers at its date, and stays so', () => {
    const built = steppedWorld(name);
    const { world, scenario } = built;
    for (const addOn of world.eks.addOns) {
      expect(world.eks.addOnCatalogue[addOn.name]?.find((v) => v.version === addOn.version)?.minors).toContain(scenario.from);
    }
    expect(world.eks.versions.map((v) => v.version)).toContain(scenario.to);
    built.step(30 * MINUTE_MS);
    expect(world.store.list('pods').filter((p) => p.status.phase !== 'Running')).toEqual([]);
    expect(world.store.list('nodes').every((n) => n.status.nodeInfo.kubeletVersion.startsWith(`v${scenario.from}.`))).toBe(true);
    expect(world.store.list('nodeclaims').filter((c) => c.metadata.deletionTimestamp !== undefined)).toEqual([]);
    expect(built.diff()).toEqual(LEFT_OVER[name] ?? []);
    expect(world.journal.mutations).toEqual([]);
    // One that is refused is to stay as it is.
    expect(built.unmet().length > 0).toBe(scenario.expectations.controlPlane !== scenario.from);
  });
});

test('seed-000 has thirty-two Karpenter nodes, a node group of three and about twenty budgets', () => {
  const { store } = steppedWorld('seed-000').world;
  expect(store.list('nodeclaims')).toHaveLength(32);
  expect(store.list('nodes', { labels: { 'eks.amazonaws.com/nodegroup': 'default' } })).toHaveLength(3);
  expect(store.list('poddisruptionbudgets').length).toBeGreaterThanOrEqual(20);
});

test('seed-002 has every meshed pod on revision 1-26', () => {
  const { world, scenario } = steppedWorld('seed-002');
  const pods = (scenario.expectations.meshNamespaces ?? []).flatMap((namespace) => world.store.list('pods', { namespace }));
  expect(new Set(pods.map((p) => p.metadata.annotations?.['istio.io/rev']))).toEqual(new Set(['1-26']));
});

test.each([
  ['an unknown scenario', { scenario: 'seed-999' }, `there is no scenario "seed-999": choose one of ${Object.keys(SCENARIOS).join(', ')}`],
  [
    'an unknown fault',
    { scenario: 'small', faults: ['eks:throttle=often'] },
    '"eks:throttle=often": "often" is not what eks:throttle takes; write a number such as 3, or a duration such as 5m.',
  ],
])('%s is refused by name', (_what, options, message) => {
  expect(() => buildWorld({ speed: 60, ...options })).toThrow(new RangeError(message));
});

describe('left behind', () => {
  test.each<[string, (store: ReturnType<typeof steppedWorld>['world']['store']) => void, string[]]>([
    [
      'a budget entry',
      (store) =>
        store.update('nodepools', 'default', undefined, (c) => void c.spec.disruption.budgets.push({ nodes: '0', reasons: ['Drifted'] })),
      ['budgets nodepools/default: budgets differ from before'],
    ],
    [
      'an empty list where the field was absent',
      (store) => store.update('nodepools', 'burst', undefined, (c) => void (c.spec.disruption.budgets = [])),
      ['budgets nodepools/burst: budgets differ from before'],
    ],
    [
      'a before-image',
      (store) =>
        store.update(
          'nodepools',
          'default',
          undefined,
          (c) => void (c.metadata.annotations = { ...c.metadata.annotations, 'belay.dev/before': '[]' }),
        ),
      ['annotation nodepools/default: belay.dev/before is still there'],
    ],
    [
      'image ids',
      (store) => store.update('ec2nodeclasses', 'al2023', undefined, (c) => void (c.spec.amiSelectorTerms = [{ id: 'ami-1' }])),
      ['ami-selector ec2nodeclasses/al2023: ami-selector differ from before'],
    ],
    [
      'one replica more',
      (store) => store.update('deployments', 'web', 'storefront', (c) => void (c.spec.replicas = 5)),
      ['replicas deployments/storefront/web: replicas differ from before'],
    ],
    [
      'a namespace that points at nothing',
      (store) =>
        store.update('namespaces', 'docs', undefined, (c) => void (c.metadata.labels = { ...c.metadata.labels, 'istio.io/rev': '1-99' })),
      ['namespace-labels namespaces/docs: label istio.io/rev differs from before'],
    ],
    [
      'half a revision',
      (store) => store.delete('deployments', 'istiod-1-26', 'istio-system'),
      [
        'istio-part mutatingwebhookconfigurations/istio-sidecar-injector-1-26: belongs to Istio revision 1-26, which is gone',
        'istio-part validatingwebhookconfigurations/istio-validator-1-26-istio-system: belongs to Istio revision 1-26, which is gone',
        'istio-part validatingwebhookconfigurations/istiod-default-validator: belongs to Istio revision 1-26, which is gone',
        'istio-part services/istio-system/istiod-1-26: belongs to Istio revision 1-26, which is gone',
        'istio-part poddisruptionbudgets/istio-system/istiod-1-26: belongs to Istio revision 1-26, which is gone',
        'istio-part configmaps/istio-system/istio-1-26: belongs to Istio revision 1-26, which is gone',
        'istio-part configmaps/istio-system/istio-sidecar-injector-1-26: belongs to Istio revision 1-26, which is gone',
      ],
    ],
  ])('%s', (_what, change, expected) => {
    const built = steppedWorld('seed-002');
    change(built.world.store);
    expect(built.diff().map((l) => `${l.kind} ${l.resource}: ${l.what}`)).toEqual(expected);
  });

  test('a held and cordoned node', () => {
    const built = steppedWorld('small');
    const name = built.world.store.list('nodes')[0]?.metadata.name ?? '';
    built.world.store.update('nodes', name, undefined, (copy) => {
      copy.spec.unschedulable = true;
      copy.metadata.annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
    });
    expect(built.diff().map((l) => l.kind)).toEqual(['cordon', 'do-not-disrupt']);
  });

  test('restarts, new images and new revisions are what an upgrade is for', () => {
    const built = steppedWorld('seed-002');
    built.world.store.update('deployments', 'web', 'storefront', (copy) => {
      copy.spec.template.metadata.annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-07-10T02:00:00Z' };
    });
    expect(built.diff()).toEqual([]);
  });
});

describe('running by itself', () => {
  test('moves in world time until it is stopped', async () => {
    const built = buildWorld({ scenario: 'small', speed: 3600 });
    built.world.eks.cluster.version = '1.32';
    built.start();
    while (built.world.store.list('nodeclaims').every((c) => c.metadata.deletionTimestamp === undefined))
      await new Promise((resolve) => setTimeout(resolve, 10));
    built.stop();
    const { length } = built.world.journal.events;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(built.world.journal.events).toHaveLength(length);
  });

  test('a controller that throws is told of once and does not stop the others', async () => {
    const { world } = steppedWorld('small');
    let ticks = 0;
    const runner = createRunner(world, [
      {
        name: 'broken',
        everyMs: 1,
        tick: () => {
          throw new Error('oops');
        },
      },
      { name: 'sound', everyMs: 1, tick: () => void (ticks += 1) },
    ]);
    runner.start();
    while (ticks < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    runner.stop();
    expect(world.journal.events.map((e) => e.text)).toEqual(["the twin's broken controller failed: oops"]);
  });
});
