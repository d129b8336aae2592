/** Flux and Argo CD: what is written, when somebody is asked instead, and what counts as delivered. */
import { describe, expect, test } from 'vitest';
import { createGitOpsActivities } from '../../../../activities/kubernetes/gitops/await-delivered.ts';
import { findDeliveredCharts } from '../../../../activities/kubernetes/gitops/find-deliverer.ts';
import { readGitOps } from '../../../../activities/observe/readiness/kubernetes/delivery.ts';
import type { KubeObject, ResourceRef } from '../../../../activities/contract/ports.ts';
import type { DeliveredChart } from '../../../../domain/facts/facts.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming, type Seed } from '../../../support/fake-kubernetes.ts';

const FLUX: DeliveredChart = { kind: 'HelmRelease', namespace: 'flux-system', name: 'karpenter', chart: 'karpenter', version: '1.1.10' };
const OCI: DeliveredChart = { ...FLUX, repository: { namespace: 'flux-system', name: 'karpenter' } };
const ARGO: DeliveredChart = { kind: 'Application', namespace: 'argocd', name: 'karpenter', chart: 'karpenter', version: '1.1.10' };
const RELEASE: ResourceRef = {
  apiVersion: 'helm.toolkit.fluxcd.io/v2',
  plural: 'helmreleases',
  namespace: 'flux-system',
  name: 'karpenter',
};
const REPOSITORY: ResourceRef = { ...RELEASE, apiVersion: 'source.toolkit.fluxcd.io/v1', plural: 'ocirepositories' };
const APPLICATION: ResourceRef = { apiVersion: 'argoproj.io/v1alpha1', plural: 'applications', namespace: 'argocd', name: 'karpenter' };
const KEPT = { 'kustomize.toolkit.fluxcd.io/name': 'platform', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' };
const TO = '1.2.8';

function cluster(
  change: { labels?: Record<string, string>; release?: object; repository?: object; application?: Partial<Seed> } = {},
): FakeKubernetes {
  const { labels, release = { chart: { spec: { chart: 'karpenter', version: '1.1.10' } } }, repository, application } = change;
  const port = new FakeKubernetes();
  const metadata = { name: 'karpenter', namespace: 'flux-system', ...(labels === undefined ? {} : { labels }) };
  port.put(RELEASE.apiVersion, RELEASE.plural, { metadata, spec: release });
  if (repository !== undefined) port.put(REPOSITORY.apiVersion, REPOSITORY.plural, { metadata, spec: repository });
  port.put(APPLICATION.apiVersion, APPLICATION.plural, {
    metadata: { name: 'karpenter', namespace: 'argocd' },
    spec: { source: { chart: 'karpenter', targetRevision: '1.1.10', helm: { releaseName: 'karpenter' } } },
    ...application,
  });
  return port;
}

const OCI_RELEASE = { chartRef: { kind: 'OCIRepository', name: 'karpenter' } };
const ociCluster = (ref: object, labels?: Record<string, string>): FakeKubernetes =>
  cluster({ labels, release: OCI_RELEASE, repository: { url: 'oci://public.ecr.aws/karpenter/karpenter', ref } });

const set = (port: FakeKubernetes, chart: DeliveredChart, more: { token?: string; skipCrds?: boolean } = {}) =>
  createGitOpsActivities(depsOf(port)).setDeliveredVersion({ cluster: CLUSTER, chart, to: TO, token: 't-1', skipCrds: false, ...more });
const watch = (port: FakeKubernetes, chart: DeliveredChart, token?: string) =>
  createGitOpsActivities(depsOf(port)).awaitDelivered({
    cluster: CLUSTER,
    timing: quickTiming({ rolloutTimeoutMs: 30, askTimeoutMs: 30 }),
    chart,
    to: TO,
    token,
  });

/** As the tool's controller would leave the object. */
const status = (port: FakeKubernetes, ref: ResourceRef, value: object): void =>
  port.edit(ref, (object) => void (object.status = { observedGeneration: object.metadata.generation, ...value }));

describe('what is found', () => {
  test('the CRDs come first; versions of all kinds of sources, and who keeps them as in Git', async () => {
    const port = ociCluster({ tag: '1.1.10' }, KEPT);
    port.put(RELEASE.apiVersion, RELEASE.plural, {
      metadata: { name: 'crds', namespace: 'flux-system' },
      spec: { chart: { spec: { chart: 'karpenter-crd' } } },
    });
    port.put(RELEASE.apiVersion, RELEASE.plural, {
      metadata: { name: 'other', namespace: 'flux-system' },
      spec: { chartRef: { kind: 'HelmChart', name: 'karpenter' } },
    });
    expect(await findDeliveredCharts(port, CLUSTER, ['karpenter-crd', 'karpenter'])).toEqual([
      { ...FLUX, name: 'crds', chart: 'karpenter-crd', version: '*' },
      { ...OCI, owner: 'Kustomization flux-system/platform' },
      ARGO,
    ]);
  });

  test.each<[string, object, boolean]>([
    ['its own cluster', { server: 'https://kubernetes.default.svc' }, true],
    ['its own cluster, with a port', { server: 'https://kubernetes.default.svc:443' }, true],
    ['its own cluster, by name', { name: 'in-cluster' }, true],
    ['its own cluster, by ARN', { server: 'arn:aws:eks:eu-central-1:111122223333:cluster/prod' }, true],
    ['another cluster, by ARN', { server: 'arn:aws:eks:eu-central-1:444455556666:cluster/prod' }, false],
    ['another cluster', { server: 'https://0A1B2C.gr7.eu-central-1.eks.amazonaws.com' }, false],
    ['another cluster, by name', { name: 'staging' }, false],
  ])('an Application of a hub that delivers to %s', async (_title, destination, found) => {
    const port = cluster();
    port.edit(APPLICATION, ({ spec }) => Object.assign(spec as object, { destination }));
    const charts = await findDeliveredCharts(port, CLUSTER, ['karpenter']);
    expect(charts.some(({ kind }) => kind === 'Application')).toBe(found);
  });

  test('Flux before 2.6, which serves OCIRepositories as v1beta2 alone: nothing is said of what it delivers', async () => {
    const port = cluster({ release: OCI_RELEASE });
    port.put('source.toolkit.fluxcd.io/v1beta2', REPOSITORY.plural, {
      metadata: { name: 'karpenter', namespace: 'flux-system' },
      spec: { url: 'oci://public.ecr.aws/karpenter/karpenter', ref: { tag: '1.1.10' } },
    });
    const old =
      'listing OCIRepositories: HelmRelease flux-system/karpenter takes its chart from one, and the cluster does not serve source.toolkit.fluxcd.io/v1; upgrade Flux to 2.6 or newer';
    await expect(findDeliveredCharts(port, CLUSTER, ['karpenter'])).rejects.toThrow(old);
    await expect(readGitOps(port, CLUSTER)).rejects.toThrow(old);
  });

  test.each(['v2beta2', 'v2beta1'])(
    'Flux before 2.3, which serves HelmReleases as %s: nothing is said of what it delivers',
    async (version) => {
      const port = new FakeKubernetes();
      port.put(`helm.toolkit.fluxcd.io/${version}`, RELEASE.plural, {
        metadata: { name: 'karpenter', namespace: 'flux-system' },
        spec: { chart: { spec: { chart: 'karpenter', version: '1.1.10' } } },
      });
      const old =
        'listing HelmReleases: the cluster has flux-system/karpenter, and does not serve helm.toolkit.fluxcd.io/v2; upgrade Flux to 2.3 or newer';
      await expect(findDeliveredCharts(port, CLUSTER, ['karpenter'])).rejects.toThrow(old);
      await expect(readGitOps(port, CLUSTER)).rejects.toThrow(old);
    },
  );

  test('a HelmRelease with a kubeConfig delivers to another cluster', async () => {
    const port = cluster();
    port.edit(RELEASE, ({ spec }) => Object.assign(spec as object, { kubeConfig: { secretRef: { name: 'staging' } } }));
    expect(await findDeliveredCharts(port, CLUSTER, ['karpenter'])).toEqual([ARGO]);
  });

  test.each<[string, Partial<KubeObject['metadata']>, string | undefined]>([
    ['nobody', {}, undefined],
    [
      'a parent Application',
      { annotations: { 'argocd.argoproj.io/tracking-id': 'root:argoproj.io/Application:argocd/karpenter' } },
      'Application root',
    ],
    ['a parent by label', { labels: { 'app.kubernetes.io/instance': 'root' } }, 'Application root'],
    [
      'an ApplicationSet',
      { ownerReferences: [{ apiVersion: 'argoproj.io/v1alpha1', kind: 'ApplicationSet', name: 'fleet', uid: 'u', controller: true }] },
      'ApplicationSet fleet',
    ],
    ['Terraform', { managedFields: [{ manager: 'Terraform' }] }, 'Terraform'],
    [
      'a ResourceSet',
      { labels: { 'resourceset.fluxcd.controlplane.io/name': 'apps', 'resourceset.fluxcd.controlplane.io/namespace': 'flux-system' } },
      'ResourceSet flux-system/apps',
    ],
    [
      'a HelmRelease',
      { labels: { 'helm.toolkit.fluxcd.io/name': 'apps', 'helm.toolkit.fluxcd.io/namespace': 'flux-system' } },
      'HelmRelease flux-system/apps',
    ],
  ])('an Application that %s keeps', async (_title, metadata, owner) => {
    const port = cluster();
    port.edit(APPLICATION, (object) => void Object.assign(object.metadata, metadata));
    const found = (await findDeliveredCharts(port, CLUSTER, ['karpenter'])).find(({ kind }) => kind === 'Application');
    expect(found?.owner).toBe(owner);
  });
});

describe('Flux', () => {
  test('the version is written into the HelmRelease, which is to be reconciled now; a second call changes nothing', async () => {
    const port = cluster();
    expect(await set(port, FLUX)).toEqual({ kind: 'set' });
    expect(port.look(RELEASE)).toMatchObject({
      spec: { chart: { spec: { chart: 'karpenter', version: TO } } },
      metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': 't-1', 'reconcile.fluxcd.io/resetAt': 't-1' } },
    });
    await set(port, FLUX);
    expect(port.patches).toHaveLength(1);
  });

  test('or into the OCIRepository, whose range and digest would outweigh a tag', async () => {
    const port = ociCluster({ semver: '1.1.x', digest: 'sha256:00' });
    expect(await set(port, OCI)).toEqual({ kind: 'set' });
    expect(port.look(REPOSITORY).spec).toEqual({ url: 'oci://public.ecr.aws/karpenter/karpenter', ref: { tag: TO } });
    expect(port.look(RELEASE).spec).toEqual(OCI_RELEASE);
  });

  test('a lost answer is found: the change is made once', async () => {
    const port = cluster();
    port.afterPatch = () => {
      port.afterPatch = undefined;
      throw new Error('socket hang up');
    };
    await expect(set(port, FLUX)).rejects.toThrow('socket hang up');
    await set(port, FLUX);
    expect(port.patches).toHaveLength(1);
  });

  test.each([
    ['the HelmRelease', cluster({ labels: KEPT }), FLUX],
    ['the OCIRepository', ociCluster({ tag: '1.1.10' }, KEPT), OCI],
  ])('somebody keeps %s as in Git: nothing is changed', async (_title, port, chart) => {
    expect(await set(port, chart)).toEqual({ kind: 'owned', owner: 'Kustomization flux-system/platform' });
    expect(port.patches).toEqual([]);
  });

  test('what the owner of an OCIRepository has merged is left as it is there', async () => {
    const port = ociCluster({ semver: TO }, KEPT);
    expect(await set(port, OCI)).toEqual({ kind: 'set' });
    expect(port.look(REPOSITORY).spec).toEqual({ url: 'oci://public.ecr.aws/karpenter/karpenter', ref: { semver: TO } });
  });

  test.each<[string, FakeKubernetes, DeliveredChart, ResourceRef]>([
    ['HelmRelease', cluster(), FLUX, RELEASE],
    ['OCIRepository', ociCluster({ tag: '1.1.10' }), OCI, REPOSITORY],
  ])('a chart whose %s has gone is planned again', async (_title, port, chart, ref) => {
    const message = 'reading HelmRelease flux-system/karpenter: it, or its OCIRepository, is not there any more; plan again';
    port.remove(ref);
    await expect(set(port, chart)).rejects.toMatchObject({ type: 'NotFound', message });
    expect(port.patches).toEqual([]);
    port.remove(RELEASE);
    await expect(watch(port, chart, 't-1')).rejects.toMatchObject({ type: 'NotFound', message });
  });

  test('a version that is merged into the HelmRelease itself, in place of its OCIRepository, is delivered', async () => {
    const port = cluster({ release: { chart: { spec: { chart: 'karpenter', version: TO } } } });
    status(port, RELEASE, { history: deployed(TO), conditions: READY });
    expect(await watch(port, OCI)).toEqual({ kind: 'converged', version: TO });
  });

  test('a suspended HelmRelease would not deliver', async () => {
    const port = cluster({ release: { suspend: true, chart: { spec: { chart: 'karpenter', version: '1.1.10' } } } });
    await expect(set(port, FLUX)).rejects.toMatchObject({
      type: 'InvalidRequest',
      message: 'setting karpenter to 1.2.8: HelmRelease flux-system/karpenter is suspended; resume it, then retry',
    });
  });

  const READY = [{ type: 'Ready', status: 'True' }];
  const deployed = (chartVersion: string) => [{ chartVersion, status: 'deployed' }];
  const REMEDIATED = {
    history: [
      { chartVersion: '1.1.10', status: 'deployed' },
      { chartVersion: TO, status: 'failed' },
    ],
    conditions: [
      { type: 'Released', status: 'False', reason: 'UpgradeFailed', message: 'context deadline exceeded' },
      { type: 'Remediated', status: 'True', reason: 'RollbackSucceeded' },
    ],
  };
  test.each<[string, object, unknown]>([
    [
      'is deployed and ready',
      { lastHandledReconcileAt: 't-1', history: deployed(TO), conditions: READY },
      { kind: 'converged', version: TO },
    ],
    [
      'came from OCI, with its digest',
      { lastHandledReconcileAt: 't-1', history: deployed(`${TO}+4d1f`), conditions: READY },
      { kind: 'converged', version: TO },
    ],
    [
      'was rolled back',
      { lastHandledReconcileAt: 't-1', ...REMEDIATED },
      {
        kind: 'failed',
        why: 'HelmRelease flux-system/karpenter: Flux has taken 1.2.8 back (UpgradeFailed: context deadline exceeded)',
      },
    ],
    [
      'was rolled back in an earlier try, and Flux has not looked since',
      { lastHandledReconcileAt: 't-0', ...REMEDIATED },
      { kind: 'timed-out', note: 'HelmRelease flux-system/karpenter: Flux has not looked yet' },
    ],
    [
      'is not ready, though the release before is deployed',
      { lastHandledReconcileAt: 't-1', history: deployed('1.1.10'), conditions: READY },
      { kind: 'timed-out', note: 'HelmRelease flux-system/karpenter: 1.1.10 is deployed' },
    ],
    [
      'is of a generation that Flux has not seen',
      { observedGeneration: 1, lastHandledReconcileAt: 't-1', history: deployed(TO), conditions: READY },
      { kind: 'timed-out', note: 'HelmRelease flux-system/karpenter: Flux has not seen the change yet' },
    ],
    [
      'Flux has just begun to deliver, and has no conditions yet',
      { lastHandledReconcileAt: 't-1', history: deployed('1.1.10') },
      { kind: 'timed-out', note: 'HelmRelease flux-system/karpenter: 1.1.10 is deployed' },
    ],
  ])('a version that %s', async (_title, now, outcome) => {
    const port = cluster();
    await set(port, FLUX);
    status(port, RELEASE, now);
    expect(await watch(port, FLUX, 't-1')).toEqual(outcome);
  });

  test('a range that its owner keeps is left there: what it delivers counts', async () => {
    const port = cluster({ release: { chart: { spec: { chart: 'karpenter', version: '1.2.x' } } } });
    status(port, RELEASE, { history: deployed('1.2.7'), conditions: READY });
    expect(await watch(port, FLUX)).toEqual({
      kind: 'timed-out',
      note: 'HelmRelease flux-system/karpenter says 1.2.x: 1.2.7 is deployed',
    });
    expect(await watch(port, FLUX, 't-1')).toEqual({ kind: 'put-back', version: '1.2.x' });
    status(port, RELEASE, { history: deployed(TO), conditions: READY });
    expect(await watch(port, FLUX)).toEqual({ kind: 'converged', version: TO });
  });

  test('a version that is put back is told at once; one that somebody else is to merge is waited for', async () => {
    const port = cluster();
    status(port, RELEASE, { history: deployed('1.1.10'), conditions: READY });
    expect(await watch(port, FLUX, 't-1')).toEqual({ kind: 'put-back', version: '1.1.10' });
    expect(await watch(port, FLUX)).toEqual({ kind: 'timed-out', note: 'HelmRelease flux-system/karpenter says 1.1.10' });
  });
});

describe('Argo CD', () => {
  const OURS = { info: [{ name: 'belay.dev/token', value: 't-1' }], sync: { revision: TO } };
  const synced = { sync: { status: 'Synced', revision: TO }, health: { status: 'Healthy' } };

  test('the version, a refresh and one sync; CRDs are left to the Application that delivers them; a second call changes nothing', async () => {
    const port = cluster();
    expect(await set(port, ARGO, { skipCrds: true })).toEqual({ kind: 'set' });
    expect(port.look(APPLICATION)).toMatchObject({
      spec: { source: { chart: 'karpenter', targetRevision: TO, helm: { releaseName: 'karpenter', skipCrds: true } } },
      metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
      operation: {
        initiatedBy: { username: 'belay' },
        info: [{ name: 'belay.dev/token', value: 't-1' }],
        sync: { revision: TO, prune: false, syncStrategy: { hook: {} } },
      },
    });
    const before = port.patches.length;
    await set(port, ARGO, { skipCrds: true });
    // Argo CD has taken the operation up.
    port.edit(APPLICATION, (object) => {
      delete object['operation'];
      object.status = { operationState: { phase: 'Succeeded', operation: OURS } };
    });
    await set(port, ARGO, { skipCrds: true });
    expect(port.patches).toHaveLength(before);
  });

  test('the sync has the options of the Application: without them it would not be applied as Argo CD applies it', async () => {
    const syncOptions = ['ServerSideApply=true', 'RespectIgnoreDifferences=true'];
    const source = { chart: 'karpenter', targetRevision: '1.1.10' };
    const port = cluster({ application: { spec: { source, syncPolicy: { automated: {}, syncOptions } } } });
    await set(port, ARGO);
    expect(port.look(APPLICATION)['operation']).toMatchObject({ sync: { revision: TO, syncOptions } });
  });

  test('one source of several', async () => {
    const sources = [{ ref: 'values' }, { chart: 'karpenter/karpenter', targetRevision: '1.1.10' }];
    const port = cluster({ application: { spec: { sources } } });
    await set(port, ARGO);
    expect(port.look(APPLICATION)).toMatchObject({
      spec: { sources: [{ ref: 'values' }, { targetRevision: TO }] },
      operation: { sync: { revisions: ['', TO] } },
    });
  });

  test('an Application that has gone, before or while it is changed, is planned again', async () => {
    const gone = { type: 'NotFound', message: 'reading Application argocd/karpenter: it is not there any more; plan again' };
    const port = cluster();
    port.beforePatch = (ref) => port.remove(ref);
    await expect(set(port, ARGO)).rejects.toMatchObject(gone);
    await expect(set(port, ARGO)).rejects.toMatchObject(gone);
    await expect(watch(port, ARGO, 't-1')).rejects.toMatchObject(gone);
    expect(port.patches).toEqual([]);
  });

  test('somebody keeps the Application as in Git: nothing is changed, nor is it asked of them once it is merged', async () => {
    const metadata = { name: 'karpenter', namespace: 'argocd', labels: KEPT };
    const port = cluster({ application: { metadata } });
    expect(await set(port, ARGO)).toEqual({ kind: 'owned', owner: 'Kustomization flux-system/platform' });
    expect(port.patches).toEqual([]);
    port.edit(APPLICATION, (object) => void (object.spec = { source: { chart: 'karpenter', targetRevision: TO } }));
    expect(await set(port, ARGO, { skipCrds: true })).toEqual({ kind: 'set' });
    // It would be put back.
    expect(port.look(APPLICATION).spec).toEqual({ source: { chart: 'karpenter', targetRevision: TO } });
  });

  test('a version that is put back is told at once; one that somebody else is to merge is waited for', async () => {
    const port = cluster();
    expect(await watch(port, ARGO, 't-1')).toEqual({ kind: 'put-back', version: '1.1.10' });
    expect(await watch(port, ARGO)).toEqual({ kind: 'timed-out', note: 'Application argocd/karpenter says 1.1.10' });
  });

  test('a range that its owner keeps is left there: what it delivers counts', async () => {
    const port = cluster({ application: { spec: { source: { chart: 'karpenter', targetRevision: '1.2.*' } } } });
    expect(await watch(port, ARGO)).toMatchObject({
      kind: 'timed-out',
      note: 'Application argocd/karpenter says 1.2.*: Unknown at no revision, health unknown',
    });
    port.edit(APPLICATION, (object) => void (object.status = { ...synced, operationState: { phase: 'Succeeded' } }));
    expect(await watch(port, ARGO)).toEqual({ kind: 'converged', version: TO });
  });

  test.each<[string, Partial<Seed>]>([
    ['is asked for', { operation: { sync: { revision: '1.1.10' } } }],
    ['runs', { status: { operationState: { phase: 'Running', operation: { sync: {} } } } }],
  ])('another sync that %s is not disturbed: the call is to be repeated', async (_title, application) => {
    const port = cluster({ application });
    await expect(set(port, ARGO)).rejects.toMatchObject({
      type: 'Unavailable',
      nonRetryable: false,
      message: 'starting the sync of Application argocd/karpenter: another one is running',
    });
    expect(port.look(APPLICATION)['operation']).toEqual(application['operation']);
  });

  test.each<[string, object, unknown]>([
    ['is synced and healthy', { ...synced, operationState: { phase: 'Succeeded', operation: OURS } }, { kind: 'converged', version: TO }],
    [
      'is synced and not healthy',
      { ...synced, health: { status: 'Degraded' }, operationState: { phase: 'Succeeded', operation: OURS } },
      { kind: 'timed-out', note: 'Application argocd/karpenter: Synced at 1.2.8, Degraded' },
    ],
    [
      'was synced once more since, automatically',
      { ...synced, operationState: { phase: 'Succeeded', operation: { sync: {} } } },
      { kind: 'converged', version: TO },
    ],
    [
      'failed',
      { ...synced, operationState: { phase: 'Failed', message: 'one or more objects failed to apply', operation: OURS } },
      { kind: 'failed', why: 'Application argocd/karpenter: the sync Failed: one or more objects failed to apply' },
    ],
    [
      'failed in somebody else’s sync',
      { ...synced, operationState: { phase: 'Failed', operation: { sync: {} } } },
      { kind: 'timed-out', note: 'Application argocd/karpenter: Synced at 1.2.8, Healthy' },
    ],
    [
      'waits for a sync window',
      {
        sync: { status: 'OutOfSync', revision: '1.1.10' },
        health: { status: 'Healthy' },
        operationState: { phase: 'Running', message: 'Sync operation blocked by sync window', operation: OURS },
      },
      {
        kind: 'timed-out',
        note: 'Application argocd/karpenter: OutOfSync at 1.1.10, Healthy; its sync is Running: Sync operation blocked by sync window; wait for the sync window of its AppProject, or set manualSync there, then retry',
      },
    ],
    [
      'has objects that are to be pruned',
      {
        sync: { status: 'OutOfSync', revision: TO },
        health: { status: 'Healthy' },
        operationState: { phase: 'Succeeded', message: 'successfully synced', operation: OURS },
        resources: [
          { kind: 'Deployment', namespace: 'kube-system', name: 'karpenter', status: 'Synced' },
          { kind: 'Secret', namespace: 'kube-system', name: 'karpenter-cert', status: 'OutOfSync', requiresPruning: true },
          { kind: 'ClusterRole', name: 'karpenter-admin', status: 'OutOfSync', requiresPruning: true },
        ],
      },
      {
        kind: 'timed-out',
        note: 'Application argocd/karpenter: OutOfSync at 1.2.8, Healthy; Secret kube-system/karpenter-cert, ClusterRole karpenter-admin no longer in the chart: sync it with prune, then retry',
      },
    ],
  ])('a version that %s', async (_title, now, outcome) => {
    const port = cluster({ application: { spec: { source: { chart: 'karpenter', targetRevision: TO } }, status: now } });
    expect(await watch(port, ARGO, 't-1')).toEqual(outcome);
  });
});
