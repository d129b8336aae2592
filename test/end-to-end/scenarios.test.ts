/** Whole upgrades, judged by the twin's own objects and by what its stand-ins received. */
import { describe, expect, test } from 'vitest';
import { kubeletMinor } from '../../rehearsal/controllers/nodes.ts';
import { SCENARIOS } from '../../rehearsal/scenarios/index.ts';
import type { KubeObject } from '../../rehearsal/kubernetes/store.ts';
import { describeWithHelm } from '../support/tools.ts';
import { reportShape } from './support/report-shape.ts';
import { type Frozen, type Rehearsed, rehearsed } from './support/rehearsal.ts';

const LIMIT_MS = 720_000;

/** What holds for every scenario. */
function expectUpgraded(run: Rehearsed, hops: string[]): void {
  const { report, world } = run;
  const scenario = SCENARIOS[report.scenario];
  expect([run.ok, run.why]).toEqual([true, '']);
  expect(reportShape.safeParse(run.json).error?.issues).toBeUndefined();
  expect(report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [], killed: [], from: scenario?.from, to: scenario?.to });
  expect(report.steps.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(report.steps.map(({ id }) => `${id} completed`));
  expect(world.eks.cluster).toMatchObject({ version: report.to, status: 'ACTIVE' });
  expect(new Set(world.store.list('nodes').map(kubeletMinor))).toEqual(new Set([report.to]));
  expect(world.eks.nodeGroups.map(({ version }) => version)).toEqual(world.eks.nodeGroups.map(() => report.to));
  expect(run.budgets.after).toEqual(run.budgets.before);
  const moves = report.mutations.filter(({ operation, accepted }) => operation === 'UpdateClusterVersion' && accepted);
  expect(moves).toHaveLength(hops.length);
  expect(
    world.eks.updates
      .filter(({ resource }) => resource.kind === 'cluster')
      .map(({ status, params }) => [status, params.find(({ type }) => type === 'Version')?.value]),
  ).toEqual(hops.map((hop) => ['Successful', hop]));
  // Temporal suggests a new run from 4,096 events on. The busier the machine, the more tasks what is done is spread over.
  expect(report.historyEvents).toBeLessThan(2_500);
  expect(report.historyBytes).toBeLessThan(2_000_000);
}

const isWithin = ({ from, to }: Frozen, at: string): boolean => from < at && (to === undefined || at < to);

/** Karpenter replaced nodes for drift after the freeze was lifted, and none before. */
function expectFreezeHeld({ report, world, frozen }: Rehearsed): void {
  const moved = report.mutations.filter(({ operation, accepted }) => operation === 'UpdateClusterVersion' && accepted).map(({ at }) => at);
  const drifted = world.journal.events.filter(({ text }) => /^Karpenter replaces .+Drift|: drifted$/.test(text));
  expect(drifted.length).toBeGreaterThan(0);
  for (const at of moved) expect(frozen.some((span) => isWithin(span, at))).toBe(true);
  const during = drifted.filter(({ at }) => frozen.some((span) => isWithin(span, at)));
  expect(during).toEqual([]);
  const first = moved[0] ?? '';
  const claims = world.store.list('nodeclaims').filter(({ metadata }) => (metadata.creationTimestamp ?? '') > first.slice(0, 19));
  for (const { metadata } of claims) {
    const created = metadata.creationTimestamp ?? '';
    expect(frozen.filter(({ from, to }) => isWithin({ from: from.slice(0, 19), to: to?.slice(0, 19) }, created))).toEqual([]);
  }
}

const podsOf = (world: Rehearsed['world'], namespaces: readonly string[]): KubeObject[] =>
  namespaces.flatMap((namespace) => world.store.list('pods', { namespace }));

/** The mesh is at revision 1-30, and of those before nothing is left. Returns how many pods it has. */
function expectMeshMoved({ world, report }: Rehearsed): number {
  const { meshNamespaces = [] } = SCENARIOS[report.scenario]?.expectations ?? {};
  const pods = podsOf(world, meshNamespaces);
  expect(new Set(pods.map(({ metadata }) => metadata.annotations?.['istio.io/rev']))).toEqual(new Set(['1-30']));
  expect(new Set(pods.map(proxyImage))).toEqual(new Set(['docker.io/istio/proxyv2:1.30.2']));
  expect(world.store.list('deployments', { labels: { app: 'istiod' } }).map(({ metadata }) => metadata.name)).toEqual(['istiod-1-30']);
  for (const plural of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']) {
    const text = JSON.stringify(world.store.list(plural));
    expect(text).toContain('istiod-1-30');
    expect(text).not.toMatch(/istiod-1-2\d/);
  }
  expect(meshNamespaces.map((name) => world.store.get('namespaces', name)?.metadata.labels?.['istio.io/rev'])).toEqual(
    meshNamespaces.map(() => '1-30'),
  );
  return pods.length;
}

