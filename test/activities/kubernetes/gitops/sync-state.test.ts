/** What Flux and Argo CD say of bringing code to an object: applied, behind and why, or not to be seen and what would be needed for it. */
import { describe, expect, test } from 'vitest';
import { SyncStates } from '../../../../activities/kubernetes/gitops/sync-state.ts';
import type { KubeObject, ResourceRef } from '../../../../activities/contract/ports.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';

type Status = Record<string, unknown>;

const FLUX = 'kustomize.toolkit.fluxcd.io';
const nodeClass: ResourceRef = { apiVersion: 'karpenter.k8s.aws/v1', plural: 'ec2nodeclasses', name: 'default' };

const marked = (metadata: Partial<KubeObject['metadata']>): KubeObject => ({
  apiVersion: nodeClass.apiVersion,
  kind: 'EC2NodeClass',
  metadata: { name: 'default', uid: 'u', resourceVersion: '1', ...metadata },
});
const byFlux = marked({ labels: { [`${FLUX}/name`]: 'apps', [`${FLUX}/namespace`]: 'flux-system' } });
const byArgo = marked({ annotations: { 'argocd.argoproj.io/tracking-id': 'apps:karpenter.k8s.aws/EC2NodeClass:/default' } });

const condition = (type: string, status: string, reason = 'Because', message = 'of the test') => ({ type, status, reason, message });

function kustomization(status: Status, spec: object = {}): FakeKubernetes {
  const metadata = { namespace: 'flux-system', name: 'apps', generation: 2 };
  return new FakeKubernetes().put(`${FLUX}/v1`, 'kustomizations', { metadata, spec, status });
}

function applications(status: Status, ...namespaces: string[]): FakeKubernetes {
  const port = new FakeKubernetes();
  for (const namespace of namespaces)
    port.put('argoproj.io/v1alpha1', 'applications', { metadata: { namespace, name: 'apps' }, spec: {}, status });
  return port;
}

async function said(port: FakeKubernetes, object: KubeObject, ref = nodeClass): Promise<string[]> {
  return (await new SyncStates(port).of(ref, object)).map(({ by, kind, why }) => `${kind}: ${by} ${why}`);
}

test('what bears no marks is said nothing of', async () => {
  expect(await said(new FakeKubernetes(), marked({}))).toEqual([]);
});

test('an object of a ResourceSet: whether code has come is unknown, and nothing is read for it', async () => {
  const group = 'resourceset.fluxcd.controlplane.io';
  const port = new FakeKubernetes();
  expect(await said(port, marked({ labels: { [`${group}/name`]: 'apps', [`${group}/namespace`]: 'flux-system' } }))).toEqual([
    'unknown: ResourceSet flux-system/apps is the Flux Operator’s, and Belay does not read its state',
  ]);
});

describe('an object of a Kustomization', () => {
  const ready = { observedGeneration: 2, conditions: [condition('Ready', 'True')] };
  const revisions = (lastAppliedRevision: string, lastAttemptedRevision: string) => ({ lastAppliedRevision, lastAttemptedRevision });
  test.each<[string, Status, object, string]>([
    [
      'applied',
      { ...ready, ...revisions('main@sha1:b', 'main@sha1:b') },
      {},
      'synced: Kustomization flux-system/apps is Ready at main@sha1:b',
    ],
    ['suspended', ready, { suspend: true }, 'behind: Kustomization flux-system/apps is suspended'],
    [
      'failed',
      { conditions: [condition('Ready', 'False', 'BuildFailed', 'no such file')] },
      {},
      'behind: Kustomization flux-system/apps is not Ready: BuildFailed: no such file',
    ],
    [
      'given up',
      { conditions: [condition('Stalled', 'True')] },
      {},
      'behind: Kustomization flux-system/apps has given up: Because: of the test',
    ],
    [
      'on its way',
      { ...ready, ...revisions('main@sha1:a', 'main@sha1:b') },
      {},
      'behind: Kustomization flux-system/apps has applied main@sha1:a, and not yet main@sha1:b',
    ],
    [
      'changed since',
      { ...ready, observedGeneration: 1 },
      {},
      'behind: Kustomization flux-system/apps has not been looked at since it was changed',
    ],
    ['never looked at', {}, {}, 'unknown: Kustomization flux-system/apps does not say whether it is Ready'],
  ])('%s', async (_what, status, spec, expected) => {
    expect(await said(kustomization(status, spec), byFlux)).toEqual([expected]);
  });

  test('that has gone', async () => {
    expect(await said(new FakeKubernetes(), byFlux)).toEqual(['unknown: Kustomization flux-system/apps is not there any more']);
  });

  test('that may not be read: the right is named', async () => {
    const port = kustomization({});
    port.get = () => Promise.reject(failureOf('AccessDenied', 'reading kustomizations flux-system/apps: Kubernetes answered 403'));
    expect(await said(port, byFlux)).toEqual([
      'unknown: Kustomization flux-system/apps could not be read, for which get on kustomizations.kustomize.toolkit.fluxcd.io is needed: reading kustomizations flux-system/apps: Kubernetes answered 403',
    ]);
  });
});

