/** get and list: what is not there, selectors, pages. */
import type { Conversation } from '../conversation.ts';
import { configMap, definition, namespace, node, pod } from '../objects.ts';
import type { Area } from '../suite.ts';
import { define } from './definitions.ts';

const names = (body: { items?: { metadata: { name: string } }[]; metadata?: object }) => ({
  metadata: body.metadata,
  names: body.items?.map((item) => item.metadata.name),
});

async function withMaps(talk: Conversation, home: string): Promise<string> {
  await talk.post('/api/v1/namespaces', namespace(home), { quiet: true });
  for (const [index, name] of ['a', 'b', 'c', 'd', 'e'].entries())
    await talk.post(`/api/v1/namespaces/${home}/configmaps`, configMap(name, {}, { labels: { odd: String(index % 2 === 1) } }), {
      quiet: true,
    });
  return `/api/v1/namespaces/${home}/configmaps`;
}

export const reads: Area = {
  name: 'reads',
  cases: {
    'what is not there': async (talk) => {
      await talk.get('/api/v1/namespaces/default/configmaps/none');
      await talk.get('/api/v1/nodes/none');
      await talk.get('/apis/apps/v1/namespaces/default/deployments/none');
      await talk.get('/api/v1/namespaces/nowhere/configmaps', { pick: names });
      await talk.get('/api/v1/widgets');
      await talk.get('/apis/apps/v1/widgets');
      await talk.get('/apis/contract.example/v1/widgets');
      await talk.get('/apis/apps/v9/deployments');
      await talk.get('/api/v1/nodes/none/nothing');
      await talk.get('/apis/apps/v1/namespaces/default/deployments/none/nothing');
      await talk.get('/nothing');
    },
    'methods that a path does not have': async (talk) => {
      await talk.put('/api/v1/namespaces/default/configmaps', configMap('one'));
      await talk.post('/api/v1/namespaces/default/configmaps/one', configMap('one'));
      await talk.get('/api/v1/namespaces/default/pods/none/eviction');
      await talk.request('PATCH', '/api/v1/nodes', { body: {}, type: 'application/merge-patch+json' });
    },
    'a list and its kind': async (talk) => {
      const path = await withMaps(talk, 'reads-list');
      await talk.get(path);
      await talk.get(`${path}?labelSelector=odd%3Dnone`);
      await talk.get('/api/v1/nodes?fieldSelector=metadata.name%3Dnone');
    },
    'label selectors': async (talk) => {
      const path = await withMaps(talk, 'reads-labels');
      for (const selector of [
        'odd=true',
        'odd==true',
        'odd!=true',
        'odd in (true,false)',
        'odd in ()',
        'odd notin (true)',
        'odd',
        '!odd',
        'none!=1',
        'odd=true,none',
        ' odd = true ',
        'odd=',
        'odd>1',
        'odd>a',
        'odd=true=false',
        'odd in true',
        ',',
        'odd,',
        'a b',
        'odd=a b',
        '-odd=1',
        'odd=-1',
        'x/y/z=1',
      ])
        await talk.get(`${path}?labelSelector=${encodeURIComponent(selector)}`, { pick: pickOrStatus });
    },
    'field selectors': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('reads-fields'), { quiet: true });
      const path = '/api/v1/namespaces/reads-fields';
      await talk.post(`${path}/pods`, pod('one', {}, { nodeName: 'reads-node' }), { quiet: true });
      await talk.post(`${path}/pods`, pod('two', { labels: { app: 'two' } }), { quiet: true });
      await talk.post('/api/v1/nodes', node('reads-cordoned', {}, { unschedulable: true }), { quiet: true });
      for (const selector of [
        'spec.nodeName=reads-node',
        'spec.nodeName=',
        'spec.nodeName!=reads-node',
        'metadata.name=two',
        'metadata.name=one,spec.nodeName=reads-node',
        'status.phase=Pending',
        'status.phase!=Pending',
        'spec.hostNetwork=false',
        'status.color=red',
        'spec.nodeName',
        'metadata.labels=x',
      ])
        await talk.get(`${path}/pods?fieldSelector=${encodeURIComponent(selector)}`, { pick: pickOrStatus });
      await talk.get('/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue', { pick: pickOrStatus });
      await talk.get(`${path}/configmaps?fieldSelector=data.x%3D1`, { pick: pickOrStatus });
      await talk.get('/apis/apps/v1/deployments?fieldSelector=spec.replicas%3D1', { pick: pickOrStatus });
      await talk.delete('/api/v1/nodes/reads-cordoned', undefined, { quiet: true });
    },
    'pages and what remains': async (talk) => {
      const path = await withMaps(talk, 'reads-pages');
      let { body } = await talk.get(`${path}?limit=2`, { pick: names });
      while (body.metadata.continue !== undefined && body.metadata.continue !== '')
        ({ body } = await talk.get(`${path}?limit=2&continue=${encodeURIComponent(body.metadata.continue)}`, { pick: names }));
      await talk.get(`${path}?limit=1&labelSelector=odd%3Dtrue`, { pick: names });
      await talk.get(`${path}?limit=5`, { pick: names });
      await talk.get(`${path}?limit=x`, { pick: pickOrStatus });
      await talk.get(`${path}?continue=nonsense`, { pick: pickOrStatus });
      await talk.get(`${path}?limit=0`, { pick: names });
    },
    'pages show the cluster as it was when the first one was read': async (talk) => {
      const path = await withMaps(talk, 'reads-snapshot');
      const { body } = await talk.get(`${path}?limit=2`, { pick: names });
      await talk.delete(`${path}/d`, undefined, { quiet: true });
      await talk.post(path, configMap('dd'), { quiet: true });
      await talk.patch(`${path}/e`, 'merge', { data: { late: 'yes' } }, { quiet: true });
      await talk.get(`${path}?limit=4&continue=${encodeURIComponent(body.metadata.continue)}`, {
        pick: (list) => list.items?.map((item: { metadata: { name: string }; data?: object }) => [item.metadata.name, item.data ?? null]),
      });
    },
    'a continue token that is too old': async (talk) => {
      // The history of a type begins when it does.
      const path = await define(talk, 'reads-gone', definition('remnants', 'Remnant', { type: 'object' }));
      const old = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 1, start: '/b\0' })).toString('base64url');
      await talk.server.compact();
      const expired = await talk.get(`${path}?limit=2&continue=${old}`);
      const token: string = expired.body.metadata?.continue ?? '';
      await talk.get(`${path}?limit=2&continue=${encodeURIComponent(token)}`, { pick: names });
    },
    'versions that a list may ask for': async (talk) => {
      const path = await withMaps(talk, 'reads-versions');
      // Any version will do: the answer may be a little old.
      await talk.get(`${path}?resourceVersion=0`, { pick: (body) => body.kind });
      await talk.get(`${path}?resourceVersion=abc`, { pick: pickOrStatus });
      await talk.get(`${path}?resourceVersionMatch=Exact`, { pick: pickOrStatus });
      await talk.get(`${path}?resourceVersion=0&resourceVersionMatch=Exact`, { pick: pickOrStatus });
      await talk.get(`${path}?resourceVersion=1&resourceVersionMatch=Other`, { pick: pickOrStatus });
      await talk.get(`${path}/a?resourceVersion=0`);
    },
    'what objects are filled in with': async (talk) => {
      await talk.get('/api/v1/namespaces/default');
      await talk.get('/api/v1/namespaces?fieldSelector=status.phase%3DActive', {
        pick: (list) =>
          list.items
            .map((item: { metadata: { name: string } }) => item.metadata.name)
            .filter((name: string) => /^(default|kube-)/.test(name)),
      });
    },
  },
};

/** Names of a list, or the whole Status of a refusal. */
function pickOrStatus(body: { kind: string; items?: { metadata: { name: string } }[] }): unknown {
  return body.items ? body.items.map((item) => item.metadata.name) : body;
}
