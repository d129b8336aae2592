/** What is found of Istio, Flux and Argo CD where their objects are as believed, and where they are not or tell nothing. */
import { expect, test } from 'vitest';
import { type Outside, verdictOn } from './answers.ts';

const REV = 'istio.io/rev';
const TAG = 'istio.io/tag';
const ISTIODS = '/apis/apps/v1/deployments?labelSelector=app%3Distiod';
const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const DEPLOYMENTS = '/apis/apps/v1/deployments';
const RELEASES = '/apis/helm.toolkit.fluxcd.io/v2/helmreleases';
const APPLICATIONS = '/apis/argoproj.io/v1alpha1/applications';

const istiod = (revision: string, image = 'istio/pilot:1.27.1') => ({
  metadata: { name: `istiod-${revision}`, labels: { [REV]: revision } },
  spec: { template: { spec: { containers: [{ image }] } } },
});
const istiods = (...items: object[]): Outside => ({ kube: { [ISTIODS]: { items } } });
const webhook = (labels: object, ...webhooks: object[]) => ({ metadata: { name: 'injector', labels }, webhooks });
const calling = (service: string, caBundle?: string) => ({ clientConfig: { service: { name: service }, caBundle } });
const selecting = (...terms: [key: string, operator: string][]) => ({
  name: 'rev.namespace',
  namespaceSelector: { matchExpressions: terms.map(([key, operator]) => ({ key, operator })) },
});
const mesh = (...webhooks: object[]): Outside => ({ kube: { [ISTIODS]: { items: [istiod('1-27')] }, [WEBHOOKS]: { items: webhooks } } });

const pod = (container: string, metadata: object = {}) => ({
  metadata: { name: 'shop', ...metadata },
  spec: { containers: [{ name: container }] },
});
const pods = (...items: object[]): Outside => ({ kube: { '/api/v1/pods': { items } } });

const release = (status: object, spec: object = {}) => ({ metadata: { namespace: 'flux', name: 'shop', generation: 2 }, spec, status });
const releases = (...items: object[]): Outside => ({ kube: { [RELEASES]: { items } } });
const entry = (version: number, chartVersion: string | undefined = '1.0.0') => ({ version, chartVersion, status: 'deployed' });

const delivered = (metadata: object, kube: Record<string, unknown> = {}): Outside => ({
  kube: { [DEPLOYMENTS]: { items: [{ metadata: { namespace: 'shop', name: 'web', ...metadata } }] }, ...kube },
});
const byHelm = (name: string) => ({
  labels: { 'helm.toolkit.fluxcd.io/name': name, 'helm.toolkit.fluxcd.io/namespace': 'flux' },
});
const flux = { [RELEASES]: { items: [release({})] } };
const tracked = (id: string) => ({ annotations: { 'argocd.argoproj.io/tracking-id': id } });
const application = (status: object): Outside => ({
  kube: { [APPLICATIONS]: { items: [{ metadata: { namespace: 'argocd', name: 'shop' }, status }] } },
});