describe('an object of an Application', () => {
  const entry = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const failed = { phase: 'Failed', message: 'one or more objects failed to apply' };
  test.each<[string, Status, string]>([
    ['in step', { sync: { status: 'Synced', revision: '1f2e' } }, 'synced: Application argocd/apps is Synced at 1f2e'],
    [
      'OutOfSync',
      { sync: { status: 'OutOfSync', revision: '1f2e' } },
      'behind: Application argocd/apps is OutOfSync at 1f2e: Git and the cluster differ',
    ],
    [
      'a sync that failed',
      { sync: { status: 'OutOfSync' }, operationState: failed },
      'behind: Application argocd/apps is OutOfSync: Git and the cluster differ; its last sync Failed: one or more objects failed to apply',
    ],
    [
      'a sync that runs',
      { sync: { status: 'Synced' }, operationState: { phase: 'Running' } },
      'behind: Application argocd/apps is being synced',
    ],
    [
      'another object differs',
      {
        sync: { status: 'OutOfSync' },
        resources: [
          { ...entry, status: 'Synced' },
          { ...entry, name: 'other', status: 'OutOfSync' },
        ],
      },
      'synced: Application argocd/apps is Synced',
    ],
    [
      'this object differs',
      { sync: { status: 'OutOfSync' }, resources: [{ ...entry, namespace: '', status: 'OutOfSync' }] },
      'behind: Application argocd/apps is OutOfSync: Git and the cluster differ',
    ],
    [
      'Git cannot be read',
      { sync: { status: 'Unknown' }, conditions: [{ type: 'ComparisonError', message: 'repository not accessible' }] },
      'unknown: Application argocd/apps does not know whether Git and the cluster differ: repository not accessible',
    ],
    ['never looked at', {}, 'unknown: Application argocd/apps does not know whether Git and the cluster differ'],
  ])('%s', async (_what, status, expected) => {
    expect(await said(applications(status, 'argocd'), byArgo)).toEqual([expected]);
  });

  test('that has gone', async () => {
    expect(await said(applications({ sync: { status: 'Synced' } }), byArgo)).toEqual(['unknown: Application apps is not there any more']);
  });

  test('is asked for once, however many objects it has', async () => {
    const port = applications({ sync: { status: 'Synced' } }, 'argocd');
    const states = new SyncStates(port);
    await Promise.all([states.of(nodeClass, byArgo), states.of(nodeClass, byArgo)]);
    expect(port.lists).toHaveLength(1);
  });

  test('only its own word compares with Git', async () => {
    const [state] = await new SyncStates(applications({ sync: { status: 'Synced' } }, 'argocd')).of(nodeClass, byArgo);
    expect(state).toMatchObject({ kind: 'synced', compares: true });
  });

  test('of two of that name nobody knows which; outside of its own namespace Argo CD names that, too', async () => {
    const two = applications({ sync: { status: 'Synced' } }, 'argocd', 'team-a');
    expect(await said(two, byArgo)).toEqual(['unknown: Application apps is there in several namespaces']);
    const ofTeam = marked({ annotations: { 'argocd.argoproj.io/tracking-id': 'team-a_apps:karpenter.k8s.aws/EC2NodeClass:/default' } });
    expect(await said(two, ofTeam)).toEqual(['synced: Application team-a/apps is Synced']);
  });

  test('that may not be listed: the right is named', async () => {
    const port = applications({}, 'argocd');
    port.list = () => Promise.reject(failureOf('AccessDenied', 'listing applications: Kubernetes answered 403'));
    expect(await said(port, byArgo)).toEqual([
      'unknown: Application apps could not be read, for which list on applications.argoproj.io is needed: listing applications: Kubernetes answered 403',
    ]);
  });
});

