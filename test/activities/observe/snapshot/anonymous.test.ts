/** A snapshot without names: none of a cluster's names is in the bytes, and what belongs together still does. */
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonymize, anonymizer } from '../../../../domain/facts/snapshot/anonymous/anonymize.ts';
import { Tokens } from '../../../../domain/facts/snapshot/anonymous/tokens.ts';
import { objectsOf, type SnapshotLine } from '../../../../domain/facts/snapshot/format.ts';
import { type ScenarioSnapshot, snapshotOfScenario } from '../../../support/snapshots.ts';

const tokens = (): Tokens => {
  const key = randomBytes(32);
  return new Tokens((text) => createHmac('sha256', key).update(text).digest());
};

let snapshot: ScenarioSnapshot;
let text: string;
/** Of the world that it was taken of. */
const names = new Set<string>();
const OWN = ['kube-system', 'kube-public', 'kube-node-lease', 'default', 'istio-system'];

beforeAll(async () => {
  const given = tokens();
  snapshot = await snapshotOfScenario('whole', {
    rewrite: (line) => anonymize(line, given),
    prepare: ({ stage }) => {
      const { store, eks } = stage.built.world;
      const [pod] = store.list('pods').filter(({ metadata }) => metadata.namespace === 'shop');
      if (pod !== undefined) pod.metadata.annotations = { ...pod.metadata.annotations, 'karpenter.sh/do-not-disrupt': 'true' };
      names.add(stage.built.scenario.cluster.account);
      for (const plural of ['namespaces', 'nodes', 'nodeclaims']) for (const { metadata } of store.list(plural)) names.add(metadata.name);
      for (const plural of ['deployments', 'replicasets', 'pods', 'poddisruptionbudgets', 'services'])
        for (const { metadata } of store.list(plural)) if (!OWN.includes(metadata.namespace ?? '')) names.add(metadata.name);
      for (const own of OWN) names.delete(own);
      names.add('registry.example.com');
      names.add(eks.cluster.endpoint);
      for (const subnet of eks.cluster.subnetIds ?? []) names.add(subnet);
    },
  });
  text = gunzipSync(readFileSync(snapshot.file)).toString();
});
afterAll(() => snapshot.remove());

test('F64: no name of the cluster is in it', () => {
  expect(names.size).toBeGreaterThan(100);
  const words = new Set(text.split(/[^A-Za-z0-9.-]+/));
  const left = [...names].filter((name) => words.has(name) || (name.length > 8 && text.includes(name)));
  // A name that is also a word of Kubernetes says nothing about whose cluster it is.
  expect(left).toEqual([]);
  expect(snapshot.snapshot.header).toMatchObject({ anonymized: true, cluster: { name: expect.stringMatching(/^cluster-[a-z]{6}$/) } });
});

test('F52: an account has one token wherever it stands, and another one in each snapshot', () => {
  const line = (value: string): SnapshotLine => ({
    kind: 'object',
    plural: 'persistentvolumes',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv', uid: 'u' },
      spec: { csi: { driver: 'd', volumeHandle: value } },
    },
  });
  const given = tokens();
  const inPv = JSON.stringify(anonymize(line('arn:aws:x:eu-west-1:111122223333:vol'), given));
  const inArn = JSON.stringify(
    anonymize(
      { kind: 'aws', service: 'iam', operation: 'GetRole', input: {}, output: { Role: { Arn: 'arn:aws:iam::111122223333:role/r' } } },
      given,
    ),
  );
  const token = /account-[a-z]{6}/.exec(inPv)?.[0];
  expect(token).toBeDefined();
  expect(inArn).toContain(`arn:aws:iam::${token}:role/`);
  expect(JSON.stringify(anonymize(line('arn:aws:x:eu-west-1:111122223333:vol'), tokens()))).not.toContain(token);
});

