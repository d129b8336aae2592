/** JSON, merge and strategic merge patches. */
import type { Conversation } from '../conversation.ts';
import { configMap, definition, deployment, namespace, node } from '../objects.ts';
import type { Area } from '../suite.ts';
import { established, ready } from './established.ts';

async function home(talk: Conversation, name: string): Promise<string> {
  await talk.post('/api/v1/namespaces', namespace(name), { quiet: true });
  await talk.post(`/api/v1/namespaces/${name}/configmaps`, configMap('one', { a: '1' }), { quiet: true });
  return `/api/v1/namespaces/${name}/configmaps/one`;
}

const data = (body: { data?: unknown; kind: string }) => (body.kind === 'Status' ? body : body.data);

export const patches: Area = {
  name: 'patches',
  cases: {
    'JSON patches': async (talk) => {
      const path = await home(talk, 'patches-json');
      const patch = (body: unknown) => talk.patch(path, 'json', body, { pick: data });
      await patch([{ op: 'add', path: '/data/b', value: '2' }]);
      await patch([{ op: 'replace', path: '/data/b', value: '3' }]);
      await patch([
        { op: 'test', path: '/data/b', value: '3' },
        { op: 'copy', from: '/data/b', path: '/data/c' },
        { op: 'move', from: '/data/c', path: '/data/d' },
      ]);
      await patch([{ op: 'test', path: '/data/b', value: '4' }]);
      await patch([{ op: 'test', path: '/data/none', value: '4' }]);
      await patch([{ op: 'test', path: '/metadata/resourceVersion', value: '1' }]);
      await patch([{ op: 'remove', path: '/data/none' }]);
      await patch([{ op: 'replace', path: '/data/none', value: '1' }]);
      await patch([{ op: 'add', path: '/none/deep', value: '1' }]);
      await patch([{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]);
      await patch([{ op: 'add', path: '/metadata/annotations/belay.dev~1note', value: 'x' }]);
      await patch([{ op: 'nonsense', path: '/data/a' }]);
      await patch({ op: 'add' });
      await patch('nonsense');
      await patch([]);
    },
    'merge patches': async (talk) => {
      const path = await home(talk, 'patches-merge');
      const patch = (body: unknown) => talk.patch(path, 'merge', body, { pick: data });
      await patch({ data: { b: '2' } });
      await patch({ data: { a: null } });
      await patch({ data: null });
      await patch('nonsense');
      await patch([]);
      await patch({});
    },
    'strategic merge patches of a pod template': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('patches-strategic'), { quiet: true });
      const path = '/apis/apps/v1/namespaces/patches-strategic/deployments/one';
      const first = deployment('one');
      await talk.post('/apis/apps/v1/namespaces/patches-strategic/deployments', first, { quiet: true });
      const template = (spec: object, metadata: object = {}) =>
        talk.patch(path, 'strategic', { spec: { template: { metadata, spec } } }, { pick: (body) => body.spec?.template ?? body });
      await template({ containers: [{ name: 'app', image: 'app:2', env: [{ name: 'A', value: '1' }], ports: [{ containerPort: 80 }] }] });
      await template({
        containers: [
          { name: 'side', image: 'side:1' },
          { name: 'app', env: [{ name: 'B', value: '2' }], ports: [{ containerPort: 81 }] },
        ],
      });
      await template({ containers: [{ name: 'side', $patch: 'delete' }] });
      await template({ $setElementOrder: undefined, containers: [{ name: 'app', env: [{ name: 'A', $patch: 'delete' }] }] });
      await template({
        '$setElementOrder/containers': [{ name: 'first' }, { name: 'app' }],
        containers: [{ name: 'first', image: 'first:1' }],
      });
      await template({ containers: [{ name: 'first', $patch: 'delete' }], tolerations: [{ key: 'a', operator: 'Exists' }] });
      await template({ tolerations: [{ key: 'b', operator: 'Exists' }] });
      await template({ tolerations: null, volumes: [{ name: 'v', emptyDir: {} }] });
      await template({ volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } }] });
      await template({ volumes: [{ $patch: 'replace' }], hostAliases: [{ ip: '10.0.0.1', hostnames: ['a'] }] });
      await template({}, { annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-03-02T09:00:00Z' } });
      await talk.patch(
        path,
        'strategic',
        { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
        { pick: (body) => body.spec?.strategy ?? body },
      );
      await talk.patch(path, 'strategic', { spec: { template: { spec: { containers: [{ image: 'nameless' }] } } } });
      await talk.patch(path, 'strategic', 'nonsense');
    },
    'strategic merge patches of a node': async (talk) => {
      await talk.post('/api/v1/nodes', node('patches-node', {}, { taints: [{ key: 'a', effect: 'NoSchedule' }] }), { quiet: true });
      const path = '/api/v1/nodes/patches-node';
      const pick = (body: { spec?: unknown }) => body.spec ?? body;
      await talk.patch(path, 'strategic', { spec: { unschedulable: true } }, { pick });
      await talk.patch(path, 'strategic', { spec: { taints: [{ key: 'b', effect: 'NoExecute' }] } }, { pick });
      await talk.patch(path, 'strategic', { spec: { unschedulable: null, taints: null } }, { pick });
      const status = (body: { status?: unknown }) => body.status ?? body;
      const condition = (type: string, state: string) => ({ type, status: state, reason: 'Kubelet' });
      await talk.patch(`${path}/status`, 'strategic', { status: { conditions: [condition('Ready', 'True')] } }, { pick: status });
      await talk.patch(`${path}/status`, 'strategic', { status: { conditions: [condition('DiskPressure', 'False')] } }, { pick: status });
      await talk.patch(
        `${path}/status`,
        'strategic',
        { status: { conditions: [condition('Ready', 'False')], addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] } },
        { pick: status },
      );
      await talk.patch(path, 'strategic', { metadata: { finalizers: ['belay.dev/a'] } }, { pick: (body) => body.metadata.finalizers });
      await talk.patch(path, 'strategic', { metadata: { finalizers: ['belay.dev/b'] } }, { pick: (body) => body.metadata.finalizers });
      await talk.patch(
        path,
        'strategic',
        { metadata: { '$deleteFromPrimitiveList/finalizers': ['belay.dev/a', 'belay.dev/b'] } },
        { pick: (body) => body.metadata.finalizers ?? null },
      );
      await talk.delete(path, undefined, { quiet: true });
    },
    'content types': async (talk) => {
      const path = await home(talk, 'patches-types');
      await talk.request('PATCH', path, { body: { data: {} }, type: 'application/json' });
      await talk.request('PATCH', path, { body: { data: {} }, type: 'text/plain' });
      await talk.post(
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        definition('patched', 'Patched', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
        { quiet: true },
      );
      await talk.eventually('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/patched.contract.belay.dev', established, {
        pick: () => 'established',
      });
      const custom = '/apis/contract.belay.dev/v1/namespaces/patches-types/patched';
      await ready(talk, custom);
      await talk.post(custom, { apiVersion: 'contract.belay.dev/v1', kind: 'Patched', metadata: { name: 'one' } }, { quiet: true });
      await talk.patch(`${custom}/one`, 'strategic', { spec: {} });
      await talk.patch(`${custom}/one`, 'merge', { spec: { a: [1] } });
      await talk.patch(`${custom}/one`, 'json', [{ op: 'add', path: '/spec/a/-', value: 2 }]);
    },
    'patches of what is not there': async (talk) => {
      await talk.patch('/api/v1/nodes/none', 'merge', { spec: { unschedulable: true } });
      await talk.patch('/api/v1/nodes/none', 'json', [{ op: 'add', path: '/spec/unschedulable', value: true }]);
      await talk.patch('/api/v1/nodes/none', 'strategic', { spec: { unschedulable: true } });
    },
  },
};
