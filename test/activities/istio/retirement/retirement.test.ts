/** Retiring a revision: each condition bites on its own; Helm acts once, in the right order, and only when nothing uses the revision. */
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../../domain/core/findings.ts';
import type { PrometheusPort } from '../../../../activities/contract/ports.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER, policy } from '../../../support/facts.ts';
import { depsOf, type FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import {
  addIstiodPods,
  addMeshPod,
  addRevision,
  addTag,
  addWorkload,
  helmSecret,
  meshWorld,
  MUTATING,
  NAMESPACE,
  syncOf,
  VALIDATOR,
} from '../../../support/istio-objects.ts';
import { createIstioActivities } from '../../../../activities/istio/index.ts';
import type { HelmRunner } from '../../../../activities/kubernetes/helm/runner.ts';

const cluster = CLUSTER;
const ISTIOD = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'istio-system', name: 'istiod-1-26' };
const proxies = (series: { labels: Record<string, string>; value: number }[]): PrometheusPort => ({ query: async () => series });
const ALL_NEW = proxies([
  { labels: { version: '1.28.3' }, value: 12 },
  { labels: { version: '1.26.2' }, value: 0 },
]);

/** Everything has moved to 1-28. */
function movedWorld(): FakeKubernetes {
  const port = meshWorld();
  for (const namespace of ['cart', 'mail']) {
    port.edit(NAMESPACE(namespace), ({ metadata }) => void (metadata.labels = { 'istio.io/rev': '1-28' }));
    addMeshPod(port, namespace, 'web', '1-28', '1.28.3');
  }
  addTag(port, 'prod', '1-28');
  addIstiodPods(port, '1-26', [], []);
  port.edit(VALIDATOR, (object) => {
    object.metadata.labels = { 'istio.io/rev': '1-28' };
    object['webhooks'] = [
      { name: 'v', clientConfig: { service: { name: 'istiod-1-28', namespace: 'istio-system' }, caBundle: 'ca-1-28' } },
    ];
  });
  return port;
}

function addCronJob(port: FakeKubernetes, namespace: string, name: string, labels: Record<string, string>): void {
  port.put('batch/v1', 'cronjobs', {
    metadata: { namespace, name },
    spec: { jobTemplate: { spec: { template: { metadata: { labels } } } } },
  });
}

async function check(port: FakeKubernetes, prometheus: PrometheusPort | undefined = ALL_NEW, revision = '1-26'): Promise<Finding[]> {
  const manual = { managedBy: { ...policy().managedBy, istio: 'manual' as const } };
  const deps = depsOf(port, { policy: manual, prometheus });
  return (await createIstioActivities(deps).checkRetirement({ cluster, revision, successor: '1-28' })).findings;
}

