/** The chart by the real Helm: what it makes of defaults and of everything on, what it refuses, and what holds for every pod. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeWithHelm } from '../support/tools.ts';
import { root, textOf, yamlOf } from './files.ts';
import { EVERYTHING, EVERYTHING_ON, IN_BUCKET, helmLint, helmTemplate, podsOf, rendered } from './helm.ts';

const kinds = (objects: readonly { kind: string; metadata: { name: string } }[]): string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();

describeWithHelm('helm lint', () => {
  test.each([
    ['by its defaults', []],
    // Which APIs a cluster has is nothing that lint can be told.
    ['with everything on', EVERYTHING],
  ])('%s it has nothing to warn of', (_, args: readonly string[]) => {
    const { status, stdout } = helmLint(join(root, 'deploy/chart'), ...args);
    expect({ status, warnings: stdout.match(/^\[(?:WARNING|ERROR)\].*$/gm) }).toEqual({ status: 0, warnings: null });
  });

  test('bites', () => {
    const { status, stdout } = helmLint(join(root, 'deploy/chart'), '--set', 'worker.replicas=many');
    expect({ status: status === 0, says: stdout.includes('[ERROR]') }).toEqual({ status: false, says: true });
  });
});

describeWithHelm('O30: helm template', () => {
  test('O30: by its defaults: three processes, their policies, a volume, and the doctor of helm test', () => {
    expect(kinds(rendered())).toEqual([
      'ConfigMap ours',
      'Deployment ours-codec-server',
      'Deployment ours-slack',
      'Deployment ours-worker',
      'NetworkPolicy ours-codec-server',
      'NetworkPolicy ours-slack',
      'NetworkPolicy ours-worker',
      'PersistentVolumeClaim ours-records',
      'Pod ours-doctor',
      'ServiceAccount ours-slack',
      'ServiceAccount ours-worker',
    ]);
  });

  test('a worker that hangs can end itself: it is not the first process of its container', () => {
    const worker = rendered().find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'ours-worker');
    expect(worker).toMatchObject({ spec: { template: { spec: { shareProcessNamespace: true } } } });
  });

  test('O30: with everything on it adds a budget, monitoring, Slack’s service and objects of one’s own', () => {
    const more = kinds(rendered(...EVERYTHING_ON)).filter((name) => !kinds(rendered()).includes(name));
    expect(more).toEqual([
      'ConfigMap ours-own',
      'PodDisruptionBudget ours-worker',
      'PodMonitor ours',
      'PrometheusRule ours',
      'Service ours-slack',
    ]);
  });

  test('O37: a network’s worker is an installation without Slack, whose doctor looks at that network too', () => {
    const objects = rendered(
      '--set',
      'slack.enabled=false',
      '--set',
      'worker.env[0].name=BELAY_NETWORK',
      '--set',
      'worker.env[0].value=dmz',
    );
    expect(kinds(objects).join()).not.toMatch(/slack/);
    const pods = podsOf(objects);
    for (const name of ['worker', 'doctor']) expect(pods[name]?.containers[0]?.env).toContainEqual({ name: 'BELAY_NETWORK', value: 'dmz' });
  });

  test('O30: without the CRDs of the Prometheus operator monitoring is left out', () => {
    expect(kinds(rendered(...EVERYTHING)).join()).not.toMatch(/PodMonitor|PrometheusRule/);
  });

  test.each([
    ['worker.replica=2', "at '/worker': additional properties 'replica' not allowed"],
    ['networkpolicy.enabled=false', "at '': additional properties 'networkpolicy' not allowed"],
    ['worker.replicas=two', "at '/worker/replicas': got string, want "],
    ['temporal.address=temporal', "at '/temporal/address': 'temporal' does not match pattern"],
    ['metrics.dashboard.enabled=true', "at '/metrics': additional properties 'dashboard' not allowed"],
    ['worker.podDisruptionBudget.maxUnavailable=0', "at '/worker/podDisruptionBudget/maxUnavailable'"],
    [
      'records.shared=true',
      "records.shared is true, but the records are on a volume, where two workers would write into each other's lines: name a bucket under records.s3 in belay.yaml, and set records.volume to false",
    ],
    ['records.shared=true,records.accessModes[0]=ReadWriteMany', 'records.shared is true, but the records are on a volume'],
    [
      'worker.replicas=2',
      "worker.replicas is 2, but the records are on a volume, where two workers would write into each other's lines: name a bucket under records.s3 in belay.yaml, and set records.shared to true and records.volume to false",
    ],
    [
      'records.volume=false',
      'records.volume is false, so belay.yaml names a store that several workers may write: set records.shared to true as well',
    ],
  ])('O30: --set %s is refused, and said where', (set, words) => {
    const { status, stdout, stderr } = helmTemplate('--set', set);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(words);
  });

  test.each([
    ['metrics.dashboards.enabled=true'],
    ['slack.replicas=2'],
    ['global.imageRegistry=registry.example'],
    ['worker.podDisruptionBudget.maxUnavailable=25%'],
  ])('O30: --set %s is known', (set) => {
    expect(helmTemplate('--set', set).stderr).toBe('');
  });

  test('RS18: no pod may write to its own file system, gain rights, run as root, or talk to the cluster’s API', () => {
    const pods = podsOf(rendered(...EVERYTHING_ON));
    expect(Object.keys(pods).sort()).toEqual(['codec-server', 'doctor', 'slack', 'worker']);
    for (const pod of Object.values(pods)) {
      expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
      for (const { securityContext } of pod.containers)
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });

  test('O31: records that are shared have two workers by default, replaced one at a time, on nodes of their own', () => {
    const worker = rendered(...IN_BUCKET).find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'ours-worker');
    expect(worker?.spec).toMatchObject({
      replicas: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    });
    const { affinity, topologySpreadConstraints } = podsOf(rendered(...IN_BUCKET))['worker'] ?? {};
    expect(affinity).toBeUndefined();
    const labelSelector = {
      matchLabels: { 'app.kubernetes.io/name': 'belay', 'app.kubernetes.io/instance': 'ours', 'app.kubernetes.io/component': 'worker' },
    };
    expect(topologySpreadConstraints).toEqual([
      { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector },
      { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway', labelSelector },
    ]);
  });

  test('O31: on a volume of one node there is one worker, replaced after it has ended, and one’s own affinity stays', () => {
    const own = 'worker.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey=zone';
    const objects = rendered('--set', own);
    const worker = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'ours-worker');
    expect(worker?.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    const beside = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { 'belay.dev/records': 'ours' } } };
    expect(podsOf(objects)['worker']?.affinity).toEqual({
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }, beside] },
    });
    // What tries the volume is where the volume is, and not where only the worker is to be.
    expect(podsOf(objects)['doctor']?.affinity).toEqual({ podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [beside] } });
  });

  test('O31: a budget is made for two pods and more: one for a single pod would hold up every drain', () => {
    const budgets = (...args: string[]): unknown[] =>
      rendered(...args).flatMap(({ kind, spec }) => (kind === 'PodDisruptionBudget' ? [spec] : []));
    expect(budgets()).toEqual([]);
    expect(budgets(...IN_BUCKET)).toEqual([
      {
        maxUnavailable: 1,
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
        selector: {
          matchLabels: { 'app.kubernetes.io/name': 'belay', 'app.kubernetes.io/instance': 'ours', 'app.kubernetes.io/component': 'worker' },
        },
      },
    ]);
    expect(budgets(...IN_BUCKET, '--set', 'worker.podDisruptionBudget.enabled=false')).toEqual([]);
  });

  test.each([
    ['worker', 'temporal-key', 'temporal-client'],
    ['slack', 'temporal-key-slack', 'temporal-client-slack'],
    ['doctor', 'temporal-key', 'temporal-client'],
  ])('RA19: the %s has credentials for Temporal as files, in whole directories, which are renewed', (component, key, tls) => {
    const { containers: [container] = [], volumes = [] } = podsOf(rendered(...EVERYTHING_ON))[component] ?? {};
    const env = Object.fromEntries(container?.env.map(({ name, value }) => [name, value]) ?? []);
    expect(env).toMatchObject({
      TEMPORAL_API_KEY_FILE: '/temporal/TEMPORAL_API_KEY',
      TEMPORAL_TLS_CLIENT_CERT_PATH: '/temporal-tls/tls.crt',
      TEMPORAL_TLS_CLIENT_KEY_PATH: '/temporal-tls/tls.key',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/temporal-tls/ca.crt',
      TEMPORAL_TLS_SERVER_NAME: 'temporal.example',
    });
    expect(container?.volumeMounts).toEqual(
      expect.arrayContaining([
        { name: 'temporal', mountPath: '/temporal', readOnly: true },
        { name: 'temporal-tls', mountPath: '/temporal-tls', readOnly: true },
      ]),
    );
    expect(volumes).toEqual(
      expect.arrayContaining([
        { name: 'temporal', secret: { secretName: key, defaultMode: 0o440 } },
        { name: 'temporal-tls', secret: { secretName: tls, defaultMode: 0o440 } },
      ]),
    );
  });

  test('RA19: where a public authority signed Temporal’s certificate, no file is named that the Secret lacks', () => {
    const { containers: [container] = [] } = podsOf(rendered('--set', 'worker.tlsSecret=t,temporal.tls.ca=false'))['worker'] ?? {};
    const names = container?.env.map(({ name }) => name).filter((name) => name.startsWith('TEMPORAL_TLS'));
    expect(names).toEqual(['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH']);
  });

  test('helm test runs the doctor as the worker would: its identity, its network, not its Deployment', () => {
    const objects = rendered();
    const pod = objects.find(({ kind }) => kind === 'Pod');
    expect(pod?.metadata.annotations).toEqual({ 'helm.sh/hook': 'test', 'helm.sh/hook-delete-policy': 'before-hook-creation' });
    const { serviceAccountName, containers: [container] = [] } = podsOf(objects)['doctor'] ?? {};
    expect([serviceAccountName, container?.args]).toEqual(['ours-worker', ['doctor']]);
    const policy = objects.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'ours-worker');
    expect(policy?.spec['podSelector']).toMatchObject({
      matchExpressions: [{ key: 'app.kubernetes.io/component', operator: 'In', values: ['worker', 'doctor'] }],
    });
    expect(kinds(rendered('--set', 'doctor.enabled=false')).join()).not.toContain('Pod ours-doctor');
  });
});

/** May be given, and need no default. */
const WITHOUT_DEFAULT = ['global', 'metrics.dashboards', 'slack.replicas'];

