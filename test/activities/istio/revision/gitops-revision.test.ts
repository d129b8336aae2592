/** Revisions of Istio through Flux and Argo CD: what a new revision's object is, who is asked for it, and how the old one goes. */
import { describe, expect, test } from 'vitest';
import { createGitOpsActivities } from '../../../../activities/kubernetes/gitops/await-delivered.ts';
import type { IstioCanary, NodeAgentChange } from '../../../../domain/plan/model/changes.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, type FakeKubernetes, quickTiming, type Seed } from '../../../support/fake-kubernetes.ts';
import { addRevision, addTag, meshWorld, MUTATING } from '../../../support/istio-objects.ts';
import { createIstioActivities } from '../../../../activities/istio/index.ts';

const FLUX = 'helm.toolkit.fluxcd.io/v2';
const SOURCE = 'source.toolkit.fluxcd.io/v1';
const ARGO = 'argoproj.io/v1alpha1';
const CANARY: IstioCanary = {
  fromRevision: '1-26',
  fromVersion: '1.26.2',
  toRevision: '1-28',
  toMinor: '1.28',
  retire: { bakeMs: 0 },
  waves: [],
};
const KEPT = { 'kustomize.toolkit.fluxcd.io/name': 'platform', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' };
const VALUES = { revision: '1-26', revisionTags: ['prod'], pilot: { tag: '1.26.2', autoscaleMin: 2, env: { API_TOKEN: 'abc' } } };

const release = (name: string) => ({ apiVersion: FLUX, plural: 'helmreleases', namespace: 'flux-system', name });
const repository = (name: string) => ({ apiVersion: SOURCE, plural: 'ocirepositories', namespace: 'flux-system', name });
const application = (name: string) => ({ apiVersion: ARGO, plural: 'applications', namespace: 'argocd', name });
const ISTIOD = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'istio-system', name: 'istiod-1-26' };

/** Only revision 1-26 is there, delivered by Flux from an OCIRepository, and istio-base by version. */
function byFlux(change: { labels?: Record<string, string>; suspend?: boolean; name?: string } = {}): FakeKubernetes {
  const { name = 'istiod-1-26', labels, suspend } = change;
  const port = oldMesh();
  port.put(FLUX, 'helmreleases', {
    metadata: { name: 'istio-base', namespace: 'flux-system', ...(labels === undefined ? {} : { labels }) },
    spec: { chart: { spec: { chart: 'base', version: '1.26.2' } }, values: { defaultRevision: '1-26' } },
  });
  port.put(SOURCE, 'ocirepositories', {
    metadata: { name, namespace: 'flux-system', ...(labels === undefined ? {} : { labels }) },
    spec: { interval: '10m', url: 'oci://gcr.io/istio-release/charts/istiod', ref: { tag: '1.26.2' } },
  });
  return port.put(FLUX, 'helmreleases', {
    metadata: {
      name,
      namespace: 'flux-system',
      labels: { team: 'mesh', ...labels },
      annotations: { 'reconcile.fluxcd.io/requestedAt': 'then', 'a.b/c': 'kept' },
    },
    spec: {
      interval: '10m',
      releaseName: name,
      targetNamespace: 'istio-system',
      chartRef: { kind: 'OCIRepository', name },
      valuesFrom: [{ kind: 'ConfigMap', name: 'mesh' }],
      driftDetection: { mode: 'enabled', ignore: [{ paths: ['/webhooks'], target: { name: 'istio-sidecar-injector-1-26' } }] },
      ...(suspend === undefined ? {} : { suspend }),
      values: VALUES,
    },
  });
}

function byArgo(change: Partial<Seed> = {}, spec: object = {}): FakeKubernetes {
  const port = oldMesh();
  port.edit(
    ISTIOD,
    ({ metadata }) => void (metadata.annotations = { 'argocd.argoproj.io/tracking-id': 'mesh:apps/Deployment:istio-system/istiod-1-26' }),
  );
  return port.put(ARGO, 'applications', {
    metadata: { name: 'mesh', namespace: 'argocd' },
    spec: {
      project: 'p',
      destination: { namespace: 'istio-system' },
      ignoreDifferences: [{ kind: 'MutatingWebhookConfiguration', name: 'istio-sidecar-injector-1-26', jsonPointers: ['/webhooks'] }],
      source: { repoURL: 'https://x', chart: 'istiod', targetRevision: '1.26.2', helm: { values: '# ours\nrevision: 1-26\n' } },
      ...spec,
    },
    ...change,
  });
}

