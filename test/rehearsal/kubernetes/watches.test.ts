/** Watches of the real client: versions, selectors, 410, bookmarks, broken connections. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { Watch } from '@kubernetes/client-node';
import { pod, startStandIn } from './harness.ts';

type StandIn = Awaited<ReturnType<typeof startStandIn>>;
let twin: StandIn;
beforeEach(async () => {
  await twin?.server.close();
  twin = await startStandIn();
});
afterAll(async () => twin.server.close());

describe('watches', () => {
  async function watching(
    path: string,
    query: Record<string, string | boolean>,
    until: number,
  ): Promise<[string, string | number | undefined][]> {
    const events: [string, string | number | undefined][] = [];
    return new Promise((resolve, reject) => {
      new Watch(twin.config)
        .watch(
          path,
          query,
          (phase, object) => {
            events.push([phase, object.metadata?.name ?? object.code]);
            if (events.length >= until) resolve(events);
          },
          (error) => (events.length >= until ? undefined : reject(error ?? new Error('the watch ended early'))),
        )
        .then(undefined, reject);
    });
  }

  test('events since a version come in order, those of other types do not', async () => {
    const resourceVersion = (await twin.core.listNode()).metadata?.resourceVersion ?? '';
    for (const name of ['node-1', 'node-2']) twin.store.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } });
    twin.store.create('pods', pod('cart'));
    const events = watching('/api/v1/nodes', { resourceVersion }, 4);
    twin.store.update('nodes', 'node-1', undefined, (copy) => void (copy.spec.unschedulable = true));
    twin.store.delete('nodes', 'node-2');
    expect(await events).toEqual([
      ['ADDED', 'node-1'],
      ['ADDED', 'node-2'],
      ['MODIFIED', 'node-1'],
      ['DELETED', 'node-2'],
    ]);
  });

  test('with a selector, an object comes and goes with its labels', async () => {
    twin.store.create('pods', pod('cart', { labels: { app: 'web' } }));
    const resourceVersion = String(twin.store.resourceVersion());
    twin.store.update('pods', 'cart', 'default', (copy) => void (copy.metadata.labels = { app: 'cart' }));
    twin.store.update('pods', 'cart', 'default', (copy) => void (copy.metadata.labels = { app: 'web' }));
    expect(await watching('/api/v1/pods', { resourceVersion, labelSelector: 'app=cart' }, 2)).toEqual([
      ['ADDED', 'cart'],
      ['DELETED', 'cart'],
    ]);
  });

  test('a version that is no longer kept is an ERROR event with 410', async () => {
    await twin.server.close();
    twin = await startStandIn({ watchHistory: 4 });
    const resourceVersion = String(twin.store.resourceVersion());
    for (let index = 0; index < 20; index += 1)
      twin.store.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: `node-${index}` } });
    expect(await watching('/api/v1/nodes', { resourceVersion }, 1)).toEqual([['ERROR', 410]]);
  });

  test('initial events end with a bookmark that says so', async () => {
    twin.store.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } });
    const query = { sendInitialEvents: true, allowWatchBookmarks: true, resourceVersionMatch: 'NotOlderThan' };
    expect((await watching('/api/v1/nodes', query, 2)).map(([phase]) => phase)).toEqual(['ADDED', 'BOOKMARK']);
  });

  test('a watch breaks when the API server goes down', async () => {
    let down = false;
    await twin.server.close();
    twin = await startStandIn({ down: () => down });
    const broken = new Promise<unknown>((resolve) => {
      void new Watch(twin.config).watch('/api/v1/nodes', {}, () => (down = true), resolve);
    });
    twin.store.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } });
    expect(await broken).toBeInstanceOf(Error);
  });
});