describe('seed-000', () => {
  test(
    '1.31 → 1.32 with Karpenter, a node group and a service that blocks its node',
    async () => {
      const run = await rehearsed({ scenario: 'seed-000' });
      expectUpgraded(run, ['1.32']);
      expectFreezeHeld(run);
      expect(run.wallSeconds).toBeLessThan(120);
      // The service that blocks its node was scaled by one and back, as the persona chose.
      expect(run.report.gates.filter(({ id }) => id.startsWith('blocked:')).map(({ choice }) => choice)).toEqual(['scale']);
      expect(run.world.store.get('deployments', 'license-server', 'internal')?.spec?.replicas).toBe(1);
      expect(run.report.gates.every(({ by }) => by === 'U0SAM')).toBe(true);
    },
    LIMIT_MS,
  );

  test(
    'the incident: Atlantis dies in the middle of its apply, and the run completes without an update of its own',
    async () => {
      const run = await rehearsed({ scenario: 'seed-000-terraform' });
      expectUpgraded(run, ['1.32']);
      expectFreezeHeld(run);
      expect(run.world.journal.events.map(({ text }) => text)).toContain(
        'Atlantis dies in the middle of its apply: the run log is lost, the EKS update goes on',
      );
      const eks = run.report.mutations.filter(({ api }) => api === 'eks');
      expect(eks.filter(({ token }) => token?.startsWith('belay-'))).toEqual([]);
      expect(eks.map(({ operation }) => operation)).toEqual(
        expect.arrayContaining(['UpdateClusterVersion', 'UpdateNodegroupVersion', 'UpdateAddon']),
      );
    },
    LIMIT_MS,
  );
});

describe('seed-002', () => {
  test(
    '1.32 → 1.34 with Istio by canary revisions',
    async () => {
      const run = await rehearsed({ scenario: 'seed-002' });
      expectUpgraded(run, ['1.33', '1.34']);
      expectFreezeHeld(run);
      expect(expectMeshMoved(run)).toBeGreaterThan(20);
      // A gate after every wave, and one before each retirement.
      expect(run.report.gates.filter(({ id }) => id.startsWith('wave:')).length).toBeGreaterThanOrEqual(6);
      expect(run.report.gates.filter(({ id }) => id.startsWith('retire:'))).toHaveLength(2);
    },
    LIMIT_MS,
  );
});

describeWithHelm('whole', () => {
  test(
    '1.33 → 1.34 with thirty Karpenter nodes and a mesh by Helm, as it also runs on real parts',
    async () => {
      const run = await rehearsed({ scenario: 'whole' });
      expectUpgraded(run, ['1.34']);
      expectFreezeHeld(run);
      expect(expectMeshMoved(run)).toBe(6);
      expect(run.world.store.list('nodeclaims')).toHaveLength(30);
      expect(run.report.gates.filter(({ id }) => id.startsWith('retire:'))).toHaveLength(2);
    },
    LIMIT_MS,
  );
});

describeWithHelm('small-istio-cni', () => {
  test(
    '1.33 → 1.34: istio-cni and ztunnel follow each istiod, never ahead of one, and their releases by Helm are whole',
    async () => {
      const run = await rehearsed({ scenario: 'small-istio-cni' });
      expectUpgraded(run, ['1.34']);
      expect(expectMeshMoved(run)).toBe(4);
      const { store, journal } = run.world;
      const images = store.list('daemonsets', { namespace: 'istio-system' }).map(({ spec }) => spec?.template.spec.containers[0].image);
      expect(images).toEqual(['docker.io/istio/install-cni:1.30.2', 'docker.io/istio/ztunnel:1.30.2']);
      const order = journal.mutations
        .filter(({ operation, accepted }) => accepted && /^(?:patch daemonsets|(?:create|delete) deployments)$/.test(operation))
        .map(({ operation, resource }) => `${operation.split(' ')[0]} ${resource.split('/').at(-1)}`);
      expect(order).toEqual(
        ['1-28', '1-29', '1-30'].flatMap((revision, index) => [
          `create istiod-${revision}`,
          `delete istiod-1-${27 + index}`,
          'patch istio-cni-node',
          'patch ztunnel',
        ]),
      );
      expect(run.report.gates.filter(({ id }) => id.startsWith('agents:'))).toHaveLength(3);
    },
    LIMIT_MS,
  );
});

function proxyImage(pod: KubeObject): string | undefined {
  const containers: { name: string; image: string }[] = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  return containers.find(({ name }) => name === 'istio-proxy')?.image;
}