/** A second chart has come into the Application. */
function twoSources(port: FakeKubernetes): void {
  port.edit(application('mesh'), (object) => {
    const { source, ...spec } = object.spec as { source: object };
    object.spec = { ...spec, sources: [{ chart: 'base', targetRevision: '1.26.2' }, source] };
  });
}

function oldMesh(): FakeKubernetes {
  const port = meshWorld();
  port.remove({ ...ISTIOD, name: 'istiod-1-28' });
  return port;
}

const istio = (port: FakeKubernetes) => createIstioActivities(depsOf(port));
const examine = (port: FakeKubernetes, kind: 'HelmRelease' | 'Application' = 'HelmRelease') =>
  istio(port).examineIstioDelivery({ cluster: CLUSTER, kind, canary: CANARY });

async function make(port: FakeKubernetes, kind: 'HelmRelease' | 'Application' = 'HelmRelease', token = 't-1') {
  const { old } = await examine(port, kind);
  if (old === undefined) throw new Error('nothing delivers the old revision');
  return await istio(port).createDeliveredRevision({ cluster: CLUSTER, old, canary: CANARY, version: '1.28.3', token });
}

describe('a new revision', () => {
  test('by Flux is a copy of the old one: chart, revision and names changed, pins and tags left out, everything else kept', async () => {
    const port = byFlux();
    expect(await make(port)).toEqual({
      chart: {
        kind: 'HelmRelease',
        namespace: 'flux-system',
        name: 'istiod-1-28',
        chart: 'istiod',
        version: '1.28.3',
        repository: { namespace: 'flux-system', name: 'istiod-1-28' },
      },
    });
    expect(port.look(repository('istiod-1-28'))['spec']).toEqual({
      interval: '10m',
      url: 'oci://gcr.io/istio-release/charts/istiod',
      ref: { tag: '1.28.3' },
    });
    const made = port.look(release('istiod-1-28'));
    expect(made.metadata).toMatchObject({
      labels: { team: 'mesh' },
      annotations: { 'a.b/c': 'kept', 'reconcile.fluxcd.io/requestedAt': 't-1' },
    });
    expect(made.spec).toEqual({
      interval: '10m',
      releaseName: 'istiod-1-28',
      targetNamespace: 'istio-system',
      chartRef: { kind: 'OCIRepository', name: 'istiod-1-28' },
      valuesFrom: [{ kind: 'ConfigMap', name: 'mesh' }],
      driftDetection: { mode: 'enabled', ignore: [{ paths: ['/webhooks'], target: { name: 'istio-sidecar-injector-1-28' } }] },
      values: { revision: '1-28', pilot: { autoscaleMin: 2, env: { API_TOKEN: 'abc' } } },
    });
    // The old one is as it was.
    expect(port.look(release('istiod-1-26')).spec).toMatchObject({ values: VALUES });
  });

  test('by Argo CD begins with a sync of its own; what istiod writes into its webhooks stays ignored', async () => {
    const port = byArgo();
    await make(port, 'Application');
    expect(port.look(application('mesh-1-28'))).toMatchObject({
      operation: { info: [{ name: 'belay.dev/token', value: 't-1' }], sync: { revision: '1.28.3', prune: false } },
      spec: {
        project: 'p',
        ignoreDifferences: [{ name: 'istio-sidecar-injector-1-28' }],
        source: { chart: 'istiod', targetRevision: '1.28.3', helm: { values: '# ours\nrevision: 1-28\n' } },
      },
    });
  });

  test.each<[string, () => FakeKubernetes, 'HelmRelease' | 'Application']>([
    ['Flux', byFlux, 'HelmRelease'],
    ['Argo CD', byArgo, 'Application'],
  ])('by %s: killed after each creation, the next attempt makes what is missing, and nothing twice', async (_title, build, kind) => {
    const calm = build();
    await make(calm, kind);
    const port = build();
    const create = port.create.bind(port);
    for (let left = 2; left > 0; left -= 1) {
      port.create = async (ref, body) => {
        await create(ref, body);
        throw failureOf('Unavailable', 'the worker died');
      };
      await make(port, kind).catch(() => undefined);
    }
    let created = 0;
    port.create = async (ref, body) => {
      created += 1;
      return await create(ref, body);
    };
    await make(port, kind);
    expect(created).toBe(0);
    const ref = kind === 'HelmRelease' ? release('istiod-1-28') : application('mesh-1-28');
    expect(port.look(ref).spec).toEqual(calm.look(ref).spec);
  });

  test('an object of the name that delivers another revision is somebody’s', async () => {
    const port = byFlux();
    port.put(FLUX, 'helmreleases', {
      metadata: { name: 'istiod-1-28', namespace: 'flux-system' },
      spec: { chart: { spec: { chart: 'istiod', version: '1.28.3' } }, values: { revision: 'canary' } },
    });
    await expect(make(port)).rejects.toThrow('there is one already, and it delivers revision canary; rename or remove it, then retry');
  });

  test('an object of the revision that Git has already, of an older patch, is left to whom keeps it', async () => {
    const port = byFlux();
    const metadata = { name: 'istiod-1-28', namespace: 'flux-system', labels: KEPT };
    const source = { url: 'oci://gcr.io/istio-release/charts/istiod', ref: { tag: '1.28.1' } };
    port.put(SOURCE, 'ocirepositories', { metadata, spec: source });
    port.put(FLUX, 'helmreleases', {
      metadata,
      spec: { chartRef: { kind: 'OCIRepository', name: 'istiod-1-28' }, values: { revision: '1-28' } },
    });
    expect(await make(port)).toMatchObject({ chart: { name: 'istiod-1-28' }, owner: 'Kustomization flux-system/platform' });
    expect(port.look(repository('istiod-1-28'))['spec']).toEqual(source);
  });

  test.each<[string, () => FakeKubernetes, 'HelmRelease' | 'Application', (port: FakeKubernetes) => void, string]>([
    [
      'the old HelmRelease has gone',
      byFlux,
      'HelmRelease',
      (port) => port.remove(release('istiod-1-26')),
      'reading HelmRelease flux-system/istiod-1-26: it, or its OCIRepository, is not there any more; plan again',
    ],
    [
      'its OCIRepository has gone',
      byFlux,
      'HelmRelease',
      (port) => port.remove(repository('istiod-1-26')),
      'reading HelmRelease flux-system/istiod-1-26: it, or its OCIRepository, is not there any more; plan again',
    ],
    [
      'the old Application has gone',
      byArgo,
      'Application',
      (port) => port.remove(application('mesh')),
      'reading Application argocd/mesh: it is not there any more; plan again',
    ],
    [
      'the old Application has several sources by now',
      byArgo,
      'Application',
      twoSources,
      'making the object of Istio revision 1-28: Application argocd/mesh has 2 sources, which live and go together',
    ],
  ])('is not made where %s since people looked', async (_title, build, kind, change, message) => {
    const port = build();
    const { old } = await examine(port, kind);
    if (old === undefined) throw new Error('nothing delivers the old revision');
    change(port);
    port.create = () => Promise.reject(new Error('nothing is to be created'));
    await expect(
      istio(port).createDeliveredRevision({ cluster: CLUSTER, old, canary: CANARY, version: '1.28.3', token: 't-1' }),
    ).rejects.toThrow(expect.objectContaining({ message }));
  });

  test('a suspended object is not copied', async () => {
    await expect(examine(byFlux({ suspend: true }))).rejects.toThrow(
      'HelmRelease flux-system/istiod-1-26 is suspended; resume it, then retry',
    );
  });

  test('without the right to make it, the role is named', async () => {
    const port = byFlux();
    port.create = async () => {
      throw failureOf('AccessDenied', 'creating ocirepositories: forbidden');
    };
    await expect(make(port)).rejects.toThrow('apply deploy/kubernetes-rbac-istio-gitops.yaml, or have the object kept in Git');
  });
});