const schemaNode: z.ZodType<{ additionalProperties?: unknown; properties?: Record<string, unknown> }> = z.looseObject({
  properties: z.record(z.string(), z.unknown()).optional(),
});

/** Paths of closed objects' keys: in the schema, and in the values below it. */
function pathsOf(schema: unknown, values: unknown, at = ''): { known: string[]; given: string[] } {
  const { properties, additionalProperties } = schemaNode.parse(schema);
  if (properties === undefined) return { known: [], given: [] };
  expect([at, additionalProperties]).toEqual([at, false]);
  const path = (key: string): string => (at === '' ? key : `${at}.${key}`);
  const own = { known: Object.keys(properties).map(path), given: Object.keys(Object(values)).map(path) };
  return Object.entries(properties).reduce((all, [key, child]) => {
    const below = WITHOUT_DEFAULT.includes(path(key)) ? { known: [], given: [] } : pathsOf(child, Object(values)[key], path(key));
    return { known: [...all.known, ...below.known], given: [...all.given, ...below.given] };
  }, own);
}

test('O30: values.schema.json knows each value of values.yaml, and no other', () => {
  const { known, given } = pathsOf(JSON.parse(textOf('deploy/chart/values.schema.json')), yamlOf('deploy/chart/values.yaml')[0]);
  expect(given.length).toBeGreaterThan(60);
  const later = WITHOUT_DEFAULT.filter((path) => !given.includes(path));
  expect(known.filter((path) => !later.includes(path)).sort()).toEqual([...given].sort());
});
