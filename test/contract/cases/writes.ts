/** create, update, delete: names, versions, preconditions, finalizers. */
import { configMap, deployment, namespace, node, pod } from '../objects.ts';
import type { Area } from '../suite.ts';

export const writes: Area = {
  name: 'writes',
  cases: {
    'objects are created once, in a namespace that is there': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('writes-create'));
      const path = '/api/v1/namespaces/writes-create/configmaps';
      await talk.post(path, configMap('one', { a: '1' }, { labels: { app: 'x' }, annotations: { note: 'y' } }));
      await talk.post(path, configMap('one'));
      await talk.post('/api/v1/namespaces/nowhere/configmaps', configMap('one'));
      await talk.post(path, configMap('two', {}, { namespace: 'default' }));
      await talk.post(path, configMap('two', {}, { resourceVersion: '1' }));
      await talk.post(path, { ...configMap('two'), kind: 'Secret' });
      await talk.post(path, { ...configMap('two'), apiVersion: 'v2' });
      await talk.post(path, { metadata: { name: 'bare' } });
      await talk.post(path, 'nonsense');
      await talk.post(path, '');
      await talk.post(path, configMap('two'), { type: 'text/plain' });
      await talk.post('/apis/apps/v1/namespaces/nowhere/deployments', deployment('one'));
    },
    'names that nobody may have': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('writes-names'), { quiet: true });
      const path = '/api/v1/namespaces/writes-names/configmaps';
      await talk.post(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} });
      await talk.post(path, configMap('Upper'));
      await talk.post(path, configMap('a_b'));
      await talk.post(path, configMap('a'.repeat(254)));
      await talk.post(path, configMap('labels', {}, { labels: { 'not a key': 'not a value!' } }));
      await talk.post('/api/v1/namespaces', namespace('a.b'));
      await talk.post('/api/v1/nodes', node('Node_1'));
    },
    'names that the server makes': async (talk) => {
      talk.normaliser.random('made-');
      await talk.post('/api/v1/namespaces', namespace('writes-generated'), { quiet: true });
      await talk.post('/api/v1/namespaces/writes-generated/configmaps', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { generateName: 'made-' },
      });
    },
    'optimistic locking': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('writes-locking'), { quiet: true });
      const path = '/api/v1/namespaces/writes-locking/configmaps';
      const { body } = await talk.post(path, configMap('one', { a: '1' }));
      const { resourceVersion, uid } = body.metadata;
      await talk.put(`${path}/one`, configMap('one', { a: '2' }, { resourceVersion }));
      await talk.put(`${path}/one`, configMap('one', { a: '3' }, { resourceVersion }));
      await talk.put(`${path}/one`, configMap('one', { a: '4' }));
      await talk.put(`${path}/one`, configMap('one', { a: '5' }, { uid: '00000000-0000-0000-0000-000000000000' }));
      await talk.put(`${path}/one`, configMap('one', { a: '5' }, { uid }));
      await talk.put(`${path}/one`, configMap('two', { a: '5' }));
      await talk.put(`${path}/none`, configMap('none', { a: '5' }, { resourceVersion }));
      await talk.put(`${path}/one`, configMap('one', { a: '5' }, { namespace: 'default' }));
      await talk.patch(`${path}/one`, 'merge', { metadata: { resourceVersion }, data: { a: '6' } });
      await talk.patch(`${path}/one`, 'merge', { metadata: { uid: '00000000-0000-0000-0000-000000000000' }, data: { a: '6' } });
      await talk.put('/apis/apps/v1/namespaces/writes-locking/deployments/none', {
        ...deployment('none'),
        metadata: { name: 'none', resourceVersion: '1' },
      });
    },
    'an update that changes nothing keeps the version': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('writes-same'), { quiet: true });
      const path = '/api/v1/namespaces/writes-same/configmaps';
      const { body } = await talk.post(path, configMap('one', { a: '1' }));
      await talk.put(`${path}/one`, body);
      await talk.patch(`${path}/one`, 'merge', { data: { a: '1' } });
    },
    'what may never change': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('writes-fixed'), { quiet: true });
      const home = '/apis/apps/v1/namespaces/writes-fixed';
      await talk.post(`${home}/deployments`, deployment('one'), { quiet: true });
      await talk.patch(`${home}/deployments/one`, 'merge', { spec: { selector: { matchLabels: { app: 'two' } } } });
      await talk.patch(`${home}/deployments/one`, 'merge', { metadata: { name: 'two' } });
      const pods = '/api/v1/namespaces/writes-fixed/pods';
      await talk.post(pods, pod('one'), { quiet: true });
      await talk.patch(`${pods}/one`, 'merge', { spec: { restartPolicy: 'Never' } }, { pick: shortened });
      await talk.post(
        '/api/v1/namespaces/writes-fixed/configmaps',
        { ...configMap('fixed', { a: '1' }), immutable: true },
        { quiet: true },
      );
      await talk.patch('/api/v1/namespaces/writes-fixed/configmaps/fixed', 'merge', { data: { a: '2' } });
      await talk.post(
        '/api/v1/namespaces/writes-fixed/secrets',
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' } },
        { quiet: true },
      );
      await talk.patch('/api/v1/namespaces/writes-fixed/secrets/one', 'merge', { type: 'other' });
    },
    'generation counts what is wanted, not what is': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('writes-generation'), { quiet: true });
      const path = '/apis/apps/v1/namespaces/writes-generation/deployments/one';
      const pick = (body: { metadata: { generation: number } }) => body.metadata.generation;
      await talk.post('/apis/apps/v1/namespaces/writes-generation/deployments', deployment('one'), { pick });
      await talk.patch(path, 'merge', { metadata: { labels: { a: 'b' } } }, { pick });
      await talk.patch(path, 'merge', { spec: { replicas: 3 } }, { pick });
      await talk.patch(path, 'merge', { spec: { replicas: 3 } }, { pick });
      await talk.patch(`${path}/status`, 'merge', { status: { observedGeneration: 2 } }, { pick });
    },
    'deleting, with and without conditions': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('writes-delete'), { quiet: true });
      const path = '/api/v1/namespaces/writes-delete/configmaps';
      const { body } = await talk.post(path, configMap('one'), { quiet: true });
      await talk.delete(`${path}/none`);
      await talk.delete(`${path}/one`, { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } });
      await talk.delete(`${path}/one`, { preconditions: { resourceVersion: '1' } });
      await talk.delete(`${path}/one?dryRun=All`);
      await talk.delete(`${path}/one?propagationPolicy=Never`);
      await talk.delete(`${path}/one`, { gracePeriodSeconds: -5 });
      await talk.delete(`${path}/one`, { preconditions: { uid: body.metadata.uid } });
      await talk.get(`${path}/one`);
      await talk.post('/apis/apps/v1/namespaces/writes-delete/deployments', deployment('one'), { quiet: true });
      await talk.delete('/apis/apps/v1/namespaces/writes-delete/deployments/one', { propagationPolicy: 'Background' });
    },
    'finalizers hold an object': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('writes-finalizers'), { quiet: true });
      const path = '/api/v1/namespaces/writes-finalizers/configmaps';
      await talk.post(path, configMap('one', {}, { finalizers: ['belay.dev/hold'] }));
      await talk.post(path, configMap('bad', {}, { finalizers: ['hold'] }));
      await talk.delete(`${path}/one`);
      await talk.delete(`${path}/one`);
      await talk.patch(`${path}/one`, 'merge', { metadata: { finalizers: ['belay.dev/hold', 'belay.dev/other'] } });
      await talk.patch(`${path}/one`, 'merge', { data: { still: 'here' } });
      await talk.patch(`${path}/one`, 'json', [{ op: 'remove', path: '/metadata/finalizers/0' }]);
      await talk.get(`${path}/one`);
    },
    'a namespace that is going': async (talk) => {
      const path = '/api/v1/namespaces/writes-going';
      await talk.post('/api/v1/namespaces', namespace('writes-going'));
      await talk.post(`${path}/configmaps`, configMap('one'), { quiet: true });
      await talk.delete(`${path}?dryRun=All`);
      await talk.delete(path);
      await talk.get(path);
      await talk.delete(path, { propagationPolicy: 'Foreground' });
      await talk.patch(path, 'merge', { spec: { finalizers: [] } });
      await talk.post(`${path}/configmaps`, configMap('two'));
      await talk.post(`${path}/pods`, { ...pod('one'), metadata: { generateName: 'one-' } });
      await talk.post(`${path}/configmaps?dryRun=All`, configMap('two'));
      await talk.patch(`${path}/configmaps/one`, 'merge', { data: { still: 'here' } });
      for (const name of ['default', 'kube-system', 'kube-public', 'none']) await talk.delete(`/api/v1/namespaces/${name}`);
    },
    'propagation policies become finalizers': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('writes-propagation'), { quiet: true });
      const path = '/apis/apps/v1/namespaces/writes-propagation/deployments';
      for (const propagationPolicy of ['Foreground', 'Orphan']) {
        const name = propagationPolicy.toLowerCase();
        await talk.post(path, deployment(name), { quiet: true });
        await talk.delete(`${path}/${name}`, { propagationPolicy }, { pick: (body) => ({ ...body.metadata, kind: body.kind }) });
        await talk.patch(`${path}/${name}`, 'merge', { metadata: { finalizers: null } }, { quiet: true });
      }
    },
    'pods end gracefully': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('writes-grace'), { quiet: true });
      const path = '/api/v1/namespaces/writes-grace/pods';
      const ending = (body: { metadata: Record<string, unknown>; kind: string }) => ({
        kind: body.kind,
        deletionTimestamp: body.metadata['deletionTimestamp'],
        deletionGracePeriodSeconds: body.metadata['deletionGracePeriodSeconds'],
        generation: body.metadata['generation'],
      });
      await talk.post(path, pod('unbound'), { quiet: true });
      await talk.delete(`${path}/unbound`, undefined, { pick: ending });
      await talk.get(`${path}/unbound`);
      await talk.post(path, pod('bound', {}, { nodeName: 'writes-node', terminationGracePeriodSeconds: 20 }), { quiet: true });
      await talk.delete(`${path}/bound`, undefined, { pick: ending });
      await talk.delete(`${path}/bound`, { gracePeriodSeconds: 10 }, { pick: ending });
      await talk.delete(`${path}/bound`, { gracePeriodSeconds: 15 }, { pick: ending });
      await talk.delete(`${path}/bound`, { gracePeriodSeconds: 0 }, { pick: ending });
      await talk.get(`${path}/bound`);
    },
    'a collection is deleted by selector': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('writes-collection'), { quiet: true });
      const path = '/api/v1/namespaces/writes-collection/configmaps';
      await talk.post(path, configMap('one', {}, { labels: { go: 'yes' } }), { quiet: true });
      await talk.post(path, configMap('two'), { quiet: true });
      await talk.delete(`${path}?labelSelector=go%3Dyes`);
      await talk.get(`${path}/one`);
      await talk.get(`${path}/two`, { pick: (body) => body.metadata.name });
    },
    'a dry run answers as if': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('writes-dry'), { quiet: true });
      const path = '/api/v1/namespaces/writes-dry/configmaps';
      await talk.post(`${path}?dryRun=All`, configMap('one', { a: '1' }));
      await talk.get(`${path}/one`);
      await talk.post(path, configMap('one', { a: '1' }), { quiet: true });
      await talk.post(`${path}?dryRun=All`, configMap('one'));
      await talk.patch(`${path}/one?dryRun=All`, 'merge', { data: { a: '2' } });
      await talk.get(`${path}/one`, { pick: (body) => body.data });
      await talk.patch(`${path}/one?dryRun=Some`, 'merge', { data: { a: '2' } });
    },
    'secrets and config maps': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('writes-secrets'), { quiet: true });
      const path = '/api/v1/namespaces/writes-secrets/secrets';
      await talk.post(path, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' }, stringData: { password: 'hunter2' } });
      await talk.post(path, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'two' }, data: { password: 'not base64!' } });
      await talk.post('/api/v1/namespaces/writes-secrets/configmaps', configMap('one', { 'not a key': '1' }));
    },
  },
};

/** The texts of a Go struct's difference are not compared: see differences. */
function shortened(body: { message?: string }): unknown {
  return { ...body, message: body.message?.split('\n')[0], details: undefined };
}