test.each<[string, Outside, string]>([
  ['ISTIO-REVISION', istiods(istiod('1-27')), 'held: istiod-1-27 is 1-27'],
  ['ISTIO-REVISION', istiods(istiod('1-27', 'istio/pilot')), 'broken: istiod-1-27 does not say its revision or its version'],

  ['ISTIO-TAG', mesh(webhook({ [REV]: '1-27', [TAG]: 'prod' }, calling('istiod-1-27'))), 'held: prod → 1-27'],
  [
    'ISTIO-TAG',
    mesh(webhook({ [REV]: '1-27', [TAG]: 'prod' }, calling('istiod-1-26'))),
    'broken: injector calls another istiod than that of 1-27',
  ],
  ['ISTIO-TAG', mesh(webhook({ [REV]: '1-27' }, calling('istiod-1-27'))), 'untried, absent: there is no revision tag on this cluster'],
  ['ISTIO-TAG', mesh(webhook({ app: 'other' })), 'untried, absent: there is no injection webhook of Istio on this cluster'],

  [
    'ISTIO-BOTH-LABELS',
    mesh(webhook({ [REV]: '1-27' }, selecting([REV, 'In'], ['istio-injection', 'DoesNotExist']))),
    'held: 1 webhook passes istio-injection over',
  ],
  [
    'ISTIO-BOTH-LABELS',
    mesh(webhook({ [REV]: '1-27' }, selecting([REV, 'In'], ['istio-injection', 'Exists']))),
    'broken: rev.namespace selects namespaces with both labels',
  ],
  [
    'ISTIO-BOTH-LABELS',
    mesh(webhook({ [REV]: 'default' }, selecting([REV, 'DoesNotExist']))),
    'untried, absent: no webhook selects namespaces by istio.io/rev',
  ],

  ['ISTIO-CA', mesh(webhook({ [REV]: '1-27' }, calling('istiod-1-27', 'MIIC'))), 'held: 1 webhook configuration'],
  ['ISTIO-CA', mesh(webhook({ [REV]: '1-27' }, calling('istiod-1-27'))), 'broken: injector has no CA bundle, though its istiod runs'],
  // Its istiod is gone, and nobody writes its bundle.
  ['ISTIO-CA', mesh(webhook({ [REV]: '1-26' }, calling('istiod-1-26'))), 'untried, absent: no webhook is of a revision that runs'],

  ['ISTIO-AT-CREATION', pods(pod('istio-proxy', { labels: { [REV]: '1-27' } }), pod('web')), 'held: 1 pod'],
  ['ISTIO-AT-CREATION', pods(pod('istio-proxy')), 'broken: shop has a proxy and does not say of which revision'],
  ['ISTIO-AT-CREATION', pods(pod('web')), 'untried, absent: no pod has a proxy'],

  ['FLUX-OBSERVED', releases(release({ observedGeneration: 2 })), 'held: 1 HelmReleases'],
  ['FLUX-OBSERVED', releases(release({ observedGeneration: 3 })), 'broken: flux/shop has observed a generation that it does not have'],
  ['FLUX-OBSERVED', releases(release({}, { suspend: true })), 'untried, absent: every HelmRelease is suspended'],

  ['FLUX-HISTORY', releases(release({ history: [entry(2), entry(1)] })), 'held: 1 HelmReleases'],
  [
    'FLUX-HISTORY',
    releases(release({ history: [entry(1), entry(2)] })),
    'broken: the first entry of flux/shop is not its newest, or has no version',
  ],
  ['FLUX-HISTORY', releases(release({ history: [] })), 'untried, absent: no HelmRelease has a history'],

  ['FLUX-LABELS', delivered(byHelm('shop'), flux), 'held: 1 object'],
  ['FLUX-LABELS', delivered(byHelm('gone'), flux), 'broken: shop/web names flux/gone, which does not exist'],
  ['FLUX-LABELS', delivered({}, flux), 'untried, absent: no Deployment, NodePool or node class carries labels of Flux'],
  ['FLUX-LABELS', delivered(byHelm('gone')), 'untried, absent: there is no Flux on this cluster'],

  ['ARGO-TRACKING', delivered(tracked('shop:apps/Deployment:shop/web')), 'held: 1 object'],
  ['ARGO-TRACKING', delivered(tracked('shop:apps/Deployment:shop/api')), 'broken: shop/web carries shop:apps/Deployment:shop/api'],
  ['ARGO-TRACKING', delivered(tracked('shop')), 'broken: shop/web carries shop'],
  ['ARGO-TRACKING', delivered({}), 'untried, absent: no Deployment, NodePool or node class carries a tracking id'],

  ['ARGO-STATUS', application({ sync: { status: 'Synced' }, health: { status: 'Healthy' } }), 'held: 1 Applications'],
  ['ARGO-STATUS', application({ sync: { status: 'Synced' } }), 'broken: argocd/shop does not say its sync or its health'],
  ['ARGO-STATUS', application({ sync: { status: 'Done' }, health: {} }), 'broken: argocd/shop does not say its sync or its health'],
  ['ARGO-STATUS', {}, 'untried, absent: there is no Application on this cluster'],
])('%s (case %#)', async (id, outside, verdict) => {
  expect(await verdictOn(id, outside)).toBe(verdict);
});
