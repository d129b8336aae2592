/** Tries by reading what is believed of Istio, Flux and Argo CD. */
import { isRecord } from '../../../domain/core/unknown.ts';
import { broken, CannotTry, type Ground, held, type ReadCheck, untried } from './check.ts';
import { at, itemsOf, listAt, nameOf, some, someOf, stringsAt, textAt } from './look.ts';
import { agree, count } from '../../../domain/core/text.ts';

const REV = 'istio.io/rev';
const TAG = 'istio.io/tag';
const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const RELEASES = '/apis/helm.toolkit.fluxcd.io/v2/helmreleases';
const KUSTOMIZATIONS = '/apis/kustomize.toolkit.fluxcd.io/v1/kustomizations';
const APPLICATIONS = '/apis/argoproj.io/v1alpha1/applications';

const labels = (object: unknown): Record<string, string> => stringsAt(object, 'metadata', 'labels');
const annotations = (object: unknown): Record<string, string> => stringsAt(object, 'metadata', 'annotations');

async function istiods(ground: Ground): Promise<unknown[]> {
  return someOf(ground, `/apis/apps/v1/deployments?labelSelector=${encodeURIComponent('app=istiod')}`, 'istiod');
}

/** Injection webhooks of revisions and tags. */
async function injectors(ground: Ground): Promise<unknown[]> {
  const all = (await itemsOf(ground, WEBHOOKS)) ?? [];
  const own = all.filter((webhook) => labels(webhook)[REV] !== undefined);
  if (own.length === 0) throw new CannotTry('there is no injection webhook of Istio on this cluster');
  return own;
}

export const ISTIO_READS: Readonly<Record<string, ReadCheck>> = {
  'ISTIO-REVISION': async (ground) => {
    const found = await istiods(ground);
    const odd = found.find((each) => {
      const image = textAt(listAt(each, 'spec', 'template', 'spec', 'containers')[0], 'image') ?? '';
      return labels(each)[REV] === undefined || !/:\d+\.\d+/.test(image);
    });
    return odd === undefined
      ? held(some(found.map((each) => `${nameOf(each)} is ${labels(each)[REV]}`)))
      : broken(`${nameOf(odd)} does not say its revision or its version`);
  },
  'ISTIO-TAG': async (ground) => {
    const tags = (await injectors(ground)).filter((webhook) => labels(webhook)[TAG] !== undefined);
    if (tags.length === 0) return untried('there is no revision tag on this cluster');
    const odd = tags.find((tag) => {
      const revision = labels(tag)[REV] ?? '';
      const services = listAt(tag, 'webhooks').map(
        (hook) => textAt(hook, 'clientConfig', 'service', 'name') ?? textAt(hook, 'clientConfig', 'url') ?? '',
      );
      return !services.every(
        (service) =>
          (revision === 'default' ? service.includes('istiod') : service.includes(revision)) || service.includes(labels(tag)[TAG] ?? '?'),
      );
    });
    return odd === undefined
      ? held(some(tags.map((tag) => `${labels(tag)[TAG]} → ${labels(tag)[REV]}`)))
      : broken(`${nameOf(odd)} calls another istiod than that of ${labels(odd)[REV]}`);
  },
  'ISTIO-BOTH-LABELS': async (ground) => {
    const byRevision = (await injectors(ground)).flatMap((webhook) =>
      listAt(webhook, 'webhooks').filter((hook) => expressions(hook).some(({ key, operator }) => key === REV && operator === 'In')),
    );
    if (byRevision.length === 0) return untried('no webhook selects namespaces by istio.io/rev');
    const odd = byRevision.find(
      (hook) => !expressions(hook).some(({ key, operator }) => key === 'istio-injection' && operator === 'DoesNotExist'),
    );
    return odd === undefined
      ? held(`${count(byRevision.length, 'webhook')} ${agree(byRevision.length, 'passes', 'pass')} istio-injection over`)
      : broken(`${textAt(odd, 'name')} selects namespaces with both labels`);
  },
  'ISTIO-CA': async (ground) => {
    const living = new Set((await istiods(ground)).map((each) => labels(each)[REV]));
    const own = (await injectors(ground)).filter((webhook) => living.has(labels(webhook)[REV] ?? ''));
    const odd = own.find((webhook) => listAt(webhook, 'webhooks').some((hook) => (textAt(hook, 'clientConfig', 'caBundle') ?? '') === ''));
    if (own.length === 0) return untried('no webhook is of a revision that runs');
    return odd === undefined
      ? held(count(own.length, 'webhook configuration'))
      : broken(`${nameOf(odd)} has no CA bundle, though its istiod runs`);
  },
  'ISTIO-AT-CREATION': async (ground) => {
    const pods = await someOf(ground, '/api/v1/pods', 'pod');
    const injected = pods.filter((pod) =>
      [...listAt(pod, 'spec', 'containers'), ...listAt(pod, 'spec', 'initContainers')].some(
        (container) => textAt(container, 'name') === 'istio-proxy',
      ),
    );
    if (injected.length === 0) return untried('no pod has a proxy');
    const odd = injected.find(
      (pod) =>
        annotations(pod)['sidecar.istio.io/status'] === undefined && annotations(pod)[REV] === undefined && labels(pod)[REV] === undefined,
    );
    return odd === undefined
      ? held(count(injected.length, 'pod'))
      : broken(`${nameOf(odd)} has a proxy and does not say of which revision`);
  },
};