describe('conditions', () => {
  test('all hold: eleven findings, all passed', async () => {
    const findings = await check(movedWorld());
    expect(findings.map(({ code, status }) => `${code} ${status}`)).toEqual([
      'IST101 pass',
      'IST102 pass',
      'IST103 pass',
      'IST104 pass',
      'IST105 pass',
      'IST106 pass',
      'IST107 pass',
      'IST108 pass',
      'IST109 pass',
      'IST111 pass',
      'IST112 pass',
    ]);
  });

  test('IST112: an install without a revision alone serves istio-injection=enabled, and nothing would after it', async () => {
    const port = movedWorld();
    addRevision(port, 'default', '1.25.1');
    const found = async () => (await check(port, ALL_NEW, 'default')).find(({ code }) => code === 'IST112');
    expect(await found()).toMatchObject({
      severity: 'recommended',
      status: 'fail',
      resources: ['istio-injection=enabled', 'sidecar.istio.io/inject=true'],
      remediation: expect.stringContaining('istioctl tag set default --revision 1-28'),
    });
    addTag(port, 'default', '1-28');
    expect(await found()).toMatchObject({ status: 'pass', message: '1-28 serves them' });
    addTag(port, 'default', 'default');
    expect(await found()).toMatchObject({ status: 'pass', message: 'tag default moves before the revision goes' });
  });

  test('IST107: a validator of a third revision, which stays, is well; of one that is gone it is not', async () => {
    const port = movedWorld();
    port.edit(VALIDATOR, (object) => void (object['webhooks'] = [{ name: 'v', clientConfig: { service: { name: 'istiod-1-30' } } }]));
    const found = async () => (await check(port)).find(({ code }) => code === 'IST107');
    expect(await found()).toMatchObject({ status: 'fail', resources: ['istiod-1-30'] });
    addRevision(port, '1-30', '1.30.1');
    expect(await found()).toMatchObject({ status: 'pass', message: 'it calls istiod-1-30' });
  });

  test('IST106 does not count proxies that another revision of the same version may have', async () => {
    const port = movedWorld();
    addRevision(port, 'blue', '1.26.2-distroless');
    const prometheus = proxies([{ labels: { version: '1.26.2' }, value: 5 }]);
    expect((await check(port, prometheus)).find(({ code }) => code === 'IST106')).toMatchObject({
      severity: 'recommended',
      status: 'unknown',
      message: 'connected proxies cannot be counted: revision blue has version 1.26.2 as well',
    });
  });

  test('IST105: an install without a revision serves istio-injection=enabled until tag default points elsewhere', async () => {
    const port = movedWorld();
    addRevision(port, 'default', '1.26.2');
    port.put('v1', 'namespaces', { metadata: { name: 'legacy', labels: { 'istio-injection': 'enabled' } } });
    const found = async () => (await check(port, ALL_NEW, 'default')).find(({ code }) => code === 'IST105');
    expect(await found()).toMatchObject({ status: 'fail', resources: ['legacy'] });
    addTag(port, 'default', '1-28');
    expect(await found()).toMatchObject({
      status: 'pass',
      message: 'istio-injection=enabled and sidecar.istio.io/inject=true are not served by default',
    });
  });

  const bites: [code: string, title: string, change: (port: FakeKubernetes) => void, resources: string[], message: string][] = [
    [
      'IST101',
      'a pod in a namespace that nobody moved',
      (port) => addMeshPod(port, 'forgotten', 'old', '1-26', '1.26.2'),
      ['forgotten/old-7c9d-x'],
      'pods still have a proxy of 1-26',
    ],
    [
      'IST102',
      'a namespace label',
      (port) => port.put('v1', 'namespaces', { metadata: { name: 'late', labels: { 'istio.io/rev': '1-26' } } }),
      ['late'],
      'namespaces have label istio.io/rev=1-26: their new pods would start without a sidecar',
    ],
    [
      'IST103',
      'a gateway template',
      (port) => addWorkload(port, 'ingress', 'gateway', { template: { metadata: { labels: { 'istio.io/rev': '1-26' } } } }),
      ['deployments/ingress/gateway'],
      'templates or Gateways have label istio.io/rev=1-26',
    ],
    [
      'IST103',
      'a CronJob between two runs',
      (port) => addCronJob(port, 'batch', 'nightly', { 'istio.io/rev': '1-26' }),
      ['cronjobs/batch/nightly'],
      'templates or Gateways have label istio.io/rev=1-26',
    ],
    [
      'IST103',
      'a Gateway',
      (port) =>
        port.put('gateway.networking.k8s.io/v1', 'gateways', {
          metadata: { name: 'front', namespace: 'ingress', labels: { 'istio.io/rev': '1-26' } },
        }),
      ['gateways/ingress/front'],
      'templates or Gateways have label istio.io/rev=1-26',
    ],
    [
      'IST104',
      'a tag',
      (port) => addTag(port, 'prod', '1-26'),
      ['prod'],
      'tags point at 1-26: pods could not be created where they select',
    ],
    [
      'IST105',
      'istio-injection=enabled behind tag default',
      (port) => {
        addTag(port, 'default', '1-26');
        port.put('v1', 'namespaces', { metadata: { name: 'legacy', labels: { 'istio-injection': 'enabled' } } });
      },
      ['legacy'],
      'namespaces with istio-injection=enabled, or templates with sidecar.istio.io/inject=true, get 1-26: their new pods would start without a sidecar',
    ],
    [
      'IST105',
      'what asks for a sidecar itself, where its namespace does not',
      (port) => {
        addTag(port, 'default', '1-26');
        const asks = { 'sidecar.istio.io/inject': 'true' };
        for (const [namespace, labels] of [
          ['batch', {}],
          ['opted-out', { 'istio-injection': 'disabled' }],
        ] as const) {
          port.put('v1', 'namespaces', { metadata: { name: namespace, labels } });
          addWorkload(port, namespace, 'idle', { replicas: 0, template: { metadata: { labels: asks } } });
          addCronJob(port, namespace, 'nightly', asks);
        }
        // Both its namespace and its own label name another revision.
        addCronJob(port, 'cart', 'sweep', asks);
        addCronJob(port, 'batch', 'moved', { ...asks, 'istio.io/rev': '1-28' });
      },
      ['deployments/batch/idle', 'cronjobs/batch/nightly'],
      'namespaces with istio-injection=enabled, or templates with sidecar.istio.io/inject=true, get 1-26: their new pods would start without a sidecar',
    ],
    [
      'IST109',
      'a ztunnel that asks its istiod',
      (port) => {
        const env = [{ name: 'XDS_ADDRESS', value: 'istiod-1-26.istio-system.svc:15012' }];
        const template = { spec: { containers: [{ name: 'istio-proxy', image: 'docker.io/istio/ztunnel:1.26.2', env }] } };
        addWorkload(port, 'istio-system', 'ztunnel', { template }, 'DaemonSet');
      },
      ['istio-system/ztunnel'],
      'DaemonSets ask istiod of 1-26 (XDS_ADDRESS, CA_ADDRESS): ambient traffic would lose its control plane',
    ],
    [
      'IST107',
      'the validator',
      (port) =>
        port.edit(VALIDATOR, (object) => void (object['webhooks'] = [{ name: 'v', clientConfig: { service: { name: 'istiod-1-26' } } }])),
      ['istiod-1-26'],
      'istiod-default-validator does not call istiod-1-28; point it there before the revision goes, or Istio objects cannot be written',
    ],
  ];
  test.each(bites)('%s bites on %s, and nothing else does', async (code, _title, change, resources, message) => {
    const port = movedWorld();
    change(port);
    const failed = (await check(port)).filter(({ status }) => status !== 'pass');
    expect(failed).toEqual([expect.objectContaining({ code, status: 'fail', resources, resourceCount: resources.length, message })]);
    expect(failed[0]?.remediation).toBeTruthy();
  });

  test('IST111 bites on a proxy that one of its istiods has, of whatever version', async () => {
    const port = movedWorld();
    addIstiodPods(port, '1-26', [], [syncOf('batch/job-x1')]);
    expect((await check(port)).filter(({ status }) => status !== 'pass')).toMatchObject([
      { code: 'IST111', severity: 'required', status: 'fail', resources: ['batch/job-x1'], resourceCount: 1 },
    ]);
  });

  test.each<[title: string, change: (port: FakeKubernetes) => void, why: string]>([
    [
      'the right',
      (port) => void (port.inPods = undefined),
      'Belay may not forward ports to istiod (deploy/kubernetes-rbac-mesh-debug.yaml lets it)',
    ],
    [
      'the answer of one istiod',
      (port) => void (port.inPods = { 'istio-system/istiod-1-26-6d5c-0:15014/debug/syncz': { status: 200, body: '[]' } }),
      'reading istio-system/istiod-1-26-6d5c-1:15014/debug/syncz: connection refused',
    ],
    [
      'debug endpoints',
      (port) => void (port.inPods = { 'istio-system/istiod-1-26-6d5c-0:15014/debug/syncz': { status: 404, body: '404 page not found' } }),
      'istio-system/istiod-1-26-6d5c-0 answered /debug/syncz with 404',
    ],
    [
      'a list in it',
      (port) => void (port.inPods = { 'istio-system/istiod-1-26-6d5c-0:15014/debug/syncz': { status: 200, body: '<html>' } }),
      'istio-system/istiod-1-26-6d5c-0 answered /debug/syncz with something that is no list of proxies',
    ],
  ])('without %s IST111 is unknown, and pilot_xds decides', async (_title, change, why) => {
    const port = movedWorld();
    change(port);
    expect((await check(port)).filter(({ status }) => status !== 'pass')).toMatchObject([
      { code: 'IST111', severity: 'recommended', status: 'unknown', message: expect.stringContaining(why) },
    ]);
  });

  test('IST106 bites on proxies that are still connected', async () => {
    const [finding] = (await check(movedWorld(), proxies([{ labels: { version: '1.26.2' }, value: 3 }]))).filter(
      ({ status }) => status !== 'pass',
    );
    expect(finding).toMatchObject({
      code: 'IST106',
      severity: 'required',
      status: 'fail',
      resourceCount: 3,
      message: '3 proxies of version 1.26.2 are connected',
    });
  });

  test('IST106 bites on proxies of the release whatever the flavour of the images', async () => {
    const port = movedWorld();
    addRevision(port, '1-26', '1.26.2-distroless');
    const found = (await check(port, proxies([{ labels: { version: '1.26.2' }, value: 3 }]))).find(({ code }) => code === 'IST106');
    expect(found).toMatchObject({ status: 'fail', message: '3 proxies of version 1.26.2-distroless are connected' });
  });

  test('IST106 does not count ztunnels, which may be upgraded only when the old istiod has gone', async () => {
    const port = movedWorld();
    addWorkload(
      port,
      'istio-system',
      'ztunnel',
      { template: { spec: { containers: [{ name: 'istio-proxy', image: 'docker.io/istio/ztunnel:1.26.2-distroless' }] } } },
      'DaemonSet',
    );
    const ready = Number(
      port.look({ apiVersion: 'apps/v1', plural: 'daemonsets', namespace: 'istio-system', name: 'ztunnel' }).status?.[
        'numberAvailable' as never
      ],
    );
    const of = async (value: number) =>
      (await check(port, proxies([{ labels: { version: '1.26.2' }, value }]))).find(({ code }) => code === 'IST106');
    expect(await of(ready)).toMatchObject({ status: 'pass' });
    expect(await of(ready + 1)).toMatchObject({ status: 'fail', message: '1 proxy of version 1.26.2 is connected' });
  });

  const blind: [title: string, prometheus: PrometheusPort | undefined, why: string][] = [
    ['no series at all', proxies([]), 'connected proxies cannot be counted: Prometheus has no series pilot_xds: istiod is not scraped'],
    [
      'Prometheus that does not answer',
      { query: async () => Promise.reject(failureOf('Unavailable', 'asking Prometheus: the connection was refused')) },
      'connected proxies cannot be counted: asking Prometheus: the connection was refused',
    ],
  ];
  test.each(blind)('K20: %s is unknown, not none', async (_title, prometheus, message) => {
    const finding = (await check(movedWorld(), prometheus)).find(({ code }) => code === 'IST106');
    expect(finding).toMatchObject({ status: 'unknown', severity: 'recommended', message });
  });

  test('K20: no Prometheus is unknown, and only recommended', async () => {
    const { findings } = await createIstioActivities(depsOf(movedWorld())).checkRetirement({
      cluster,
      revision: '1-26',
      successor: '1-28',
    });
    expect(findings.find(({ code }) => code === 'IST106')).toMatchObject({
      status: 'unknown',
      severity: 'recommended',
      message: 'connected proxies cannot be counted: no Prometheus is configured',
    });
  });

  test('IST106 without a version of istiod to count by is unknown', async () => {
    const port = movedWorld();
    addRevision(port, '1-26', 'latest');
    expect((await check(port)).find(({ code }) => code === 'IST106')).toMatchObject({
      status: 'unknown',
      severity: 'recommended',
      message: 'connected proxies cannot be counted: the version of revision 1-26 cannot be read from istiod',
    });
  });

  test('finished pods, istiod itself and a missing default validator do not count', async () => {
    const port = movedWorld();
    addMeshPod(port, 'jobs', 'done', '1-26', '1.26.2', { phase: 'Succeeded' });
    port.remove(VALIDATOR);
    expect((await check(port)).every(({ status }) => status === 'pass')).toBe(true);
  });

  test('names a few and counts all', async () => {
    const port = movedWorld();
    for (let index = 0; index < 40; index += 1) addMeshPod(port, 'big', `app${index}`, '1-26', '1.26.2');
    const finding = (await check(port)).find(({ code }) => code === 'IST101');
    expect(finding).toMatchObject({ resourceCount: 40 });
    expect(finding?.resources).toHaveLength(5);
  });
});

