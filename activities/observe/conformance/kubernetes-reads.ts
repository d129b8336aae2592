/** Tries what is believed of Kubernetes by reading. */
import { broken, type Ground, held, type ReadCheck, untried } from './check.ts';
import { at, listAt, minorOf, mustBe, nameOf, some, someOf, stringsAt, textAt } from './look.ts';
import { count } from '../../../domain/core/text.ts';

const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const MOST_BEHIND = 3;

export const KUBERNETES_READS: Readonly<Record<string, ReadCheck>> = {
  'K8S-BUDGET-STATUS': async (ground) => {
    const budgets = await someOf(ground, '/apis/policy/v1/poddisruptionbudgets', 'PodDisruptionBudget');
    const odd = budgets.find(
      (budget) =>
        typeof at(budget, 'status', 'disruptionsAllowed') !== 'number' ||
        at(budget, 'status', 'observedGeneration') !== at(budget, 'metadata', 'generation'),
    );
    return odd === undefined ? held(count(budgets.length, 'budget')) : broken(`${nameOf(odd)} does not say it of its present spec`);
  },
  'K8S-LIST-PAGES': async (ground) => {
    const whole = (await someOf(ground, '/api/v1/pods', 'pod')).map(nameOf);
    if (whole.length < 2) return untried('there are fewer than two pods');
    const limit = Math.max(1, Math.floor(whole.length / 3));
    const [names, versions]: [string[], Set<unknown>] = [[], new Set()];
    let next: string | undefined = '';
    while (next !== undefined) {
      const path: string = `/api/v1/pods?limit=${limit}${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`;
      const page = mustBe(await ground.kube('GET', path), 200, 'a page of pods');
      names.push(...listAt(page, 'items').map(nameOf));
      // Pods come and go between the two lists; twice the same one never. A server that begins anew each time would do so for ever.
      if (new Set(names).size !== names.length) return broken('a pod is in two pages');
      versions.add(at(page, 'metadata', 'resourceVersion'));
      const token: string | undefined = textAt(page, 'metadata', 'continue');
      next = token === '' ? undefined : token;
    }
    if (versions.size > 1) return broken(`pages are of ${versions.size} resourceVersions`);
    const lost = whole.filter((name) => !names.includes(name));
    const fresh = names.filter((name) => !whole.includes(name));
    return lost.length + fresh.length > Math.ceil(whole.length / 5)
      ? broken(`${lost.length} are missing, ${fresh.length} were not there`)
      : held(`${count(names.length, 'pod')} in pages of ${limit}`);
  },
  'K8S-MISSING-TYPE': async (ground) => {
    const { status } = await ground.kube('GET', '/apis/conformance.belay.dev/v1/nobodies', { mayBeForbidden: true });
    if (status === 403) return untried('this identity may not ask for types that are not there');
    return status === 404 ? held('404') : broken(`${status}`);
  },
  'K8S-MISSING-OBJECT': async (ground) => {
    const { status, body } = await ground.kube('GET', '/apis/apps/v1/namespaces/default/deployments/belay-conformance-nobody');
    return status === 404 && textAt(body, 'reason') === 'NotFound' ? held('404, NotFound') : broken(`${status}, ${textAt(body, 'reason')}`);
  },
  'K8S-METADATA-ONLY': async (ground) => {
    const list = mustBe(await ground.kube('GET', '/api/v1/pods?limit=5', { accept: METADATA }), 200, 'pods as metadata');
    const [first] = listAt(list, 'items');
    if (textAt(list, 'kind') !== 'PartialObjectMetadataList') return broken(`the answer is a ${textAt(list, 'kind')}`);
    if (first === undefined) return untried('there is no pod on this cluster');
    return at(first, 'spec') === undefined ? held('no specs') : broken('items have specs');
  },
  'K8S-SELECTORS': async (ground) => {
    const all = await someOf(ground, '/api/v1/pods', 'pod');
    const one = all.find(
      (pod) => textAt(pod, 'spec', 'nodeName') !== undefined && Object.keys(stringsAt(pod, 'metadata', 'labels')).length > 0,
    );
    const [label] = Object.entries(stringsAt(one, 'metadata', 'labels'));
    const node = textAt(one, 'spec', 'nodeName');
    if (label === undefined || node === undefined) return untried('no pod with labels is on a node');
    const byNode = await someOf(ground, `/api/v1/pods?fieldSelector=${encodeURIComponent(`spec.nodeName=${node}`)}`, 'pod of that node');
    const byLabel = await someOf(ground, `/api/v1/pods?labelSelector=${encodeURIComponent(label.join('='))}`, 'pod of that label');
    const stray =
      byNode.find((pod) => textAt(pod, 'spec', 'nodeName') !== node) ??
      byLabel.find((pod) => stringsAt(pod, 'metadata', 'labels')[label[0]] !== label[1]);
    return stray === undefined
      ? held(`${count(byNode.length, 'pod')} of a node, ${byLabel.length} of a label`)
      : broken(`${nameOf(stray)} does not fit`);
  },
  'K8S-DATE': async (ground) => {
    await ground.kube('GET', '/version');
    const date = ground.kubeDate();
    return date === undefined ? broken('the answer has no Date') : held(date);
  },
  'K8S-READY': async (ground) => {
    const { status, body } = await ground.kube('GET', '/readyz?verbose');
    const lines = typeof body === 'string' ? body.split('\n').filter((line) => /^\[[+-]\]/.test(line)) : [];
    if (lines.length === 0) return broken(`${status} without a line for each check`);
    const failed = lines.filter((line) => line.startsWith('[-]'));
    return (status === 200) === (failed.length === 0)
      ? held(`${status}, ${count(lines.length, 'check')}`)
      : broken(`${status} with ${count(failed.length, 'failed check')}`);
  },
  'K8S-SKEW': async (ground) => {
    const server = Number(minorOf(textAt(mustBe(await ground.kube('GET', '/version'), 200, 'GET /version'), 'gitVersion'))?.split('.')[1]);
    const nodes = await someOf(ground, '/api/v1/nodes', 'node');
    const odd = nodes.filter((node) => {
      const kubelet = Number(minorOf(textAt(node, 'status', 'nodeInfo', 'kubeletVersion'))?.split('.')[1]);
      return !(kubelet <= server && kubelet >= server - MOST_BEHIND);
    });
    return odd.length === 0
      ? held(`${count(nodes.length, 'kubelet')}, API server 1.${server}`)
      : broken(`${some(odd.map(nameOf))} is outside of it`);
  },
  'K8S-DEPRECATED': async (ground) => {
    const body = mustBe(await ground.kube('GET', '/metrics', { accept: 'text/plain' }), 200, 'GET /metrics');
    const text = typeof body === 'string' ? body : '';
    const own = text.split('\n').filter((line) => line.startsWith('apiserver_requested_deprecated_apis{'));
    const odd = own.find((line) => !/removed_release="/.test(line) || !/resource="/.test(line));
    if (odd !== undefined) return broken(`${odd} names no resource or release`);
    if (own.length > 0) return held(`${own.length} deprecated APIs are asked for`);
    return /^apiserver_request/m.test(text)
      ? untried('nobody has asked this API server for a deprecated API')
      : broken('it has no metrics of requests');
  },
  'K8S-ACCESS-REVIEW': async (ground) => {
    const asks = async (verb: string): Promise<unknown> => {
      const spec = { resourceAttributes: { verb, resource: 'nodes' } };
      const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
      return at(
        mustBe(await ground.kube('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { body }), 201, 'an access review'),
        'status',
        'allowed',
      );
    };
    const listed = await isAllowed(ground);
    const allowed = await asks('list');
    return allowed === listed
      ? held(`list nodes: ${String(allowed)}, as the list itself`)
      : broken(`it says ${String(allowed)}, and the list is ${listed ? 'allowed' : 'forbidden'}`);
  },
};

async function isAllowed(ground: Ground): Promise<boolean> {
  const answer = await ground.kube('GET', '/api/v1/nodes?limit=1', { mayBeForbidden: true });
  if (answer.status === 403) return false;
  mustBe(answer, 200, 'a list of nodes');
  return true;
}
