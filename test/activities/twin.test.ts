/** The activities against the twin, over the wire: what they read of the seeds' clusters, and one hop of a control plane. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCheckActivities } from '../../activities/observe/checks/index.ts';
import { createEksActivities } from '../../activities/eks/index.ts';
import { inspectCluster } from '../../activities/observe/inspect/inspect-cluster.ts';
import { createPlanningActivities } from '../../activities/run/planning/planning.ts';
import { createVersionActivities } from '../../activities/run/planning/fleet-versions.ts';
import type { OrderVerdict } from '../../domain/policy/environments.ts';
import { targetsFrom } from '../../domain/run/fleet.ts';
import { verdictOf } from '../../domain/core/findings.ts';
import type { StepId } from '../../domain/core/phases.ts';
import type { ReadinessSettings } from '../../domain/readiness/model/settings.ts';
import { policy } from '../support/facts.ts';
import { QUICK } from './support/timing.ts';
import { startTwin, type Twin } from './support/twin.ts';

const PASSED: OrderVerdict = { status: 'pass', lines: ['staging is at 1.33, upgraded 2026-01-05 (10 days ago)'] };
const judgeOrder = async (): Promise<OrderVerdict> => PASSED;

const inspect = async ({ clients, ref }: Twin) =>
  inspectCluster({ aws: clients.aws(ref), ports: await clients.clusterPorts(ref), ref, onTransient: 'unknown' });

describe('seed-002', () => {
  let twin: Twin;
  beforeAll(async () => {
    twin = await startTwin('seed-002');
  });
  afterAll(() => twin.close());

  test('everything about it is read', async () => {
    const facts = await inspect(twin);
    expect(facts.unknowns).toEqual([]);
    expect(facts.controlPlane).toMatchObject({ version: '1.32', status: 'ACTIVE' });
    expect(facts.nodeGroups.map(({ name, version }) => [name, version])).toEqual([['system', '1.32']]);
    expect(facts.addOns.map(({ name }) => name).toSorted()).toEqual(['aws-ebs-csi-driver', 'coredns', 'kube-proxy', 'vpc-cni']);
    expect(facts.addOns.every(({ offered }) => (offered['1.33']?.length ?? 0) > 0)).toBe(true);
    expect(facts.kubelets.map(({ minor, owner, count }) => [minor, owner, count])).toEqual(
      expect.arrayContaining([
        ['1.32', 'node-group', 2],
        ['1.32', 'karpenter', 12],
      ]),
    );
    expect(facts.karpenter).toMatchObject({ version: '1.0.2', expiringSoonCount: 0 });
    expect(facts.karpenter?.nodePools.map(({ name, nodeCount, budgets }) => [name, nodeCount, budgets])).toEqual(
      expect.arrayContaining([
        ['default', 8, [{ nodes: '10%' }]],
        ['burst', 4, undefined],
      ]),
    );
    expect(facts.istio?.revisions).toMatchObject([{ revision: '1-26', version: '1.26.2', ready: true }]);
    expect(facts.istio?.namespaces).toHaveLength(8);
    expect(facts.istio?.hasCniOrZtunnel).toBe(false);
  });

  test('what may not be read is unknown, with the permission that is missing', async () => {
    // A client of its own: right after an allowed call a 403 counts as transient.
    const strict = await startTwin('seed-002');
    const resources = strict.built.world.store.types().flatMap(({ plural }) => (['nodepools', 'nodes'].includes(plural) ? [] : plural));
    strict.grant({ kubernetes: () => [{ verbs: ['*'], apiGroups: ['*'], resources }] });
    const { unknowns, karpenter } = await inspect(strict);
    await strict.close();
    expect(unknowns).toEqual([
      { part: 'nodes', what: 'the nodes', why: expect.stringContaining('not permitted: it needs list on nodes'), denied: true },
      {
        part: 'node-pools',
        what: 'the Karpenter NodePools',
        why: expect.stringContaining('not permitted: it needs list on nodepools.karpenter.sh'),
        denied: true,
      },
    ]);
    expect(karpenter?.version).toBe('1.0.2');
  });

  test('it can be planned to 1.34', async () => {
    const planning = createPlanningActivities({
      ...twin.clients,
      policyOf: () => policy(),
      store: { newest: async () => [], read: async () => undefined },
      windows: { judgeOrder },
    });
    const result = await planning.makePlan({ cluster: twin.ref, target: '1.34', policy: policy({ cluster: twin.ref }) });
    expect(result.kind === 'plan' ? result.plan.hops : result.violations).toEqual(['1.33', '1.34']);
    expect(result.kind === 'plan' ? result.plan.findings.find(({ code }) => code === 'PLN005')?.message : '').toBe(
      'removed APIs. The pre-checks of each hop look for them.',
    );
  });

  test.each<[string, () => Promise<OrderVerdict>, OrderVerdict]>([
    ['as it is judged', judgeOrder, PASSED],
    [
      'unknown where it cannot be judged',
      () => Promise.reject(Object.assign(new Error('no such cluster'), { name: 'ResourceNotFoundException' })),
      { status: 'unknown', lines: [expect.stringContaining('no such cluster')] },
    ],
  ])('a plan says whether the environment before it has baked: %s', async (_name, judge, verdict) => {
    const after = { environment: 'staging', clusters: [{ ...twin.ref, name: 'staging' }], bakedDays: 3 };
    const planning = createPlanningActivities({
      ...twin.clients,
      policyOf: () => policy(),
      store: { newest: async () => [], read: async () => undefined },
      windows: { judgeOrder: judge },
    });
    const result = await planning.makePlan({ cluster: twin.ref, target: '1.33', policy: policy({ cluster: twin.ref, after }) });
    expect(result.kind === 'plan' ? result.order : undefined).toEqual({ environment: 'staging', bakedDays: 3, ...verdict });
  });

  test('versions at a glance: EKS’s own calendar and clock; a cluster that is not there says so and holds up no other', async () => {
    const { readVersions } = createVersionActivities(twin.clients);
    const { readAt, clusters, offered } = await readVersions({ clusters: [{ ...twin.ref, name: 'gone' }, twin.ref] });
    expect(clusters).toEqual([
      { name: 'gone', why: expect.stringContaining('gone') },
      { name: twin.ref.name, version: '1.32', supportType: 'EXTENDED' },
    ]);
    expect(readAt.slice(0, 10)).toBe(twin.built.world.clock.now().toISOString().slice(0, 10));
    expect(targetsFrom('1.32', offered)[0]).toEqual({
      minor: '1.33',
      endOfStandardSupport: '2026-07-29',
      endOfExtendedSupport: '2027-07-29',
    });
  });

  test('A18: without free addresses in two zones, or a security group, there is no plan', async () => {
    const { network } = twin.built.world.eks;
    const before = { ...network };
    network.subnets = network.subnets.map((subnet) => ({ ...subnet, freeAddresses: 4 }));
    network.securityGroups = [];
    const planning = createPlanningActivities({
      ...twin.clients,
      policyOf: () => policy(),
      store: { newest: async () => [], read: async () => undefined },
      windows: { judgeOrder },
    });
    const result = await planning.makePlan({ cluster: twin.ref, target: '1.34', policy: policy({ cluster: twin.ref }) });
    Object.assign(network, before);
    expect(result).toMatchObject({
      kind: 'refused',
      violations: expect.arrayContaining([
        expect.objectContaining({ rule: 'free-ip-addresses' }),
        expect.objectContaining({ rule: 'control-plane-dependencies-present', message: expect.stringContaining('security-group') }),
      ]),
    });
  });
});

/** Nothing is waived, and nothing optional is read. */
const SETTINGS: ReadinessSettings = { waivers: [], optional: false };
const LATER: StepId[] = ['karpenter-controller@1.32', 'control-plane@1.32', 'karpenter-drift@1.32'];

