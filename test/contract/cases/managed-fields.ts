/**
 * Who owns which field. Derived, not recorded: the field manager of k8s.io/apimachinery 0.34.1 (pkg/util/managedfields) with the types of
 * client-go's applyconfigurations was given each object as the case makes it. `npm run test:contract` holds real servers to the same answers.
 */
import type { Conversation, Json, RequestOptions } from '../conversation.ts';
import { budget, configMap, definition, deployment, namespace, node } from '../objects.ts';
import type { Area } from '../suite.ts';
import { established, ready } from './established.ts';

/** Without their order, which depends on the second of each write. */
const entries = ({ kind, message, metadata }: Json): unknown =>
  kind === 'Status'
    ? message
    : (metadata.managedFields ?? []).toSorted((left: Json, right: Json) => (nameOf(left) < nameOf(right) ? -1 : 1));

const nameOf = ({ manager, operation, subresource = '' }: Json): string => `${manager} ${operation} ${subresource}`;

const by = (agent: string): RequestOptions => ({ agent, pick: entries });
const KUBECTL = by('kubectl/v1.34.0 (linux/amd64) kubernetes/0000000');
const BELAY = by('belay');

async function home(talk: Conversation, name: string): Promise<void> {
  await talk.post('/api/v1/namespaces', namespace(name), { quiet: true });
}

