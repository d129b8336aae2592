/** Health by scrapes of the twin: every check sees what it may read, what it may not read is blind by name, and what fails is seen. */
import { afterEach, describe, expect, test } from 'vitest';
import type { ClusterClients } from '../../../../activities/clients/clusters.ts';
import { tryChecks } from '../../../../activities/observe/health/baseline.ts';
import { createHealthActivities } from '../../../../activities/observe/health/index.ts';
import { healthOf } from '../../../../domain/policy/config/health/health.ts';
import type { HealthCheck } from '../../../../domain/health/checks.ts';
import type { RoleOption } from '../../../../domain/policy/permissions/options.ts';
import { kubernetesRules } from '../../../../rehearsal/world/core/rights.ts';
import { policy as somePolicy } from '../../../support/facts.ts';
import { startTwin, type Twin } from '../../support/twin.ts';

const INTERVAL_MS = 300;
const LIMIT_MS = 360_000;
const { policy: HEALTH } = healthOf([{ interval: INTERVAL_MS }], false);
const WHOLE = { karpenter: {}, istio: {} } as unknown as Parameters<typeof tryChecks>[2];
const named = (name: string): HealthCheck => HEALTH.checks.find((check) => check.name === name) ?? HEALTH.checks[0]!;

let twin: Twin;
const opened: ClusterClients[] = [];
afterEach(async () => {
  for (const clients of opened.splice(0)) await clients.close();
  await twin.close();
});

async function open(scenario: string, roles: RoleOption[]): Promise<void> {
  twin = await startTwin(scenario);
  const rules = kubernetesRules(roles);
  twin.grant({ kubernetes: () => rules });
}

describe('before the upgrade', () => {
  test(
    'a cluster with Karpenter and a mesh: every check sees',
    async () => {
      await open('whole', ['scrapes', 'mesh-scrapes']);
      const tried = await tryChecks(await twin.clients.clusterPorts(twin.ref), HEALTH, WHOLE);
      expect(tried?.filter(({ kind }) => kind !== 'live')).toEqual([]);
      expect(tried?.map(({ name }) => name)).toEqual(HEALTH.checks.map(({ name }) => name));
    },
    LIMIT_MS,
  );

  test(
    'with the base role alone the API server is seen, and all else is blind and says which right it lacks',
    async () => {
      await open('whole', []);
      const tried = await tryChecks(await twin.clients.clusterPorts(twin.ref), HEALTH, WHOLE);
      expect(tried?.filter(({ kind }) => kind === 'live').map(({ name }) => name)).toEqual([
        'api-server-ready',
        'api-server-errors',
        'api-server-latency',
        'api-server-lists',
      ]);
      const blind = new Set(tried?.flatMap((each) => (each.kind === 'blind' ? [each.why] : [])));
      expect([...blind]).toEqual([
        'Belay may not scrape pods of CoreDNS (get on pods/proxy in kube-system; deploy/kubernetes-rbac-scrapes.yaml lets it)',
        'Belay may not scrape pods of Karpenter (get on pods/proxy in kube-system; deploy/kubernetes-rbac-scrapes.yaml lets it)',
        'Belay may not scrape pods of istiod (get on pods/proxy in istio-system; deploy/kubernetes-rbac-mesh-scrapes.yaml lets it)',
      ]);
      expect(tried?.filter(({ kind }) => kind === 'unseen')).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    'without the paths of the API server its checks are blind, too',
    async () => {
      await open('small', []);
      twin.grant({ kubernetes: () => kubernetesRules([]).filter(({ nonResourceURLs }) => nonResourceURLs === undefined) });
      const checks = HEALTH.checks.filter(({ name }) => name.startsWith('api-server-err'));
      const tried = await tryChecks(await twin.clients.clusterPorts(twin.ref), { ...HEALTH, checks }, {});
      expect(tried).toEqual([
        {
          name: 'api-server-errors',
          kind: 'blind',
          why: 'Belay may not scrape the API server (get on the path /metrics; deploy/kubernetes-rbac.yaml lets it)',
        },
      ]);
    },
    LIMIT_MS,
  );

  test(
    'no pod to scrape is blind, not well',
    async () => {
      await open('small', ['scrapes']);
      twin.built.stop();
      for (const { metadata } of twin.built.world.store.list('pods', { labels: { 'k8s-app': 'kube-dns' } }))
        twin.built.world.store.update('pods', metadata.name, metadata.namespace, (copy) => {
          copy['status'] = { phase: 'Pending' };
        });
      const tried = await tryChecks(await twin.clients.clusterPorts(twin.ref), { ...HEALTH, checks: [named('dns-errors')] }, {});
      expect(tried).toEqual([{ name: 'dns-errors', kind: 'blind', why: 'no pods of CoreDNS run' }]);
    },
    LIMIT_MS,
  );
});

test(
  'a watch ends when the API server begins to fail, with how much and how much it was',
  async () => {
    await open('small', []);
    const { world } = twin.built;
    // The update goes on for ever.
    twin.built.stop();
    world.monitoring = { apiServerFails: true };
    const { timing } = somePolicy();
    const activities = createHealthActivities({
      clusterPorts: (cluster) => twin.clients.clusterPorts(cluster),
      judgeWindow: async () => ({ kind: 'open' }),
    });
    const watching = activities.watchHealth({
      cluster: twin.ref,
      timing,
      phase: 'node-groups',
      checks: [
        { check: named('api-server-errors'), baseline: 0 },
        { check: named('api-server-ready'), baseline: 0 },
      ],
    });
    const group = world.eks.nodeGroups[0]?.name ?? '';
    world.eks.updates.push({
      id: 'update-of-a-group',
      resource: { kind: 'node-group', name: group },
      type: 'VersionUpdate',
      status: 'InProgress',
      params: [],
      errors: [],
      createdAtMs: world.clock.nowMs(),
    });
    const trouble = await watching;
    expect(trouble).toMatchObject({ kind: 'fail', checks: ['api-server-errors'] });
    expect(trouble.lines[0]).toMatch(/^api-server-errors: 0\.\d+, limit > 0\.01, before the upgrade 0 \(3 of the last \d readings\)$/);
  },
  LIMIT_MS,
);
