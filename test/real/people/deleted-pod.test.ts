/** Three nodes of a real Karpenter, each full with the only pod of a service: people have the pods deleted, and a real scheduler starts them elsewhere. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { karpenterThirty } from '../../../rehearsal/scenarios/karpenter/karpenter-thirty.ts';
import { addNodePool } from '../../../rehearsal/scenarios/parts/karpenter-parts.ts';
import { addApp } from '../../../rehearsal/scenarios/parts/workload-parts.ts';
import type { Scenario } from '../../../rehearsal/scenarios/scenario.ts';
import { expectReportsNothing, expectRestored } from '../../end-to-end/support/promises.ts';
import { addGround, inPool } from '../support/karpenter-ground.ts';
import { openRealPlay, type RealPlay } from '../support/theatre.ts';

const LIMIT_MS = 20 * 60_000;
const SERVICES = ['ledger', 'queue', 'vault'];

const scenario: Scenario = {
  ...karpenterThirty,
  name: 'held-3',
  title: 'Three services of one replica',
  description: 'Each fills its node.',
  cluster: { ...karpenterThirty.cluster, name: 'held-3' },
  karpenter: { paces: ['100%'] },
  prometheus: 'none',
  build(world) {
    addGround(world);
    addNodePool(world, { name: 'default', nodeClass: 'default', nodes: SERVICES.length, budgets: [{ nodes: '100%' }] });
    // There is no room on an old node but on the one that a pod has just left.
    for (const name of SERVICES) addApp(world, { namespace: 'shop', name, replicas: 1, budget: { minAvailable: 1 }, ...inPool('default') });
  },
};

let real: RealPlay;
const before = new Map<string, string>();

/** By service. */
const nodes = (): [string, string][] =>
  real.play.world.store
    .list('pods', { namespace: 'shop' })
    .map(({ metadata, spec }) => [metadata.name.replace(/-[^-]+-[^-]+$/, ''), String(spec?.nodeName)]);

beforeAll(async () => {
  real = await openRealPlay(
    scenario,
    { decide: (gate) => (gate.startsWith('blocked:') ? 'delete-pod' : undefined) },
    { timing: { driftBlockedAfter: 60_000, driftNamedAfter: 30_000 } },
  );
  for (const [service, node] of nodes()) before.set(service, node);
  await real.play.start();
  await real.play.closed(LIMIT_MS - 60_000);
}, LIMIT_MS);
afterAll(() => real?.close());

test('every service runs on another node, and was deleted once: none came back to the node that was to go', async () => {
  expect(real.play.record().outcome).toBe('completed');
  const deleted = real.play.accepted('kubernetes').filter(({ operation }) => operation === 'delete pods');
  expect(deleted.map(({ resource }) => resource.replace(/-[^-]+-[^-]+$/, '')).toSorted()).toEqual(
    SERVICES.map((name) => `pods/shop/${name}`),
  );
  expect([...before.keys()].toSorted()).toEqual(SERVICES);
  for (const [service, node] of nodes()) expect(before.get(service)).not.toBe(node);
});

test('nothing is left behind: no cordon, and no mark of one', async () => {
  expectReportsNothing(real.play);
  await expectRestored(real.play);
});
