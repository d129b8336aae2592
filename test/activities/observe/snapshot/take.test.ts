/** A snapshot over the wire: what is in the file, what a missing right or an expired list makes of it. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject, KubernetesPort, ListQuery, PrometheusPort } from '../../../../activities/contract/ports.ts';
import { readApiMetrics } from '../../../../activities/observe/readiness/kubernetes/apis.ts';
import { readSnapshotFile } from '../../../../activities/observe/snapshot/read-file.ts';
import { replayedClients } from '../../../../activities/observe/snapshot/replay/clients.ts';
import { SnapshotLineSchema } from '../../../../activities/observe/snapshot/schema.ts';
import { takeSnapshot, type TakeSnapshot, type TakenSnapshot } from '../../../../activities/observe/snapshot/take.ts';
import { LISTS } from '../../../../domain/facts/snapshot/allowed/index.ts';
import { objectsOf, type Snapshot } from '../../../../domain/facts/snapshot/format.ts';
import { EVERYTHING } from '../../../../rehearsal/kubernetes/http/access/rbac.ts';
import { forecastSnapshot } from '../../../../worker/local/snapshots/forecast.ts';
import { QUICK } from '../../support/timing.ts';
import { startTwin, type Twin } from '../../support/twin.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import type { FailureType } from '../../../../domain/core/failure-types.ts';

let twin: Twin;
let directory: string;
let file: string;

beforeAll(async () => {
  twin = await startTwin('seed-002');
});
afterAll(() => twin.close());
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'belay-take-'));
  file = join(directory, 'seed.snapshot.json.gz');
});
afterEach(() => {
  twin.grant({});
  rmSync(directory, { recursive: true, force: true });
});

async function take(
  change: (port: KubernetesPort) => Partial<KubernetesPort> = () => ({}),
  more: Partial<TakeSnapshot> = {},
): Promise<TakenSnapshot> {
  const clients = twin.freshClients();
  try {
    const { kubernetes } = await clients.clusterPorts(twin.ref);
    return await takeSnapshot({
      aws: clients.aws(twin.ref),
      account: clients.account(twin.ref),
      kubernetes: { ...kubernetes, ...change(kubernetes) },
      ref: twin.ref,
      timing: QUICK,
      file,
      belay: '0.1.0',
      ...more,
    });
  } finally {
    await clients.close();
  }
}

const uidsOf = (snapshot: Snapshot, plural: string): string[] =>
  (objectsOf(snapshot, 'v1', plural) ?? []).map(({ metadata }) => metadata.uid);
const uidsIn = ({ built }: Twin, plural: string): string[] => built.world.store.list(plural).map(({ metadata }) => String(metadata.uid));

describe('a whole one', () => {
  test('has every list, every call, and the objects of the cluster', async () => {
    const taken = await take();
    const snapshot = await readSnapshotFile(file);
    expect(taken.gaps).toEqual([]);
    expect(snapshot.header).toMatchObject({ cluster: { name: twin.ref.name }, belay: '0.1.0', anonymized: false });
    expect(snapshot.lists.map(({ plural }) => plural)).toEqual(LISTS.map(({ plural }) => plural));
    expect(snapshot.lists.filter(({ outcome }) => outcome === 'unread')).toEqual([]);
    for (const plural of ['pods', 'nodes', 'namespaces'])
      expect(uidsOf(snapshot, plural).toSorted()).toEqual(uidsIn(twin, plural).toSorted());
    expect([...new Set(snapshot.calls.map(({ operation }) => operation))].toSorted()).toEqual([
      'DescribeAddon',
      'DescribeAddonVersions',
      'DescribeAutoScalingGroups',
      'DescribeCluster',
      'DescribeClusterVersions',
      'DescribeInsight',
      'DescribeInsightsRefresh',
      'DescribeInstances',
      'DescribeKey',
      'DescribeNodegroup',
      'DescribeSecurityGroups',
      'DescribeSubnets',
      'DescribeVolumes',
      'GetRole',
      'GetServiceQuota',
      'ListAddons',
      'ListFargateProfiles',
      'ListInsights',
      'ListNodegroups',
      'ListUpdates',
      'StartInsightsRefresh',
    ]);
  });

  test('each of its lines has the published shape', async () => {
    await take();
    const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
    for (const line of lines) expect(SnapshotLineSchema.safeParse(JSON.parse(line)).error).toBeUndefined();
  });

  test('is for its owner alone, and nothing else is left beside it', async () => {
    await take();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['seed.snapshot.json.gz']);
  });

  test('answers that were asked for twice are in it once', async () => {
    await take();
    const keys = (await readSnapshotFile(file)).calls.map(({ service, operation, input }) => JSON.stringify([service, operation, input]));
    expect(keys).toEqual([...new Set(keys)]);
  });
});

test('of a hub only what it delivers to the cluster itself is kept: the others are of other clusters', async () => {
  const { store } = twin.built.world;
  const application = (name: string, destination: object): void =>
    void store.create('applications', {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name, namespace: 'argocd' },
      spec: { project: 'default', source: { chart: 'karpenter', targetRevision: '1.6.2' }, destination },
    });
  application('hub-own', { server: 'https://kubernetes.default.svc' });
  application('hub-spoke', { server: 'https://0ABC.gr7.eu-west-1.eks.amazonaws.com' });
  application('hub-named', { name: 'staging' });
  try {
    await take();
    const kept = objectsOf(await readSnapshotFile(file), 'argoproj.io/v1alpha1', 'applications') ?? [];
    expect(kept.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('hub-'))).toEqual(['hub-own']);
  } finally {
    for (const name of ['hub-own', 'hub-spoke', 'hub-named']) store.delete('applications', name, 'argocd');
  }
});

test('stopped while it is taken: nothing is left beside its place, either', async () => {
  const controller = new AbortController();
  const taking = take(
    () => ({
      list: () => {
        // Its parts are there, and the API server never answers.
        expect(readdirSync(directory).length).toBeGreaterThan(0);
        controller.abort();
        return new Promise(() => undefined);
      },
    }),
    { signal: controller.signal },
  );
  await expect(taking).rejects.toThrow('Stopped: no snapshot was written');
  expect(readdirSync(directory)).toEqual([]);
});

describe('of Prometheus', () => {
  const ofPrometheus = async (): Promise<Snapshot['metrics']> =>
    (await readSnapshotFile(file)).metrics.filter(({ query }) => query !== 'apiserver_requested_deprecated_apis');
  const samples: Awaited<ReturnType<PrometheusPort['query']>> = [
    { labels: { destination_service_namespace: 'shop', pod: 'web-1', token: 'x' }, value: 1.5 },
    { labels: { destination_service_namespace: 'pays' }, value: Infinity },
  ];
  const asking = (query: PrometheusPort['query']) => {
    const asked: string[] = [];
    const port: PrometheusPort = { query: (promql) => (asked.push(promql), query(promql)) };
    return { asked, port };
  };

  test('the traffic of a mesh is kept, with the labels that the allow-list names', async () => {
    const { asked, port } = asking(async () => samples);
    expect((await take(undefined, { prometheus: port })).gaps).toEqual([]);
    expect(await ofPrometheus()).toEqual([
      { kind: 'metric', query: asked[0], samples: [{ labels: { destination_service_namespace: 'shop' }, value: 1.5 }] },
    ]);
    expect(asked).toHaveLength(1);
  });

  test('without istiod it is not asked', async () => {
    const { asked, port } = asking(async () => samples);
    const withoutMesh = (kubernetes: KubernetesPort): Partial<KubernetesPort> => ({
      list: (query) => (query.labelSelector === 'app=istiod' ? Promise.resolve([]) : kubernetes.list(query)),
    });
    await take(withoutMesh, { prometheus: port });
    expect([asked, await ofPrometheus()]).toEqual([[], []]);
  });

  test.each<[FailureType, object]>([
    ['Unavailable', { why: 'Prometheus could not be asked' }],
    ['AccessDenied', { why: 'Prometheus refuses the token of belay.yaml', denied: true }],
  ])('F53: %s is a gap, never no traffic, and says no address', async (type, why) => {
    const { port } = asking(() => Promise.reject(failureOf(type, 'http://prometheus.internal:9090 did not answer')));
    expect((await take(undefined, { prometheus: port })).gaps).toEqual([{ kind: 'gap', what: 'the traffic by namespace', ...why }]);
    expect([await ofPrometheus(), (await readSnapshotFile(file)).gaps.length]).toEqual([[], 1]);
  });
});

describe('of the API server’s metrics', () => {
  const series = (group: string, version: string, resource: string, count: number): string =>
    `apiserver_requested_deprecated_apis{group="${group}",removed_release="1.32",resource="${resource}",subresource="",version="${version}"} ${count}\n`;

  test('calls of Kubernetes’ own deprecated types are kept; who else’s types are called is nobody’s business', async () => {
    const text = `${series('flowcontrol.apiserver.k8s.io', 'v1beta3', 'flowschemas', 7)}${series('acme.example', 'v1', 'gadgets', 1)}`;
    expect((await take(() => ({ metrics: async () => text }))).gaps).toEqual([]);
    const snapshot = await readSnapshotFile(file);
    const labels = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1beta3', resource: 'flowschemas' };
    expect(snapshot.metrics).toEqual([{ kind: 'metric', query: 'apiserver_requested_deprecated_apis', samples: [{ labels, value: 1 }] }]);
    // Whatever reads a cluster reads them again.
    const { kubernetes } = await replayedClients(snapshot).clusterPorts(snapshot.header.cluster);
    expect(await readApiMetrics(kubernetes)).toEqual([
      { group: 'flowcontrol.apiserver.k8s.io', version: 'v1beta3', kind: 'FlowSchema', from: 'metrics' },
    ]);
  });

  test('F53: without the right to read them they are a gap, never no calls', async () => {
    const taken = await take(() => ({
      metrics: () => Promise.reject(failureOf('AccessDenied', 'reading /metrics: Kubernetes answered 403')),
    }));
    expect(taken.gaps).toEqual([
      { kind: 'gap', what: 'calls of deprecated APIs', why: 'reading /metrics: Kubernetes answered 403', denied: true },
    ]);
    const { kubernetes } = await replayedClients(await readSnapshotFile(file)).clusterPorts(twin.ref);
    await expect(kubernetes.metrics()).rejects.toThrow('the snapshot does not hold /metrics');
  });
});

describe('with less than all', () => {
  test('F53: without the right to list PodDisruptionBudgets they are unread, never none', async () => {
    const rules = EVERYTHING.map((rule) => ({ ...rule }));
    twin.grant({
      kubernetes: () => [
        ...rules.filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0),
        { verbs: ['*'], apiGroups: ['', 'apps', 'batch', 'karpenter.sh', 'karpenter.k8s.aws'], resources: ['*'] },
      ],
    });
    const { lists } = await take();
    const budgets = lists.find(({ plural }) => plural === 'poddisruptionbudgets');
    expect(budgets).toMatchObject({ outcome: 'unread', denied: true, why: expect.stringContaining('poddisruptionbudgets') });
    const snapshot = await readSnapshotFile(file);
    expect(objectsOf(snapshot, 'policy/v1', 'poddisruptionbudgets')).toBeUndefined();
    expect(objectsOf(snapshot, 'v1', 'pods')?.length).toBeGreaterThan(0);
    const result = await forecastSnapshot(snapshot, { target: '1.34', runs: 1, seed: 1 });
    // What it costs is said before anything that rests on it.
    expect(result.kind === 'forecast' ? result.forecast.limits[0] : result).toMatch(
      /^PodDisruptionBudgets were not read: which pods block a drain is unknown, and every eviction is simulated as allowed \(not permitted: .* 403 /,
    );
  });

  test('what AWS does not allow is a gap with its name, and the error is in the calls', async () => {
    twin.grant({ aws: (action) => action !== 'ec2:DescribeSubnets' });
    const { gaps } = await take();
    expect(gaps).toEqual([{ kind: 'gap', what: 'subnets', denied: true, why: expect.stringContaining('ec2:DescribeSubnets') }]);
    const { calls } = await readSnapshotFile(file);
    expect(calls.find(({ operation }) => operation === 'DescribeSubnets')).toMatchObject({ error: { name: expect.any(String) } });
  });

  test('an API server that cannot be reached leaves a snapshot of AWS alone', async () => {
    const { lists } = await take(() => ({ version: () => Promise.reject(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })) }));
    expect(new Set(lists.map(({ outcome }) => outcome))).toEqual(new Set(['unread']));
    expect((await readSnapshotFile(file)).calls.length).toBeGreaterThan(10);
  });

  test('without the cluster itself there is no file', async () => {
    twin.grant({ aws: (action) => action !== 'eks:DescribeCluster' });
    await expect(take()).rejects.toThrow('reading cluster');
    expect(existsSync(file)).toBe(false);
  });
});

/** Gives what the list gives, and expires once in its middle. */
const expiring =
  (plural: string) =>
  (port: KubernetesPort): Partial<KubernetesPort> => ({
    list: async <T extends KubeObject>(query: ListQuery, keep: (object: T) => T | undefined = (object) => object) => {
      if (query.plural === plural) {
        let seen = 0;
        await port.list<T>(query, (object) => ((seen += 1) < 5 ? keep(object) : undefined));
        query.onRestart?.();
      }
      return await port.list<T>(query, keep);
    },
  });

test('F54: a list that expires in its middle begins anew, and no object is twice in the file', async () => {
  await take(expiring('pods'));
  const snapshot = await readSnapshotFile(file);
  const uids = uidsOf(snapshot, 'pods');
  expect(uids).toEqual([...new Set(uids)]);
  expect(uids.toSorted()).toEqual(uidsIn(twin, 'pods').toSorted());
});

test('F51: a key in a field that is kept fails the snapshot, by its place and not by its value', async () => {
  const key = ['AKIA', 'Q3EXAMPLEKEY7XYZ'].join('');
  const [pod] = twin.built.world.store.list('pods');
  if (pod === undefined) throw new Error('no pod');
  const { labels } = pod.metadata;
  pod.metadata.labels = { ...labels, app: key };
  try {
    const failing = take();
    await expect(failing).rejects.toThrow(/metadata\.labels\.app of pods \S+\/\S+ reads like an AWS access key/);
    await expect(failing).rejects.not.toThrow(key);
    expect(readdirSync(directory)).toEqual([]);
  } finally {
    pod.metadata.labels = labels ?? {};
  }
});