describe('one hop of seed-000', () => {
  let twin: Twin;
  beforeAll(async () => {
    twin = await startTwin('seed-000');
  });
  afterAll(() => twin.close());

  test('K16 K18: its lone replicas are named, and so is a cluster autoscaler', async () => {
    const labels = { app: 'cluster-autoscaler' };
    const containers = [{ name: 'main', image: 'registry.k8s.io/autoscaling/cluster-autoscaler:v1.31.0' }];
    twin.built.world.store.create('deployments', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'cluster-autoscaler', namespace: 'kube-system' },
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
    });
    const { clients, ref } = twin;
    const cluster = { cluster: ref, timing: QUICK, policy: policy({ cluster: ref }) };
    const checks = createCheckActivities({ ...clients, readinessOf: () => SETTINGS });
    const { findings } = await checks.runPreChecks({ ...cluster, from: '1.31', to: '1.32' });
    expect(findings.flatMap(({ code, message, resources }) => (/K8S01[24]/.test(code) ? [message, ...resources] : []))).toEqual([
      '2 workloads with one replica, which is away for about a minute when its node is replaced.',
      'atlantis/atlantis',
      'internal/license-server',
      'A cluster autoscaler is at work (kube-system/cluster-autoscaler): it adds and removes nodes while they are replaced.',
      'kube-system/cluster-autoscaler',
    ]);
  });

  test('checked, started twice with one token, followed, verified', async () => {
    const { ref, clients, built } = twin;
    const eks = createEksActivities(clients);
    const checks = createCheckActivities({ ...clients, readinessOf: () => SETTINGS });
    const common = { cluster: ref, timing: QUICK };

    const managedBy = { ...policy().managedBy, ...built.scenario.managedBy };
    const hop = { from: '1.31', to: '1.32', policy: policy({ cluster: ref, managedBy }), later: LATER };
    const before = await checks.runPreChecks({ ...common, ...hop });
    expect(before.findings.filter(({ severity }) => severity === 'required')).toEqual([]);
    expect(before.findings.filter(({ message }) => message.includes('Step ')).map(({ code }) => code)).toEqual(['K8S018', 'KAR001']);
    expect(before.passedCount).toBeGreaterThan(50);

    const { eks: notBefore } = await checks.readClock({ cluster: ref });
    const wanted = { cluster: ref, to: '1.32', token: 'belay-token', notBefore };
    // As long as it is looked at, it goes on.
    const { tempo } = built.world;
    const { controlPlaneUpdateMs } = tempo;
    tempo.controlPlaneUpdateMs = Number.POSITIVE_INFINITY;
    const first = await eks.startControlPlaneUpdate(wanted);
    const second = await eks.startControlPlaneUpdate(wanted);
    // An update that is under way has changed the cluster already: there is nothing from before to compare with.
    const { before: described, ...started } = first;
    expect(described).toBeDefined();
    expect(second).toEqual({ ...started, adopted: true });
    expect((await checks.readSkew({ cluster: ref })).updating).toBe(true);
    tempo.controlPlaneUpdateMs = controlPlaneUpdateMs;

    const outcome = await eks.awaitUpdate({
      ...common,
      resource: { kind: 'cluster' },
      updateId: first.updateId ?? '',
      to: '1.32',
      timeoutMs: 30_000,
    });
    expect(outcome).toMatchObject({ status: 'Successful', errors: [] });
    const after = await checks.verifyControlPlane({ ...common, to: '1.32' });
    expect(verdictOf(after.findings)).toBe('ready');
    const accepted = built.world.journal.mutations.filter(({ operation, accepted: done }) => operation === 'UpdateClusterVersion' && done);
    expect(accepted.map(({ token }) => token)).toEqual(['belay-token']);
  });
});