describe('an object that delivers a chart itself', () => {
  const release: ResourceRef = {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    plural: 'helmreleases',
    namespace: 'karpenter',
    name: 'karpenter',
  };
  const metadata = { namespace: 'karpenter', name: 'karpenter', uid: 'u', resourceVersion: '1', generation: 3 };
  const helmRelease = (status: Status): KubeObject<unknown, Status> => ({ metadata, status: { observedGeneration: 3, ...status } });

  test('a HelmRelease is Ready at the chart that runs', async () => {
    const deployed = {
      conditions: [condition('Ready', 'True')],
      lastAttemptedRevision: '1.2.3',
      history: [{ chartVersion: '1.2.3', status: 'deployed' }],
    };
    expect(await said(new FakeKubernetes(), helmRelease(deployed), release)).toEqual([
      'synced: HelmRelease karpenter/karpenter is Ready at 1.2.3',
    ]);
    const withDigest = { ...deployed, lastAttemptedRevision: '1.2.3+4d1f0a5c9b2e' };
    expect(await said(new FakeKubernetes(), helmRelease(withDigest), release)).toEqual([
      'synced: HelmRelease karpenter/karpenter is Ready at 1.2.3',
    ]);
    const older = { ...deployed, history: [{ chartVersion: '1.1.0', status: 'deployed' }] };
    expect(await said(new FakeKubernetes(), helmRelease(older), release)).toEqual([
      'behind: HelmRelease karpenter/karpenter has applied 1.1.0, and not yet 1.2.3',
    ]);
  });

  test('an OCIRepository has fetched it', async () => {
    const ref = { apiVersion: 'source.toolkit.fluxcd.io/v1', plural: 'ocirepositories', namespace: 'karpenter', name: 'karpenter' };
    const fetched = helmRelease({ conditions: [condition('Ready', 'True')], artifact: { revision: '1.2.3@sha256:1f' } });
    expect(await said(new FakeKubernetes(), fetched, ref)).toEqual([
      'synced: OCIRepository karpenter/karpenter is Ready at 1.2.3@sha256:1f',
    ]);
  });

  test('an Application that has compared the version before is behind, and does not stand for Git', async () => {
    const ref = { apiVersion: 'argoproj.io/v1alpha1', plural: 'applications', namespace: 'argocd', name: 'karpenter' };
    const spec = { source: { chart: 'karpenter', targetRevision: '1.2.3' } };
    const saying = (revision: string): KubeObject<unknown, Status> => ({
      metadata,
      spec,
      status: { sync: { status: 'Synced', revision } },
    });
    expect(await said(new FakeKubernetes(), saying('1.1.0'), ref)).toEqual([
      'behind: Application karpenter/karpenter is Synced at 1.1.0, not yet at 1.2.3',
    ]);
    expect(await new SyncStates(new FakeKubernetes()).of(ref, saying('1.2.3'))).toEqual([
      { by: 'Application karpenter/karpenter', kind: 'synced', why: 'is Synced at 1.2.3' },
    ]);
  });
});