describe('waiting until it is gone', () => {
  const wait = (port: FakeKubernetes) =>
    createIstioActivities(depsOf(port)).awaitIstioRevisionGone({ cluster, timing: quickTiming({ askTimeoutMs: 15 }), revision: '1-26' });

  test('K19: webhooks that outlive istiod are named: no pod could be created where they match', async () => {
    const port = movedWorld();
    port.remove(ISTIOD);
    addTag(port, 'old', '1-26');
    expect(await wait(port)).toEqual({
      gone: false,
      left: ['MutatingWebhookConfiguration istio-sidecar-injector-1-26', 'MutatingWebhookConfiguration istio-revision-tag-old'],
    });
  });

  test('gone: what remembered the way back is gone as well', async () => {
    const port = meshWorld();
    const istio = createIstioActivities(depsOf(port));
    await istio.moveNamespaces({ cluster, namespaces: ['cart'], revision: '1-28', restartedAt: '2026-09-08T09:00:00Z' });
    port.remove(ISTIOD);
    port.remove(MUTATING('istio-sidecar-injector-1-26'));
    port.remove(MUTATING('istio-revision-tag-prod'));
    port.remove(VALIDATOR);
    expect(await wait(port)).toEqual({ gone: true, left: [] });
    expect(port.look(NAMESPACE('cart')).metadata.annotations).toBeUndefined();
  });
});

