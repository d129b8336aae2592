/** What is found of an API server where it answers as believed, and where it does not. */
import { expect, test } from 'vitest';
import { answered, type Outside, verdictOn } from './answers.ts';

const PODS = '/api/v1/pods';
const pod = (name: string, nodeName?: string, labels?: object) => ({ metadata: { name, labels }, spec: { nodeName } });

/** Pages of one pod each, by where they continue: "b@2" is pod b at another resourceVersion than the others. */
function pages(whole: string[], byContinue: Record<string, { pod: string; next?: string }>): Outside {
  const answers = Object.entries(byContinue).map(([from, { pod: named, next }]) => {
    const [name = '', resourceVersion = '1'] = named.split('@');
    const page = { items: [pod(name)], metadata: { resourceVersion, continue: next } };
    return [`${PODS}?limit=1${from === '' ? '' : `&continue=${from}`}`, page];
  });
  return { kube: { [PODS]: { items: whole.map((name) => pod(name)) }, ...Object.fromEntries(answers) } };
}

const metadata = (kind: string, items: object[]): Outside => ({ kube: { [`${PODS}?limit=5`]: { kind, items } } });

const ofNode = `${PODS}?fieldSelector=spec.nodeName%3Dn`;
const ofLabel = `${PODS}?labelSelector=app%3Dshop`;
const shop = pod('shop', 'n', { app: 'shop' });
const selecting = (all: object[], byNode: object[] = [shop], byLabel: object[] = [shop]): Outside => ({
  kube: { [PODS]: { items: all }, [ofNode]: { items: byNode }, [ofLabel]: { items: byLabel } },
});

const readyz = (status: number, text: string): Outside => ({ kube: { '/readyz?verbose': answered(status, text) } });
const metrics = (text: string): Outside => ({ kube: { '/metrics': text } });
const calls = (labels: string) => `apiserver_requested_deprecated_apis{${labels}} 1`;

const REVIEW = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const review = (allowed: boolean, status: number): Outside => ({
  kube: { [REVIEW]: answered(201, { status: { allowed } }), '/api/v1/nodes?limit=1': answered(status, { message: 'as said' }) },
});

const budgets = (observedGeneration: number, disruptionsAllowed?: number): Outside => ({
  kube: {
    '/apis/policy/v1/poddisruptionbudgets': {
      items: [{ metadata: { namespace: 'shop', name: 'web', generation: 2 }, status: { observedGeneration, disruptionsAllowed } }],
    },
  },
});

const MISSING_TYPE = '/apis/conformance.belay.dev/v1/nobodies';

test.each<[string, Outside, string]>([
  ['K8S-BUDGET-STATUS', budgets(2, 0), 'held: 1 budget'],
  ['K8S-BUDGET-STATUS', budgets(1, 0), 'broken: shop/web does not say it of its present spec'],
  ['K8S-BUDGET-STATUS', budgets(2), 'broken: shop/web does not say it of its present spec'],

  ['K8S-LIST-PAGES', pages(['a', 'b'], { '': { pod: 'a', next: '1' }, 1: { pod: 'b' } }), 'held: 2 pods in pages of 1'],
  [
    'K8S-LIST-PAGES',
    pages(['a', 'b'], { '': { pod: 'a@1', next: '1' }, 1: { pod: 'b@2', next: '' } }),
    'broken: pages are of 2 resourceVersions',
  ],
  ['K8S-LIST-PAGES', pages(['a', 'b'], { '': { pod: 'a', next: '1' }, 1: { pod: 'a' } }), 'broken: a pod is in two pages'],
  // It takes no notice of where to continue.
  ['K8S-LIST-PAGES', pages(['a', 'b'], { '': { pod: 'a', next: '1' }, 1: { pod: 'a', next: '1' } }), 'broken: a pod is in two pages'],
  ['K8S-LIST-PAGES', pages(['a', 'b', 'c'], { '': { pod: 'a' } }), 'broken: 2 are missing, 0 were not there'],
  ['K8S-LIST-PAGES', pages(['a'], { '': { pod: 'a' } }), 'untried, absent: there are fewer than two pods'],

  ['K8S-MISSING-TYPE', {}, 'held: 404'],
  ['K8S-MISSING-TYPE', { kube: { [MISSING_TYPE]: { items: [] } } }, 'broken: 200'],
  [
    'K8S-MISSING-TYPE',
    { kube: { [MISSING_TYPE]: answered(403) } },
    'untried, absent: this identity may not ask for types that are not there',
  ],

  ['K8S-METADATA-ONLY', metadata('PartialObjectMetadataList', [{ metadata: { name: 'a' } }]), 'held: no specs'],
  ['K8S-METADATA-ONLY', metadata('PodList', [{ metadata: { name: 'a' } }]), 'broken: the answer is a PodList'],
  ['K8S-METADATA-ONLY', metadata('PartialObjectMetadataList', [pod('a', 'n')]), 'broken: items have specs'],
  ['K8S-METADATA-ONLY', metadata('PartialObjectMetadataList', []), 'untried, absent: there is no pod on this cluster'],

  ['K8S-SELECTORS', selecting([pod('waits'), shop]), 'held: 1 pod of a node, 1 of a label'],
  ['K8S-SELECTORS', selecting([shop], [shop, pod('other', 'm')]), 'broken: other does not fit'],
  ['K8S-SELECTORS', selecting([shop], [shop], [pod('other', 'n', { app: 'cart' })]), 'broken: other does not fit'],
  [
    'K8S-SELECTORS',
    selecting([pod('waits', undefined, { app: 'shop' }), pod('bare', 'n')]),
    'untried, absent: no pod with labels is on a node',
  ],

  ['K8S-READY', readyz(200, '[+]ping ok\n[+]etcd ok\nreadyz check passed'), 'held: 200, 2 checks'],
  ['K8S-READY', readyz(500, '[+]ping ok\n[-]etcd failed'), 'held: 500, 2 checks'],
  ['K8S-READY', readyz(200, '[+]ping ok\n[-]etcd failed'), 'broken: 200 with 1 failed check'],
  ['K8S-READY', readyz(200, 'ok'), 'broken: 200 without a line for each check'],

  ['K8S-DEPRECATED', metrics(calls('removed_release="1.32",resource="flowschemas"')), 'held: 1 deprecated APIs are asked for'],
  ['K8S-DEPRECATED', metrics(calls('resource="flowschemas"')), `broken: ${calls('resource="flowschemas"')} names no resource or release`],
  [
    'K8S-DEPRECATED',
    metrics('apiserver_request_total{code="200"} 1'),
    'untried, absent: nobody has asked this API server for a deprecated API',
  ],
  ['K8S-DEPRECATED', metrics('go_goroutines 1'), 'broken: it has no metrics of requests'],

  ['K8S-ACCESS-REVIEW', review(true, 200), 'held: list nodes: true, as the list itself'],
  ['K8S-ACCESS-REVIEW', review(false, 403), 'held: list nodes: false, as the list itself'],
  ['K8S-ACCESS-REVIEW', review(false, 200), 'broken: it says false, and the list is allowed'],
  ['K8S-ACCESS-REVIEW', review(true, 403), 'broken: it says true, and the list is forbidden'],
  // No answer about rights.
  ['K8S-ACCESS-REVIEW', review(true, 500), 'untried, unanswered: a list of nodes was answered with 500 (as said)'],
])('%s (case %#)', async (id, outside, verdict) => {
  expect(await verdictOn(id, outside)).toBe(verdict);
});