describe('what is shown before', () => {
  test('the places that differ, and a manifest without what may be secret', async () => {
    const { base, fresh } = await examine(byFlux({ labels: KEPT }));
    expect(base).toMatchObject({ chart: { name: 'istio-base', owner: 'Kustomization flux-system/platform' }, values: [], changes: [] });
    expect(fresh).toMatchObject({
      owner: 'Kustomization flux-system/platform',
      withheld: true,
      changes: ['revision: 1-26 → 1-28', 'revisionTags: ["prod"] → not set', 'pilot.tag: 1.26.2 → not set'],
    });
    expect(fresh?.manifest).toContain('name: istiod-1-28');
    expect(fresh?.manifest).toContain('API_TOKEN: (withheld)');
    expect(fresh?.manifest).not.toContain('abc');
  });

  test('a revision that nothing delivers has no object to be copied or removed', async () => {
    const port = oldMesh();
    expect(await examine(port)).toEqual({});
    expect(await istio(port).findDeliveredRevision({ cluster: CLUSTER, kind: 'HelmRelease', revision: '1-26' })).toEqual({});
  });

  test('istio-base keeps the default validator where it points now, though its values say otherwise', async () => {
    const port = byFlux();
    port.edit(release('istio-base'), (object) => void ((object.spec as { values: object }).values = { defaultRevision: '1-24' }));
    expect((await examine(port)).base?.changes).toEqual(['defaultRevision: 1-24 → 1-26']);
  });

  test('values that have proxies ask the old istiod are not copied', async () => {
    const port = byFlux();
    port.edit(release('istiod-1-26'), ({ spec }) =>
      Object.assign((spec as { values: object }).values, { global: { caAddress: 'istiod-1-26.istio-system.svc:15012' } }),
    );
    const { cannot, fresh } = await examine(port);
    expect([cannot, fresh]).toEqual([
      expect.stringContaining('HelmRelease flux-system/istiod-1-26 names istiod-1-26 at global.caAddress'),
      undefined,
    ]);
  });

  test('an Application with several sources is neither copied nor removed', async () => {
    const sources = [
      { chart: 'base', targetRevision: '1.26.2' },
      { chart: 'istiod', targetRevision: '1.26.2', helm: { valuesObject: { revision: '1-26' } } },
    ];
    const port = byArgo({}, { source: undefined, sources });
    const { cannot, fresh, old } = await examine(port, 'Application');
    expect([cannot, fresh, old]).toEqual(['Application argocd/mesh has 2 sources, which live and go together', undefined, undefined]);
    const found = await istio(port).findDeliveredRevision({ cluster: CLUSTER, kind: 'Application', revision: '1-26' });
    expect(found.cannot).toBe(cannot);
    if (found.chart === undefined) throw new Error('not found');
    await expect(
      istio(port).removeDeliveredRevision({ cluster: CLUSTER, chart: found.chart, revision: '1-26', successor: '1-28' }),
    ).rejects.toThrow('2 sources');
    expect(port.deleted).toEqual([]);
  });

  test('marks on istiod tell more than names and values', async () => {
    const port = byFlux({ name: 'mesh' });
    port.edit(ISTIOD, ({ metadata }) => {
      metadata.labels = { ...metadata.labels, 'helm.toolkit.fluxcd.io/name': 'mesh', 'helm.toolkit.fluxcd.io/namespace': 'flux-system' };
    });
    port.edit(release('mesh'), (object) => void ((object.spec as { values?: object }).values = undefined));
    expect((await examine(port)).fresh?.chart).toMatchObject({ name: 'mesh-1-28', repository: { name: 'mesh-1-28' } });
  });
});

