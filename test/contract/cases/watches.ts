/** Watches: order, versions, bookmarks, selectors, what is gone. */
import { configMap, definition, namespace } from '../objects.ts';
import type { Area } from '../suite.ts';
import { define } from './definitions.ts';

export const watches: Area = {
  name: 'watches',
  cases: {
    'what changes after a version': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('watches-since'), { quiet: true });
      const path = '/api/v1/namespaces/watches-since/configmaps';
      const { body } = await talk.get(path, { quiet: true });
      const since = body.metadata.resourceVersion;
      await talk.post(path, configMap('one', { a: '1' }), { quiet: true });
      await talk.watch(`${path}?watch=true&resourceVersion=${since}`, 4, async () => {
        await talk.patch(`${path}/one`, 'merge', { data: { a: '2' } }, { quiet: true });
        await talk.post(path, configMap('two'), { quiet: true });
        await talk.delete(`${path}/one`, undefined, { quiet: true });
      });
    },
    'without a version, what is there comes first': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('watches-fresh'), { quiet: true });
      const path = '/api/v1/namespaces/watches-fresh/configmaps';
      await talk.post(path, configMap('one'), { quiet: true });
      await talk.watch(`${path}?watch=1`, 2, () => talk.post(path, configMap('two'), { quiet: true }));
      await talk.watch(`${path}?watch=1&resourceVersion=0&timeoutSeconds=1`, 9);
    },
    'labels decide who comes and goes': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('watches-labels'), { quiet: true });
      const path = '/api/v1/namespaces/watches-labels/configmaps';
      const { body } = await talk.post(path, configMap('one', {}, { labels: { app: 'web' } }), { quiet: true });
      await talk.watch(`${path}?watch=1&labelSelector=app%3Dcart&resourceVersion=${body.metadata.resourceVersion}`, 3, async () => {
        await talk.patch(`${path}/one`, 'merge', { metadata: { labels: { app: 'cart' } } }, { quiet: true });
        await talk.patch(`${path}/one`, 'merge', { data: { a: '1' } }, { quiet: true });
        await talk.patch(`${path}/one`, 'merge', { metadata: { labels: { app: 'web' } } }, { quiet: true });
      });
    },
    'one object by its name': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('watches-name'), { quiet: true });
      const path = '/api/v1/namespaces/watches-name/configmaps';
      for (const name of ['one', 'two']) await talk.post(path, configMap(name), { quiet: true });
      await talk.watch(`${path}?watch=1&fieldSelector=metadata.name%3Dtwo&timeoutSeconds=1`, 9);
    },
    'initial events end with a bookmark': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('watches-initial'), { quiet: true });
      const path = '/api/v1/namespaces/watches-initial/configmaps';
      await talk.post(path, configMap('one'), { quiet: true });
      await talk.watch(`${path}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`, 2);
      await talk.watch(
        `${path}?watch=1&sendInitialEvents=false&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1`,
        9,
      );
      await talk.get(`${path}?watch=1&sendInitialEvents=true`);
      await talk.get(`${path}?sendInitialEvents=true`);
      await talk.get(`${path}?watch=1&resourceVersionMatch=NotOlderThan`);
      await talk.get(`${path}?watch=1&resourceVersion=abc`);
    },
    'versions that are gone': async (talk) => {
      // The history of a type begins when it does.
      const path = await define(talk, 'watches-gone', definition('leftovers', 'Leftover', { type: 'object' }));
      await talk.server.compact();
      talk.normaliser.hide(/too old resource version: 1 \(\d+\)/g, 'too old resource version: 1 (<version>)');
      await talk.watch(`${path}?watch=1&resourceVersion=1`, 1);
    },
    'rows of a table': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('watches-table'), { quiet: true });
      const path = '/api/v1/namespaces/watches-table/configmaps';
      await talk.post(path, configMap('one'), { quiet: true });
      talk.normaliser.hide(/^\d+s$/, '<age>');
      await talk.watch(
        `${path}?watch=1`,
        2,
        () => talk.post(path, configMap('two'), { quiet: true }),
        'application/json;as=Table;v=v1;g=meta.k8s.io',
      );
    },
    'a single object by the old path': async (talk) => {
      await talk.get('/api/v1/watch/namespaces/none/configmaps/none?timeoutSeconds=1', { pick: () => 'a stream' });
    },
  },
};