test('pods are still of their ReplicaSets, in their namespaces, on their nodes, and selected by their budgets', () => {
  const of = (apiVersion: string, plural: string) => objectsOf(snapshot.snapshot, apiVersion, plural) ?? [];
  const sets = new Set(of('apps/v1', 'replicasets').map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const nodes = new Set(of('v1', 'nodes').map(({ metadata }) => metadata.name));
  const namespaces = new Set(of('v1', 'namespaces').map(({ metadata }) => metadata.name));
  const pods = of('v1', 'pods');
  expect(pods.length).toBeGreaterThan(50);
  for (const { metadata, ...pod } of pods) {
    const spec = pod['spec'] as { nodeName?: string };
    expect(nodes).toContain(spec.nodeName);
    expect(namespaces).toContain(metadata.namespace);
    for (const owner of metadata.ownerReferences ?? [])
      if (owner.kind === 'ReplicaSet') expect(sets).toContain(`${metadata.namespace}/${owner.name}`);
  }
  for (const { metadata, ...budget } of of('policy/v1', 'poddisruptionbudgets')) {
    const { selector } = budget['spec'] as { selector: { matchLabels: Record<string, string> } };
    const selected = pods.filter(
      (pod) =>
        pod.metadata.namespace === metadata.namespace &&
        Object.entries(selector.matchLabels).every(([key, value]) => pod.metadata.labels?.[key] === value),
    );
    expect(selected.length).toBeGreaterThan(0);
  }
});

test('F64: namespaces of metrics have the tokens that they have everywhere', () => {
  const given = tokens();
  const namespace = anonymize(
    {
      kind: 'object',
      plural: 'namespaces',
      object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', uid: 'u' } },
    },
    given,
  );
  const query = 'sum by (destination_service_namespace) (x)';
  const metric = anonymize({ kind: 'metric', query, samples: [{ labels: { destination_service_namespace: 'shop' }, value: 2 }] }, given);
  const name = namespace.kind === 'object' ? namespace.object.metadata.name : '';
  expect(name).toMatch(/^namespace-[a-z]{6}$/);
  expect(metric).toEqual({ kind: 'metric', query, samples: [{ labels: { destination_service_namespace: name }, value: 2 }] });
});

test('F64: Kubernetes’ own types in its metrics keep their names', () => {
  const labels = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1beta3', resource: 'flowschemas' };
  const metric: SnapshotLine = { kind: 'metric', query: 'apiserver_requested_deprecated_apis', samples: [{ labels, value: 1 }] };
  expect(anonymize(metric, tokens())).toEqual(metric);
});

test('F64: what checks ask of roles, bindings and addresses is still there, and whose it is is not', () => {
  const kept = (plural: string, kind: string, of: object): unknown => {
    const line = anonymize(
      { kind: 'object', plural, object: { apiVersion: 'v1', kind, metadata: { name: 'acme', uid: 'u' }, ...of } },
      tokens(),
    );
    const { metadata: _metadata, apiVersion: _apiVersion, kind: _kind, ...rest } = line.kind === 'object' ? line.object : { metadata: {} };
    return rest;
  };
  const rules = [
    { apiGroups: [''], resources: ['pods/exec', 'pods/attach', 'pods/portforward'], verbs: ['get', 'create'] },
    {
      apiGroups: ['resource.k8s.io'],
      resources: ['resourceclaims/status', 'resourceclaims/driver', 'resourceclaims/binding'],
      verbs: ['associated-node:update'],
    },
  ];
  const binding = { roleRef: { kind: 'ClusterRole', name: 'system:public-info-viewer' }, subjects: [{ name: 'system:unauthenticated' }] };
  const blocks = ['192.0.2.0/24', '192.0.2.00/24', '::ffff:192.0.2.0/120', '192.0.2.1/24'].map((cidr) => ({ ipBlock: { cidr } }));
  expect(kept('clusterroles', 'ClusterRole', { rules })).toEqual({ rules });
  expect(kept('clusterrolebindings', 'ClusterRoleBinding', binding)).toEqual(binding);
  expect(kept('networkpolicies', 'NetworkPolicy', { spec: { ingress: [{ from: blocks }] } })).toEqual({
    spec: { ingress: [{ from: blocks }] },
  });
  expect(kept('services', 'Service', { spec: { externalIPs: ['192.0.2.01', '::ffff:192.0.2.1'] } })).toEqual({
    spec: { externalIPs: ['192.0.2.01', '::ffff:192.0.2.1'] },
  });
  const own = kept('rolebindings', 'RoleBinding', { roleRef: { kind: 'Role', name: 'acme-debug' }, subjects: [{}] });
  expect(JSON.stringify(own)).not.toContain('acme');
});

test('F64: labels and annotations that belay.yaml says name teams are tokens, the same in the header as on the objects', () => {
  const rewrite = anonymizer(tokens());
  const header = rewrite({ ...snapshot.snapshot.header, ownerKeys: ['acme.example/squad', 'team'] });
  const pod = rewrite({
    kind: 'object',
    plural: 'pods',
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', uid: 'u', labels: { 'acme.example/squad': 'Falcons' }, annotations: { team: 'Hawks' } },
    },
  });
  const keys = header.kind === 'header' ? header.ownerKeys : [];
  expect(keys).toEqual([expect.stringMatching(/^label-[a-z]{6}$/), 'team']);
  const { labels, annotations } = pod.kind === 'object' ? pod.object.metadata : {};
  expect([labels, annotations]).toEqual([
    { [String(keys?.[0])]: expect.stringMatching(/^team-[a-z]{6}$/) },
    { team: expect.stringMatching(/^team-[a-z]{6}$/) },
  ]);
});