describe('from Git', () => {
  const wait = (port: FakeKubernetes) =>
    istio(port).awaitDeliveredRevision({
      cluster: CLUSTER,
      timing: quickTiming({ askTimeoutMs: 30 }),
      kind: 'HelmRelease',
      canary: CANARY,
    });
  const merged = (status: object): FakeKubernetes =>
    byFlux({ labels: KEPT }).put(FLUX, 'helmreleases', {
      metadata: { name: 'any-name', namespace: 'mesh', labels: KEPT, generation: 1 },
      spec: { chart: { spec: { chart: 'istiod', version: '1.28.4' } }, values: { revision: '1-28' } },
      status: { observedGeneration: 1, ...status },
    });

  test('another name and another patch will do', async () => {
    const conditions = [{ type: 'Ready', status: 'True' }];
    const port = merged({ history: [{ chartVersion: '1.28.4', status: 'deployed' }], conditions });
    expect(await wait(port)).toEqual({ kind: 'converged', version: '1.28.4' });
  });

  test('what Flux takes back is a failure at once, and not there when people retry', async () => {
    const conditions = [
      { type: 'Remediated', status: 'True', reason: 'UninstallSucceeded' },
      { type: 'Released', status: 'False', reason: 'InstallFailed', message: 'no CPU' },
    ];
    const port = merged({ history: [{ chartVersion: '1.28.4', status: 'failed' }], conditions });
    expect(await wait(port)).toMatchObject({ kind: 'failed', why: expect.stringContaining('InstallFailed: no CPU') });
    expect((await examine(port)).done).toBeUndefined();
  });

  test('what has been delivered is not asked about again', async () => {
    const port = merged({ history: [{ chartVersion: '1.28.4', status: 'deployed' }], conditions: [{ type: 'Ready', status: 'True' }] });
    expect((await examine(port)).done).toBe(true);
  });

  test.each<[string, object]>([
    ['1.28.3', { kind: 'converged', version: '1.28.3' }],
    ['1.27.9', { kind: 'timed-out', note: 'istio-system/istiod-1-28 is there, of another version' }],
    ['latest', { kind: 'timed-out', note: 'istio-system/istiod-1-28 is there, of another version' }],
  ])('an istiod that came in some other way, at %s', async (version, outcome) => {
    const port = byFlux({ labels: KEPT });
    addRevision(port, '1-28', version);
    expect(await wait(port)).toEqual(outcome);
  });

  test('nothing there is no success', async () => {
    expect(await wait(byFlux({ labels: KEPT }))).toEqual({ kind: 'timed-out', note: 'nothing delivers revision 1-28 yet' });
  });
});