const expressions = (hook: unknown): { key?: string; operator?: string }[] =>
  listAt(hook, 'namespaceSelector', 'matchExpressions').map((each) => ({ key: textAt(each, 'key'), operator: textAt(each, 'operator') }));

export const GITOPS_READS: Readonly<Record<string, ReadCheck>> = {
  'FLUX-OBSERVED': async (ground) => {
    const releases = await someOf(ground, RELEASES, 'HelmRelease');
    const settled = releases.filter((release) => at(release, 'spec', 'suspend') !== true);
    if (settled.length === 0) return untried('every HelmRelease is suspended');
    const odd = settled.find(
      (release) => !(Number(at(release, 'status', 'observedGeneration')) <= Number(at(release, 'metadata', 'generation'))),
    );
    return odd === undefined
      ? held(`${settled.length} HelmReleases`)
      : broken(`${nameOf(odd)} has observed a generation that it does not have`);
  },
  'FLUX-HISTORY': async (ground) => {
    const releases = (await someOf(ground, RELEASES, 'HelmRelease')).filter((release) => listAt(release, 'status', 'history').length > 0);
    if (releases.length === 0) return untried('no HelmRelease has a history');
    const odd = releases.find((release) => {
      const versions = listAt(release, 'status', 'history').map((entry) => Number(at(entry, 'version')));
      const [first] = listAt(release, 'status', 'history');
      const newest = versions.every((version) => Number.isNaN(version)) || versions[0] === Math.max(...versions);
      return !newest || textAt(first, 'chartVersion') === undefined || textAt(first, 'status') === undefined;
    });
    return odd === undefined
      ? held(`${releases.length} HelmReleases`)
      : broken(`the first entry of ${nameOf(odd)} is not its newest, or has no version`);
  },
  'FLUX-LABELS': async (ground) => {
    const releases = new Set(((await itemsOf(ground, RELEASES)) ?? []).map(nameOf));
    const kustomizations = new Set(((await itemsOf(ground, KUSTOMIZATIONS)) ?? []).map(nameOf));
    if (releases.size + kustomizations.size === 0) return untried('there is no Flux on this cluster');
    const named = (await delivered(ground)).flatMap((object) => [
      ...namedBy(object, 'helm').map((name) => ({ object, name, exists: releases.has(name) })),
      ...namedBy(object, 'kustomize').map((name) => ({ object, name, exists: kustomizations.has(name) })),
    ]);
    if (named.length === 0) return untried('no Deployment, NodePool or node class carries labels of Flux');
    const odd = named.find(({ exists }) => !exists);
    return odd === undefined
      ? held(count(named.length, 'object'))
      : broken(`${nameOf(odd.object)} names ${odd.name}, which does not exist`);
  },
  'ARGO-TRACKING': async (ground) => {
    const named = (await delivered(ground)).flatMap((object) => {
      const id = annotations(object)['argocd.argoproj.io/tracking-id'];
      return id === undefined ? [] : [{ object, id }];
    });
    if (named.length === 0) return untried('no Deployment, NodePool or node class carries a tracking id');
    // APPLICATION:GROUP/KIND:NAMESPACE/NAME, cluster-scoped objects with whatever namespace their Application has.
    const odd = named.find(
      ({ object, id }) => !/^[^:]+:[^:/]*\/[^:/]+:[^:/]*\/[^:/]+$/.test(id) || !id.endsWith(`/${textAt(object, 'metadata', 'name')}`),
    );
    return odd === undefined ? held(count(named.length, 'object')) : broken(`${nameOf(odd.object)} carries ${odd.id}`);
  },
  'ARGO-STATUS': async (ground) => {
    const applications = await someOf(ground, APPLICATIONS, 'Application');
    const odd = applications.find(
      (each) =>
        !/^(Synced|OutOfSync|Unknown)$/.test(textAt(each, 'status', 'sync', 'status') ?? '') || !isRecord(at(each, 'status', 'health')),
    );
    return odd === undefined ? held(`${applications.length} Applications`) : broken(`${nameOf(odd)} does not say its sync or its health`);
  },
};

/** What Belay asks an owner of: workloads, NodePools, node classes. */
async function delivered(ground: Ground): Promise<unknown[]> {
  const paths = ['/apis/apps/v1/deployments', '/apis/karpenter.sh/v1/nodepools', '/apis/karpenter.k8s.aws/v1/ec2nodeclasses'];
  return (await Promise.all(paths.map((path) => itemsOf(ground, path)))).flatMap((items) => items ?? []);
}

function namedBy(object: unknown, tool: 'helm' | 'kustomize'): string[] {
  const name = labels(object)[`${tool}.toolkit.fluxcd.io/name`];
  return name === undefined ? [] : [`${labels(object)[`${tool}.toolkit.fluxcd.io/namespace`] ?? ''}/${name}`];
}