export const managedFields: Area = {
  name: 'managed-fields',
  cases: {
    'of a ConfigMap, by who writes it': async (talk) => {
      await home(talk, 'fields-map');
      const all = '/api/v1/namespaces/fields-map/configmaps';
      const one = `${all}/one`;
      await talk.post(all, configMap('one', { a: '1', b: '2' }, { labels: { app: 'one' } }), KUBECTL);
      await talk.patch(one, 'merge', { data: { a: '3' } }, BELAY);
      await talk.patch(one, 'merge', { data: { a: '3' } }, by('nothing-changes'));
      await talk.patch(one, 'json', [{ op: 'add', path: '/data/c', value: '4' }], BELAY);
      await talk.patch(`${one}?fieldManager=freeze`, 'strategic', { metadata: { annotations: { 'belay.dev/note': 'x' } } }, BELAY);
      await talk.patch(one, 'merge', { metadata: { labels: null }, data: { c: null } }, by('remover'));
      await talk.put(one, configMap('one', { a: '5', b: '2' }, { finalizers: ['belay.dev/a'] }), by('editor'));
      await talk.patch(one, 'merge', { metadata: { finalizers: null } }, { quiet: true });
      await talk.get(one, { pick: entries });
      await talk.get(all, { pick: ({ items }) => items.map(entries) });
    },
    'names of managers': async (talk) => {
      await home(talk, 'fields-names');
      const all = '/api/v1/namespaces/fields-names/configmaps';
      const manager = { pick: ({ metadata }: Json) => metadata.managedFields.map((entry: Json) => entry.manager) };
      await talk.post(all, configMap('silent', { a: '1' }), manager);
      await talk.post(all, configMap('slash', { a: '1' }), { ...manager, agent: 'kustomize-controller/v1.6.0 (linux)' });
      await talk.post(all, configMap('words', { a: '1' }), { ...manager, agent: 'two words' });
      await talk.post(all, configMap('long', { a: '1' }), { ...manager, agent: 'x'.repeat(200) });
      await talk.post(`${all}?fieldManager=asked`, configMap('asked', { a: '1' }), { ...manager, agent: 'other' });
    },
    'cleared entries stay away': async (talk) => {
      await home(talk, 'fields-cleared');
      const all = '/api/v1/namespaces/fields-cleared/configmaps';
      await talk.post(all, configMap('one', { a: '1' }), KUBECTL);
      await talk.patch(`${all}/one`, 'merge', { metadata: { managedFields: [] } }, BELAY);
      await talk.patch(`${all}/one`, 'merge', { metadata: { managedFields: [{}] } }, BELAY);
      await talk.patch(`${all}/one`, 'merge', { data: { a: '2' } }, BELAY);
    },
    'of a Deployment, its template, scale and status': async (talk) => {
      await home(talk, 'fields-deployment');
      const all = '/apis/apps/v1/namespaces/fields-deployment/deployments';
      const one = `${all}/one`;
      const template = (spec: object) => ({ spec: { template: { spec } } });
      await talk.post(all, deployment('one'), KUBECTL);
      const added = { name: 'app', image: 'app:2', env: [{ name: 'A', value: '1' }], ports: [{ containerPort: 80 }] };
      await talk.patch(one, 'strategic', template({ containers: [added] }), BELAY);
      await talk.patch(one, 'strategic', template({ containers: [{ name: 'app', resources: { limits: { cpu: '1' } } }] }), by('limits'));
      await talk.patch(
        one,
        'strategic',
        template({ containers: [{ name: 'side', image: 'side:1' }], nodeSelector: { a: 'b' } }),
        by('sides'),
      );
      await talk.patch(one, 'merge', { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } }, by('recreator'));
      await talk.patch(`${one}/scale`, 'merge', { spec: { replicas: 3 } }, { ...by('scaler'), quiet: true });
      const condition = {
        type: 'Available',
        status: 'False',
        lastTransitionTime: '2026-03-02T09:00:00Z',
        lastUpdateTime: '2026-03-02T09:00:00Z',
      };
      const status = { status: { observedGeneration: 1, conditions: [condition] } };
      await talk.patch(`${one}/status`, 'merge', status, by('kube-controller-manager'));
      await talk.patch(one, 'strategic', template({ containers: [{ name: 'side', $patch: 'delete' }] }), by('remover'));
    },
    'of a namespace, a node and a budget': async (talk) => {
      const labelled = { ...namespace('fields-labels'), metadata: { name: 'fields-labels', labels: { 'istio.io/rev': '1-30' } } };
      await talk.post('/api/v1/namespaces?fieldManager=kustomize-controller', labelled, KUBECTL);
      await talk.patch('/api/v1/namespaces/fields-labels', 'merge', { metadata: { labels: { 'istio.io/rev': '1-31' } } }, BELAY);
      const taints = [{ key: 'a', effect: 'NoSchedule' }];
      await talk.post('/api/v1/nodes', node('fields-node', { labels: { zone: 'a' } }, { taints }), KUBECTL);
      await talk.patch('/api/v1/nodes/fields-node', 'strategic', { spec: { unschedulable: true } }, BELAY);
      await talk.delete('/api/v1/nodes/fields-node', undefined, { quiet: true });
      const budgets = '/apis/policy/v1/namespaces/fields-labels/poddisruptionbudgets';
      await talk.post(budgets, budget('one', 'one', { maxUnavailable: 0 }), KUBECTL);
      await talk.patch(`${budgets}/one`, 'merge', { spec: { maxUnavailable: 1 } }, BELAY);
    },
    'of a custom object': async (talk) => {
      await home(talk, 'fields-custom');
      const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
      const made = definition('owned', 'Owned', open, {}, { subresources: { status: {} } });
      await talk.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', made, { quiet: true });
      await talk.until('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/owned.contract.belay.dev', established);
      const all = '/apis/contract.belay.dev/v1/namespaces/fields-custom/owned';
      const one = `${all}/one`;
      await ready(talk, all);
      const spec = { disruption: { budgets: [{ nodes: '10%' }] }, template: { labels: { a: 'b' } }, empty: {} };
      await talk.post(
        all,
        { apiVersion: 'contract.belay.dev/v1', kind: 'Owned', metadata: { name: 'one', labels: { a: 'b' } }, spec },
        KUBECTL,
      );
      await talk.patch(one, 'json', [{ op: 'add', path: '/spec/disruption/budgets/-', value: { nodes: '0' } }], BELAY);
      await talk.patch(one, 'merge', { spec: { template: { labels: { a: null, c: 'd' } } } }, BELAY);
      await talk.patch(`${one}/status`, 'merge', { status: { phase: 'Ready', list: [1] } }, by('controller'));
    },
    'of what is applied': async (talk) => {
      await home(talk, 'fields-applied');
      const all = '/api/v1/namespaces/fields-applied/configmaps';
      const apply = (name: string, data: Record<string, string>, manager: string) =>
        talk.patch(`${all}/${name}?fieldManager=${manager}&force=true`, 'apply', configMap(name, data, { labels: { app: name } }), {
          pick: entries,
        });
      await apply('one', { a: '1', b: '2' }, 'kustomize-controller');
      await talk.patch(`${all}/one`, 'merge', { data: { a: '3' } }, BELAY);
      await apply('one', { a: '1', b: '2' }, 'kustomize-controller');
      await talk.post(all, configMap('two', { a: '1' }), KUBECTL);
      await talk.patch(`${all}/two`, 'merge', { metadata: { managedFields: [{}] } }, { quiet: true });
      await apply('two', { a: '1', b: '2' }, 'kustomize-controller');
    },
  },
};