describe('the old revision', () => {
  /** Nothing uses it any more. */
  function idle(port: FakeKubernetes): FakeKubernetes {
    addRevision(port, '1-28', '1.28.3');
    addTag(port, 'prod', '1-28');
    for (const name of ['cart', 'mail']) {
      port.edit({ apiVersion: 'v1', plural: 'namespaces', name }, ({ metadata }) => void (metadata.labels = { 'istio.io/rev': '1-28' }));
      port.edit(
        { apiVersion: 'v1', plural: 'pods', namespace: name, name: 'web-7c9d-x' },
        ({ metadata }) => void (metadata.annotations = { 'istio.io/rev': '1-28' }),
      );
    }
    return port;
  }

  async function remove(port: FakeKubernetes, kind: 'HelmRelease' | 'Application' = 'HelmRelease'): Promise<void> {
    const { chart } = await istio(port).findDeliveredRevision({ cluster: CLUSTER, kind, revision: '1-26' });
    if (chart === undefined) throw new Error('nothing delivers it');
    await istio(port).removeDeliveredRevision({ cluster: CLUSTER, chart, revision: '1-26', successor: '1-28' });
  }

  test('by Flux: Helm keeps its record, release and source go; a second call does nothing', async () => {
    const port = idle(byFlux());
    const { chart } = await istio(port).findDeliveredRevision({ cluster: CLUSTER, kind: 'HelmRelease', revision: '1-26' });
    await remove(port);
    expect(port.patches.at(-1)?.patch.body).toContainEqual({ op: 'add', path: '/spec/uninstall', value: { keepHistory: true } });
    expect(port.deleted).toHaveLength(2);
    if (chart === undefined) throw new Error('not found');
    await istio(port).removeDeliveredRevision({ cluster: CLUSTER, chart, revision: '1-26', successor: '1-28' });
    expect(port.deleted).toHaveLength(2);
  });

  test('by Flux: killed right after the release was deleted, the next attempt deletes its source', async () => {
    const port = idle(byFlux());
    const { chart } = await istio(port).findDeliveredRevision({ cluster: CLUSTER, kind: 'HelmRelease', revision: '1-26' });
    if (chart === undefined) throw new Error('not found');
    const removal = port.delete.bind(port);
    port.delete = async (ref, options) => {
      await removal(ref, options);
      throw failureOf('Unavailable', 'the worker died');
    };
    await expect(remove(port)).rejects.toThrow('the worker died');
    expect(port.look(repository('istiod-1-26')).metadata.name).toBe('istiod-1-26');
    port.delete = removal;
    await istio(port).removeDeliveredRevision({ cluster: CLUSTER, chart, revision: '1-26', successor: '1-28' });
    expect(() => port.look(repository('istiod-1-26'))).toThrow();
  });

  test('by Flux: a release that is on its way already, and one that goes meanwhile, leave no source behind', async () => {
    const going = idle(byFlux());
    going.edit(release('istiod-1-26'), ({ metadata }) => void (metadata.deletionTimestamp = '2031-01-01T00:00:00Z'));
    await remove(going);
    expect(going.deleted).toEqual(['ocirepositories/flux-system/istiod-1-26']);
    const meanwhile = idle(byFlux());
    meanwhile.beforePatch = (ref) => meanwhile.remove(ref);
    await remove(meanwhile);
    expect(meanwhile.deleted).toEqual(['ocirepositories/flux-system/istiod-1-26']);
  });

  test('whose istiod has gone is used by nobody, whatever old pods say', async () => {
    const port = byFlux();
    port.remove(ISTIOD);
    await remove(port);
    expect(port.deleted).toEqual(['helmreleases/flux-system/istiod-1-26', 'ocirepositories/flux-system/istiod-1-26']);
  });

  test('by Argo CD: a finalizer that cascades already is left as it is', async () => {
    const finalizers = ['resources-finalizer.argocd.argoproj.io/background'];
    const port = idle(byArgo({ metadata: { name: 'mesh', namespace: 'argocd', finalizers } }));
    await remove(port, 'Application');
    expect([port.patches, port.deleted]).toEqual([[], ['applications/argocd/mesh']]);
  });

  test('by Argo CD: a second source that comes meanwhile would go with it: nothing is removed', async () => {
    const port = idle(byArgo());
    port.beforePatch = () => {
      port.beforePatch = undefined;
      twoSources(port);
    };
    await expect(remove(port, 'Application')).rejects.toThrow('removing Application mesh: it has several sources by now');
    expect(port.deleted).toEqual([]);
  });

  test('by Argo CD: without the finalizer what it has installed would stay', async () => {
    const port = idle(byArgo());
    let finalizers: unknown;
    port.afterPatch = (ref) => void (finalizers = port.look(ref).metadata.finalizers);
    await remove(port, 'Application');
    expect([finalizers, port.deleted.length]).toEqual([['resources-finalizer.argocd.argoproj.io'], 1]);
  });

  test.each<[string, (port: FakeKubernetes) => void, string]>([
    [
      'a pod still uses it',
      (port) =>
        port.edit(
          { apiVersion: 'v1', plural: 'pods', namespace: 'cart', name: 'web-7c9d-x' },
          ({ metadata }) => void (metadata.annotations = { 'istio.io/rev': '1-26' }),
        ),
      'pods still have a proxy of 1-26',
    ],
    [
      'it is kept in Git by now',
      (port) => port.edit(release('istiod-1-26'), ({ metadata }) => void (metadata.labels = KEPT)),
      'is now kept by Kustomization',
    ],
    [
      'it is suspended: Flux would leave istiod behind',
      (port) => port.edit(release('istiod-1-26'), (object) => void ((object.spec as { suspend?: boolean }).suspend = true)),
      'is suspended; resume it',
    ],
    [
      'a tag still points at it',
      (port) =>
        port.edit(
          MUTATING('istio-revision-tag-prod'),
          ({ metadata }) => void (metadata.labels = { ...metadata.labels, 'istio.io/rev': '1-26' }),
        ),
      'tags point at 1-26',
    ],
  ])('stays where %s', async (_title, change, why) => {
    const port = idle(byFlux());
    change(port);
    await expect(remove(port)).rejects.toThrow(why);
    expect(port.deleted).toEqual([]);
  });

  test('a source that another release uses stays', async () => {
    const port = idle(byFlux());
    port.put(FLUX, 'helmreleases', {
      metadata: { name: 'other', namespace: 'flux-system' },
      spec: { chartRef: { kind: 'OCIRepository', name: 'istiod-1-26' }, values: { revision: 'other' } },
    });
    await remove(port);
    expect(port.look(repository('istiod-1-26')).metadata.name).toBe('istiod-1-26');
  });
});