describe('with Helm', () => {
  interface Recorded {
    calls: string[][];
    /** What `--values -` reads. */
    values: unknown[];
    runner: HelmRunner;
  }

  interface Told {
    code: number;
    stdout?: string;
    stderr?: string;
  }

  /** Helm in memory: writes the release's Secret as the real one does, unless told otherwise. */
  function helm(port: FakeKubernetes, act: (args: string[]) => Told | undefined = () => undefined): Recorded {
    const recorded: Recorded = {
      calls: [],
      values: [],
      runner: {
        run: async (args, { input }) => {
          const looks = args[0] === 'show';
          if (!looks) recorded.calls.push(args);
          if (input !== undefined) recorded.values.push(JSON.parse(input));
          const told = act(args);
          if (told !== undefined) return { stdout: told.stdout ?? '', stderr: told.stderr ?? '', code: told.code };
          if (looks) return { stdout: 'apiVersion: v2\nappVersion: 1.28.3\nname: istiod\nversion: 1.28.3\n', stderr: '', code: 0 };
          if (args[1] === '--install') port.put('v1', 'secrets', helmSecret(args[2] ?? '', 'deployed', { appVersion: '1.28.3' }));
          if (args[0] === 'uninstall') port.remove(ISTIOD);
          return { stdout: '', stderr: '', code: 0 };
        },
      },
    };
    return recorded;
  }

  function activities(port: FakeKubernetes, runner: HelmRunner | undefined) {
    const deps = depsOf(port, { policy: { managedBy: { ...policy().managedBy, istio: 'helm' } } });
    return createIstioActivities({ ...deps, ...(runner === undefined ? {} : { helm: runner }), pendingWaitMs: 0 });
  }
  const canary = { fromRevision: '1-26', fromVersion: '1.26.2', toRevision: '1-28', toMinor: '1.28', retire: { bakeMs: 0 }, waves: [] };
  const install = (port: FakeKubernetes, runner: HelmRunner | undefined, change: { chart?: string; toVersion?: string } = {}) =>
    activities(port, runner).installIstioRevision({
      cluster,
      canary: { ...canary, toVersion: change.toVersion },
      chart: change.chart,
      token: 'belay-1',
    });
  const retire = (port: FakeKubernetes, runner: HelmRunner | undefined) =>
    activities(port, runner).retireIstioRevision({ cluster, revision: '1-26', successor: '1-28', token: 'belay-2' });

  /** The old release, with values that hold a secret and pins of the old version. */
  function installed(): FakeKubernetes {
    const config = {
      revision: '1-26',
      revisionTags: ['prod'],
      meshConfig: { trustDomain: 'example.org' },
      global: { tag: '1.26.2', hub: 'registry.example.org/istio' },
      pilot: { tag: '1.26.2', env: { PASSWORD: 'hunter2' } },
      istio_cni: { enabled: true },
    };
    return meshWorld().put('v1', 'secrets', helmSecret('istiod-1-26', 'deployed', { config }));
  }

  test('installs beside the old one, with its values but not its tags and pins', async () => {
    const port = installed();
    const { calls, values, runner } = helm(port);
    expect(await install(port, runner)).toEqual({ version: '1.28.3' });
    expect(calls.map((args) => args.join(' '))).toEqual([
      'upgrade --install istiod-1-28 istiod --repo https://blob.istio.io/istio-release/charts --version 1.28.3 --namespace istio-system --values - --description belay-1 --labels belay.dev/token=belay-1',
    ]);
    expect(values).toEqual([
      {
        revision: '1-28',
        meshConfig: { trustDomain: 'example.org' },
        global: { hub: 'registry.example.org/istio' },
        pilot: { env: { PASSWORD: 'hunter2' }, cni: { enabled: true } },
        istio_cni: { enabled: true },
      },
    ]);
  });

  test('1.30 is installed from the registry of all other minors: its own ends', async () => {
    const port = meshWorld().put('v1', 'secrets', helmSecret('istiod-1-26', 'deployed', { config: { revision: '1-26' } }));
    const { values, runner } = helm(port, ([command]) =>
      command === 'show' ? { code: 0, stdout: 'version: 1.30.4\nappVersion: 1.30.4\n' } : undefined,
    );
    await activities(port, runner).installIstioRevision({
      cluster,
      canary: { ...canary, toRevision: '1-30', toMinor: '1.30' },
      token: 'belay-1',
    });
    expect(values.at(-1)).toEqual({ revision: '1-30', global: { hub: 'docker.io/istio' } });
  });

  test('nothing is installed while the old values have proxies ask the old istiod', async () => {
    const config = { revision: '1-26', meshConfig: { defaultConfig: { discoveryAddress: 'istiod-1-26.istio-system.svc:15012' } } };
    const port = meshWorld().put('v1', 'secrets', helmSecret('istiod-1-26', 'deployed', { config }));
    const { calls, runner } = helm(port);
    await expect(install(port, runner)).rejects.toThrow(
      'installing Istio revision 1-28: release istio-system/istiod-1-26 names istiod-1-26 at meshConfig.defaultConfig.discoveryAddress',
    );
    expect(calls).toEqual([]);
  });

  test.each([
    [undefined, 'istiod --repo https://blob.istio.io/istio-release/charts --version ~1.28.0'],
    ['https://charts.example.org/istio', 'istiod --repo https://charts.example.org/istio --version ~1.28.0'],
    ['https://charts.example.org/istiod-1.28.3.tgz', 'https://charts.example.org/istiod-1.28.3.tgz --version ~1.28.0'],
    ['mirror/istiod', 'mirror/istiod --version ~1.28.0'],
  ])('looks for the newest patch where the chart is: %s', async (chart, place) => {
    const asked: string[] = [];
    const port = installed();
    const { runner } = helm(port, (args) => {
      if (args[0] === 'show') asked.push(args.join(' '));
      return undefined;
    });
    await install(port, runner, chart === undefined ? {} : { chart });
    expect(asked).toEqual([`show chart ${place}`]);
  });

  test.each<[string, Told, string]>([
    [
      'of another version',
      { code: 0, stdout: 'version: 1.26.2\nappVersion: "1.26.2"\n' },
      'looking for chart istiod of Istio 1.28: ./charts/istiod is 1.26.2; set istio.chart in belay.yaml to a repository, an OCI reference or a path that has 1.28',
    ],
    [
      'that is not there',
      { code: 1, stderr: 'Error: chart "istiod" matching ~1.28.0 not found in mirror index.' },
      'looking for chart istiod of Istio 1.28: helm ended with code 1: Error: chart "istiod" matching ~1.28.0 not found in mirror index.; set istio.chart in belay.yaml to a repository, an OCI reference or a path that has 1.28',
    ],
  ])('nothing is installed from a chart %s', async (_title, told, message) => {
    const port = installed();
    const { calls, runner } = helm(port, () => told);
    await expect(install(port, runner, { chart: './charts/istiod' })).rejects.toMatchObject({ type: 'Configuration', message });
    expect(calls).toEqual([]);
  });

  test('values never get into an error', async () => {
    const port = installed();
    const quoting = 'Error: execution error at (istiod/templates/env.yaml:3): hunter2 is too short for example.org';
    const failing = helm(port, (args) => (args[0] === 'show' ? undefined : { code: 1, stderr: quoting }));
    await expect(install(port, failing.runner)).rejects.toThrow(
      'installing Istio revision 1-28: helm ended with code 1: Error: execution error at (istiod/templates/env.yaml:3): [redacted] is too short for example.org',
    );
    port.edit(
      { apiVersion: 'v1', plural: 'secrets', namespace: 'istio-system', name: 'sh.helm.release.v1.istiod-1-26.v1' },
      (object) => void (object['data'] = { release: Buffer.from('hunter2').toString('base64') }),
    );
    await expect(install(port, failing.runner)).rejects.toThrow(
      /^reading Helm release sh\.helm\.release\.v1\.istiod-1-26\.v1: its payload cannot be read$/,
    );
  });

  test('an answer of a server in bad transient is tried again', async () => {
    const port = installed();
    const { runner } = helm(port, () => ({ code: 1, stderr: 'Error: Kubernetes cluster unreachable: read: connection reset by peer' }));
    await expect(install(port, runner)).rejects.toMatchObject({ type: 'Unavailable', nonRetryable: false });
  });

  test('istio-base goes first when it is older, from beside the configured chart', async () => {
    const port = installed().put('v1', 'secrets', helmSecret('istio-base', 'deployed', { config: { defaultRevision: '1-26' } }));
    const { calls, values, runner } = helm(port);
    await install(port, runner, { chart: 'oci://registry.example.org/charts/istiod', toVersion: '1.28.3' });
    expect(calls.map((args) => args.slice(0, 6).join(' '))).toEqual([
      'upgrade --install istio-base oci://registry.example.org/charts/base --version 1.28.3',
      'upgrade --install istiod-1-28 oci://registry.example.org/charts/istiod --version 1.28.3',
    ]);
    expect(values[0]).toEqual({ defaultRevision: '1-26' });
  });

  test('istio-base keeps the default validator where it points now, not where its values say: that revision may be gone', async () => {
    const port = installed().put('v1', 'secrets', helmSecret('istio-base', 'deployed', { config: { defaultRevision: '1-24', keep: 1 } }));
    const { values, runner } = helm(port);
    await install(port, runner);
    expect(values[0]).toEqual({ defaultRevision: '1-26', keep: 1 });
  });

  test('a release that is there already is adopted', async () => {
    const port = installed().put('v1', 'secrets', helmSecret('istiod-1-28', 'deployed', { appVersion: '1.28.1' }));
    const { calls, runner } = helm(port);
    expect(await install(port, runner)).toEqual({ version: '1.28.1' });
    expect(calls).toEqual([]);
  });

  test.each([
    [
      'pending-install',
      'looking at Helm release istio-system/istiod-1-28: another operation is in progress (pending-install); let it end, or helm rollback or uninstall it, then retry',
    ],
    ['pending-upgrade', 'another operation is in progress (pending-upgrade)'],
  ])('a release that is %s is refused', async (status, message) => {
    const port = installed().put('v1', 'secrets', helmSecret('istiod-1-28', status));
    const { calls, runner } = helm(port);
    await expect(install(port, runner)).rejects.toThrow(message);
    expect(calls).toEqual([]);
  });

  test.each(['pending-install', 'pending-upgrade'])('a release of ours that a killed worker left %s is taken up', async (status) => {
    const port = installed().put('v1', 'secrets', helmSecret('istiod-1-28', status, { labels: { 'belay.dev/token': 'belay-0' } }));
    const { calls, runner } = helm(port);
    expect(await install(port, runner)).toEqual({ version: '1.28.3' });
    expect(port.deleted).toEqual(['secrets/istio-system/sh.helm.release.v1.istiod-1-28.v1']);
    expect(calls).toHaveLength(1);
  });

  test('a failed release is tried again', async () => {
    const port = installed().put('v1', 'secrets', helmSecret('istiod-1-28', 'failed', { appVersion: '1.28.3' }));
    const { calls, runner } = helm(port);
    await install(port, runner);
    expect(calls).toHaveLength(1);
  });

  test.each([
    [
      'another version has the name',
      (port: FakeKubernetes) => port.put('v1', 'secrets', helmSecret('istiod-1-28', 'deployed', { appVersion: '1.27.0' })),
      'release istio-system/istiod-1-28 is there with 1.27.0; uninstall it, or plan again',
    ],
    [
      'Istio is not installed by Helm',
      (port: FakeKubernetes) =>
        port.remove({ apiVersion: 'v1', plural: 'secrets', namespace: 'istio-system', name: 'sh.helm.release.v1.istiod-1-26.v1' }),
      'there is no release istio-system/istiod-1-26; if something else installs Istio, say so in managedBy.istio',
    ],
  ])('refused: %s', async (_title, change, message) => {
    const port = installed();
    change(port);
    await expect(install(port, helm(port).runner)).rejects.toThrow(message);
  });

  test('a helm that is too old says which one it takes', async () => {
    const port = installed();
    const { runner } = helm(port, (args) => (args[0] === 'show' ? undefined : { code: 1, stderr: 'Error: unknown flag: --labels' }));
    await expect(install(port, runner)).rejects.toMatchObject({
      type: 'Configuration',
      message: "installing Istio revision 1-28: this worker's helm is too old; install Helm 3.13 or newer",
    });
  });

  test('the way back installs a retired release with the values of its record, and only with them', async () => {
    const port = movedWorld().put('v1', 'secrets', helmSecret('istiod-1-28', 'deployed', { config: { revision: '1-28' } }));
    const place = { namespace: 'istio-system', name: 'mesh-old' };
    const back = () =>
      activities(port, runner).installIstioRevision({
        cluster,
        canary: { ...canary, fromRevision: '1-28', toRevision: '1-26', back: { release: place } },
        token: 'belay-1',
      });
    const { calls, values, runner } = helm(port);
    await expect(back()).rejects.toMatchObject({
      type: 'Configuration',
      message:
        'installing Istio revision 1-26 again: Helm has no record of release istio-system/mesh-old any more; install it with the values that it had, then plan again',
    });
    expect(calls).toEqual([]);
    port.put('v1', 'secrets', helmSecret('mesh-old', 'uninstalled', { config: { revision: '1-26', pilot: { tag: '1.26.2' } } }));
    await back();
    expect(calls.map((args) => args.slice(0, 3).join(' '))).toEqual(['upgrade --install mesh-old']);
    expect(values).toEqual([{ revision: '1-26', pilot: { tag: '1.26.2' } }]);
  });

  test('a worker without helm says so', async () => {
    await expect(install(installed(), undefined)).rejects.toThrow(
      'this worker has no helm; install it, or set managedBy to who installs it',
    );
  });

  test('retires in the right order: tag default and validator first, then helm; a second call does nothing', async () => {
    const port = movedWorld().put('v1', 'secrets', helmSecret('istiod-1-26', 'deployed'));
    addTag(port, 'default', '1-26');
    port.edit(
      VALIDATOR,
      (object) =>
        void (object['webhooks'] = [{ name: 'v', clientConfig: { service: { name: 'istiod-1-26', namespace: 'istio-system' } } }]),
    );
    const before = await activities(port, undefined).checkRetirement({ cluster, revision: '1-26', successor: '1-28' });
    expect(before.findings.filter(({ severity, status }) => severity === 'required' && status !== 'pass')).toEqual([]);
    const { calls, runner } = helm(port, (args) => {
      if (args[0] !== 'uninstall') return undefined;
      expect(port.look(VALIDATOR)).toMatchObject({ webhooks: [{ clientConfig: { service: { name: 'istiod-1-28' } } }] });
      expect(port.look(MUTATING('istio-revision-tag-default')).metadata.labels?.['istio.io/rev']).toBe('1-28');
      port.remove({ apiVersion: 'v1', plural: 'secrets', namespace: 'istio-system', name: 'sh.helm.release.v1.istiod-1-26.v1' });
      port.remove(ISTIOD);
      return { code: 0 };
    });
    await retire(port, runner);
    await retire(port, runner);
    expect(calls).toEqual([['uninstall', 'istiod-1-26', '--namespace', 'istio-system', '--keep-history', '--description', 'belay-2']]);
  });

  test('a default validator that GitOps owns is not overtaken: nothing is uninstalled while it calls the old istiod', async () => {
    const port = movedWorld().put('v1', 'secrets', helmSecret('istiod-1-26', 'deployed'));
    port.edit(VALIDATOR, (object) => {
      object.metadata.annotations = { 'argocd.argoproj.io/tracking-id': 'mesh:x' };
      object['webhooks'] = [{ name: 'v', clientConfig: { service: { name: 'istiod-1-26', namespace: 'istio-system' } } }];
    });
    const { calls, runner } = helm(port);
    await expect(retire(port, runner)).rejects.toThrow(
      'retiring Istio revision 1-26: ValidatingWebhookConfiguration istiod-default-validator belongs to Argo CD; point it at 1-28 there, then retry',
    );
    expect(calls).toEqual([]);
  });

  test('an uninstall that was cut off is taken up, by what is left of the revision', async () => {
    const port = movedWorld().put('v1', 'secrets', helmSecret('mesh-old', 'uninstalling'));
    port.remove(ISTIOD);
    port.edit(
      MUTATING('istio-sidecar-injector-1-26'),
      ({ metadata }) =>
        void (metadata.annotations = { 'meta.helm.sh/release-name': 'mesh-old', 'meta.helm.sh/release-namespace': 'istio-system' }),
    );
    const { calls, runner } = helm(port);
    await retire(port, runner);
    expect(calls.map((args) => args.slice(0, 2).join(' '))).toEqual(['uninstall mesh-old']);
  });

  test('refuses where an istiod runs that no release of Helm holds: it would stay, and be taken for retired', async () => {
    const port = movedWorld();
    const { calls, runner } = helm(port);
    await expect(retire(port, runner)).rejects.toThrow(
      'looking for the Helm release of Istio revision 1-26: there is no release istio-system/istiod-1-26; if something else installs Istio, say so in managedBy.istio',
    );
    expect(calls).toEqual([]);
  });

  test('refuses while a tag is a part of the release: it would go with it', async () => {
    const port = movedWorld().put('v1', 'secrets', helmSecret('istiod-1-26', 'deployed'));
    for (const name of ['istio-sidecar-injector-1-26', 'istio-revision-tag-prod']) {
      port.edit(MUTATING(name), ({ metadata }) => void (metadata.annotations = { 'meta.helm.sh/release-name': 'istiod-1-26' }));
    }
    const { calls, runner } = helm(port);
    await expect(retire(port, runner)).rejects.toThrow(
      'retiring Istio revision 1-26: tags are a part of the Helm release of 1-26 (revisionTags) and go when it does: their namespaces would start without sidecars (prod)',
    );
    expect(calls).toEqual([]);
  });

  test('refuses when something has come to use the revision since people decided', async () => {
    const port = movedWorld().put('v1', 'secrets', helmSecret('istiod-1-26', 'deployed'));
    addMeshPod(port, 'late', 'web', '1-26', '1.26.2');
    const { calls, runner } = helm(port);
    await expect(retire(port, runner)).rejects.toThrow('retiring Istio revision 1-26: pods still have a proxy of 1-26 (late/web-7c9d-x)');
    expect(calls).toEqual([]);
  });
});
