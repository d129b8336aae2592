/** The worker dies in each thing that people had done by a button: made once, undone once, nothing left. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ISTIO_NAMESPACE } from '../../../rehearsal/controllers/istio/revisions.ts';
import { addMesh, meshScenario } from '../../../rehearsal/scenarios/parts/mesh-parts.ts';
import { addRoll, rollScenario } from '../../../rehearsal/scenarios/parts/roll-parts.ts';
import type { Scenario } from '../../../rehearsal/scenarios/scenario.ts';
import type { Mutation } from '../../../rehearsal/world/journal.ts';
import type { World } from '../../../rehearsal/world/world.ts';
import type { Play } from '../support/play.ts';
import { expectReportsNothing, expectRestored } from '../support/promises.ts';
import { houses, Theatre } from '../support/theatre.ts';

/** Each kill costs a restart, which counts as time of the roll. */
const LIMIT_MS = 840_000;
const SERVICES = ['ledger', 'vault', 'queue'];
/** Three nodes, each held by a service of one replica. */
const held = rollScenario({
  name: 'held',
  title: 'Three services of one replica',
  description: 'Each holds its node.',
  expectations: { controlPlane: '1.32', kubelets: '1.31' },
  build: (world) =>
    addRoll(world, {
      nodes: 3,
      budgets: [{ nodes: '3' }],
      apps: SERVICES.map((name) => ({ namespace: 'shop', name, replicas: 1, cpu: '2500m', budget: { minAvailable: 1 } })),
    }),
});

function addByHand(world: World): void {
  addMesh(world);
  const labels = { app: 'db' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'db', image: 'registry.example.com/docs/db:1' }] } };
  world.store.create('statefulsets', {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db', namespace: 'docs' },
    spec: { replicas: 2, serviceName: 'db', selector: { matchLabels: labels }, updateStrategy: { type: 'OnDelete' }, template },
  });
  world.store.create('rollouts', {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { name: 'api', namespace: 'docs' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'api' } },
      template: { metadata: { labels: { app: 'api' } }, spec: { containers: [] } },
    },
  });
}
const byHand: Scenario = {
  ...meshScenario,
  name: 'by-hand',
  title: 'A set and a Rollout',
  description: 'Moved by hand.',
  build: addByHand,
};

let theatre: Theatre;
let play: Play;
beforeAll(async () => {
  theatre = await Theatre.open({
    ...houses('held', 3, { scenario: held, timing: { driftTimeout: 280_000 } }),
    hands: { scenario: byHand },
  });
}, 360_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

const of =
  (operation: string, resource: RegExp) =>
  (one: Mutation): boolean =>
    one.operation === operation && resource.test(one.resource);

/** SIGKILL when each of these is accepted for the first time, before it is answered. */
function killAt(moments: Record<string, (one: Mutation) => boolean>): string[] {
  const killed: string[] = [];
  play.world.journal.onMutation((one) => {
    for (const [name, isIt] of Object.entries(moments)) {
      if (!one.accepted || killed.includes(name) || !isIt(one)) continue;
      killed.push(name);
      theatre.kill('worker');
      return;
    }
  });
  return killed;
}

const times = (isIt: (one: Mutation) => boolean): number => play.accepted('kubernetes').filter(isIt).length;

const scaled = of('patch deployments', /^deployments\/shop\//);
const deleted = of('delete pods', /^pods\/shop\//);
const marked = of('patch nodes', /^nodes\//);

/** Whose pods: each pod once. One that comes back on an old node, before Karpenter taints it, is another pod, and asked about again. */
function servicesDeleted(): string[] {
  const pods = play
    .accepted('kubernetes')
    .filter(deleted)
    .map(({ resource }) => resource);
  expect(new Set(pods).size).toBe(pods.length);
  return [...new Set(pods.map((pod) => pod.replace(/-[^/]+$/, '')))];
}

test.each([
  // There and back.
  ['scale', 'held-1', { scale: scaled, back: (one: Mutation) => scaled(one) && times(scaled) > SERVICES.length }, [6, 0, 0]],
  // A node is cordoned before, so that its pod starts elsewhere, and is replaced.
  [
    'delete-pod',
    'held-2',
    { cordon: marked, delete: deleted, last: (one: Mutation) => deleted(one) && times(deleted) === SERVICES.length },
    [0, 3, 3],
  ],
  // A node is held, and given back.
  ['skip-node', 'held-3', { skip: marked, back: (one: Mutation) => marked(one) && times(marked) > SERVICES.length }, [0, 0, 6]],
])(
  'three nodes held by services: %s',
  async (choice, cluster, moments, made) => {
    let asked = 0;
    play = await theatre.play(cluster, {
      decide(gate) {
        if (!gate.startsWith('blocked:')) return gate.startsWith('failed:validation') ? 'skip' : undefined;
        asked += 1;
        return choice;
      },
    });
    const killed = killAt(moments);
    await play.start();
    expect(await play.closed(LIMIT_MS - 60_000)).toBe('COMPLETED');
    expect(asked).toBeGreaterThan(0);
    expect(killed).toEqual(Object.keys(moments));
    expect([times(scaled), servicesDeleted().length, times(marked)]).toEqual(made);
    await expectRestored(play);
    expectReportsNothing(play);
  },
  LIMIT_MS,
);

test(
  'an OnDelete set rolled pod by pod, a Rollout restarted',
  async () => {
    const deleted = of('delete pods', /^pods\/docs\/db-/);
    const restarted = of('patch rollouts', /^rollouts\/docs\/api$/);
    play = await theatre.play('hands', {
      decide: (gate) => (gate.endsWith('.pods#1') ? 'roll' : gate === 'before:control-plane@1.35#1' ? 'reject' : undefined),
    });
    const killed = killAt({ restart: restarted, first: deleted, second: (one) => deleted(one) && times(deleted) > 1 });
    await play.start();
    expect(await play.closed(LIMIT_MS - 60_000)).toBe('COMPLETED');
    expect(killed).toEqual(['restart', 'first', 'second']);
    expect([times(restarted), times(deleted)]).toEqual([1, 2]);
    const revisions = play.world.store.list('pods', { namespace: 'docs' }).map(({ metadata }) => metadata.annotations?.['istio.io/rev']);
    expect(new Set(revisions)).toEqual(new Set(['1-30']));
    expect(play.world.store.list('deployments', { namespace: ISTIO_NAMESPACE }).length).toBeGreaterThan(0);
    expectReportsNothing(play);
  },
  LIMIT_MS,
);