describe('node agents', () => {
  const CNI: NodeAgentChange = {
    kind: 'istio-cni',
    namespace: 'istio-system',
    daemonSet: 'istio-cni-node',
    from: '1.27.3',
    toMinor: '1.28',
  };
  const DAEMON_SET = { apiVersion: 'apps/v1', plural: 'daemonsets', namespace: 'istio-system', name: 'istio-cni-node' };
  const find = (port: FakeKubernetes, kind: 'HelmRelease' | 'Application') =>
    istio(port).findDeliveredAgent({ cluster: CLUSTER, kind, agent: CNI });
  const set = (port: FakeKubernetes, found: Awaited<ReturnType<typeof find>>) => {
    if (found.chart === undefined) throw new Error('nothing delivers it');
    const { chart, values = [] } = found;
    return createGitOpsActivities(depsOf(port)).setDeliveredVersion({
      cluster: CLUSTER,
      chart,
      to: '1.28',
      token: 't-1',
      skipCrds: false,
      values,
    });
  };

  /** A DaemonSet with a tool's marks. */
  const withAgent = (marks: Seed['metadata'] | object): FakeKubernetes =>
    meshWorld().put('apps/v1', 'daemonsets', { metadata: { name: 'istio-cni-node', namespace: 'istio-system', ...marks } });
  const byName = { labels: { 'helm.toolkit.fluxcd.io/name': 'nodes', 'helm.toolkit.fluxcd.io/namespace': 'flux-system' } };
  const addRelease = (port: FakeKubernetes, name: string, labels?: Record<string, string>): FakeKubernetes =>
    port.put(FLUX, 'helmreleases', {
      metadata: { name, namespace: 'flux-system', ...(labels === undefined ? {} : { labels }) },
      spec: {
        chart: { spec: { chart: 'cni', version: '1.27.3' } },
        values: { tag: '1.27.3', global: { tag: '1.27.3', hub: 'h' }, cni: { excludeNamespaces: ['kube-system'] } },
      },
    });

  test('Flux: of two releases the one whose marks the DaemonSet has; its version and pins change, nothing else does', async () => {
    const port = addRelease(addRelease(withAgent(byName), 'other'), 'nodes');
    const found = await find(port, 'HelmRelease');
    expect(found.chart).toMatchObject({ name: 'nodes', chart: 'cni', version: '1.27.3' });
    expect(await set(port, found)).toEqual({ kind: 'set' });
    expect(port.look(release('nodes')).spec).toMatchObject({
      chart: { spec: { version: '~1.28.0' } },
      values: { global: { hub: 'h' }, cni: { excludeNamespaces: ['kube-system'] } },
    });
    expect(JSON.stringify(port.look(release('nodes')).spec)).not.toContain('1.27.3');
    expect(port.look(release('other')).spec).toMatchObject({ chart: { spec: { version: '1.27.3' } } });
  });

  test('Flux: kept as in Git, it is not touched', async () => {
    const port = addRelease(withAgent(byName), 'nodes', KEPT);
    const found = await find(port, 'HelmRelease');
    expect(await set(port, found)).toEqual({ kind: 'owned', owner: 'Kustomization flux-system/platform' });
    expect(port.patches).toEqual([]);
  });

  test('Flux: kept as in Git and merged with the old image pinned, it is still asked for', async () => {
    const port = addRelease(withAgent(byName), 'nodes', KEPT);
    port.edit(
      release('nodes'),
      (object) => void ((object.spec as { chart: object }).chart = { spec: { chart: 'cni', version: '1.28.3' } }),
    );
    expect(await set(port, await find(port, 'HelmRelease'))).toMatchObject({ kind: 'owned' });
  });

  test('Argo CD: in an Application with several sources only that of the agent', async () => {
    const tracked = { annotations: { 'argocd.argoproj.io/tracking-id': 'mesh:apps/DaemonSet:istio-system/istio-cni-node' } };
    const sources = [
      { chart: 'base', targetRevision: '1.28.3' },
      { chart: 'cni', targetRevision: '1.27.3', helm: { values: '# ours\nexcludeNamespaces: [kube-system]\ntag: 1.27.3\n' } },
    ];
    const port = withAgent(tracked).put(ARGO, 'applications', { metadata: { name: 'mesh', namespace: 'argocd' }, spec: { sources } });
    expect(await set(port, await find(port, 'Application'))).toEqual({ kind: 'set' });
    expect(port.look(application('mesh'))).toMatchObject({
      operation: { sync: { revisions: ['1.28.3', '~1.28.0'], prune: false } },
      spec: {
        sources: [
          { chart: 'base', targetRevision: '1.28.3' },
          { chart: 'cni', targetRevision: '~1.28.0', helm: { values: '# ours\nexcludeNamespaces: [ kube-system ]\n' } },
        ],
      },
    });
  });

  const to130 = (port: FakeKubernetes, kind: 'HelmRelease' | 'Application', agent: Partial<NodeAgentChange> = {}) =>
    istio(port).findDeliveredAgent({ cluster: CLUSTER, kind, agent: { ...CNI, from: '1.29.6', toMinor: '1.30', ...agent } });
  const hubs = ({ values = [] }: Awaited<ReturnType<typeof find>>) => values.filter(({ value }) => value !== undefined);
  const single = (chart: string, spec: object) =>
    meshWorld().put(FLUX, 'helmreleases', {
      metadata: { name: 'nodes', namespace: 'flux-system' },
      spec: { chart: { spec: { chart, version: '1.29.6' } }, ...spec },
    });
  const byArgoCd = (helm: object) =>
    meshWorld().put(ARGO, 'applications', {
      metadata: { name: 'nodes', namespace: 'argocd' },
      spec: { source: { chart: 'cni', targetRevision: '1.29.6', helm } },
    });

  test('to 1.30, whose charts take images from a registry that ends: one that stays is among the values', async () => {
    const hub = { path: ['global', 'hub'], value: 'docker.io/istio' };
    expect(hubs(await to130(single('cni', {}), 'HelmRelease'))).toEqual([hub]);
    expect(hubs(await to130(byArgoCd({ values: 'cni: {}' }), 'Application'))).toEqual([hub]);
    expect(hubs(await to130(single('ztunnel', {}), 'HelmRelease', { kind: 'ztunnel', daemonSet: 'ztunnel' }))).toEqual([
      { path: ['hub'], value: 'docker.io/istio' },
    ]);
    const mirrored = single('cni', { values: { global: { hub: 'mirror.example.org/istio' } } });
    expect(hubs(await to130(mirrored, 'HelmRelease'))).toEqual([]);
    expect(hubs(await to130(single('cni', {}), 'HelmRelease', { toMinor: '1.31' }))).toEqual([]);
  });

  test('to 1.30, with values from references: they may name a mirror, so the registry stays as it is', async () => {
    expect(hubs(await to130(single('cni', { valuesFrom: [{ kind: 'ConfigMap', name: 'mirror' }] }), 'HelmRelease'))).toEqual([]);
    expect(hubs(await to130(single('cni', { valuesFrom: [] }), 'HelmRelease'))).toHaveLength(1);
    expect(hubs(await to130(byArgoCd({ valueFiles: ['mirror.yaml'] }), 'Application'))).toEqual([]);
    const ztunnel = single('ztunnel', { values: { global: { hub: 'mirror.example.org/istio' } } });
    expect(hubs(await to130(ztunnel, 'HelmRelease', { kind: 'ztunnel', daemonSet: 'ztunnel' }))).toEqual([]);
  });

  test('a Kustomization of the same name is not the HelmRelease that delivers it', async () => {
    const labels = { 'kustomize.toolkit.fluxcd.io/name': 'one', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' };
    const port = addRelease(addRelease(withAgent({ labels }), 'one'), 'two');
    expect((await find(port, 'HelmRelease')).chart).toBeUndefined();
  });

  test('where two objects deliver the chart and neither has left its marks, none is taken', async () => {
    const port = addRelease(addRelease(withAgent({}), 'one'), 'two');
    expect((await find(port, 'HelmRelease')).chart).toBeUndefined();
    port.edit(DAEMON_SET, ({ metadata }) => void (metadata.labels = { ...byName.labels, 'helm.toolkit.fluxcd.io/name': 'two' }));
    expect((await find(port, 'HelmRelease')).chart).toMatchObject({ name: 'two' });
  });
});
