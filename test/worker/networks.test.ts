/** Which clusters a worker serves, by its own belay.yaml; what it does for no other; and what it says of queues that nobody polls. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import { createQueueActivities } from '../../activities/run/watch-queue.ts';
import type { ServiceConnection } from '../../client/calls/worker-deployments.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';
import { parseConfig } from '../../worker/config/config.ts';
import { networkOf, servedClusters } from '../../worker/config/network.ts';
import { examineNetworks, notFromHere } from '../../worker/doctor/networks.ts';
import { createPorts } from '../../worker/ports.ts';
import { noQueuePolls, watchNetworks } from '../../worker/temporal/watch-networks.ts';
import { EFFECTS } from '../../workflows/runtime/activity-effects.ts';
import { activitiesOfClusters, CENTRAL, queueFor } from '../../workflows/runtime/activity-places.ts';
import { quickPolicy } from '../support/fake-activities.ts';

const FILE = `
defaults: { account: "111122223333", region: eu-west-1 }
environments:
  plant: { network: factory }
clusters:
  office: {}
  shop: { network: dmz }
  till: { network: dmz }
  press: { environment: plant }
  robots: { environment: plant, network: cell }
`;
const config = parseConfig(FILE, 'belay.yaml');

describe('network: in belay.yaml', () => {
  test('a cluster’s own goes before its environment’s, and that before the defaults', () => {
    const networks = (file: string): unknown => {
      const { clusters } = parseConfig(file, 'belay.yaml');
      return Object.fromEntries([...clusters].map(([name, { policy, access }]) => [name, [policy.cluster.network, access.network]]));
    };
    expect(networks(FILE)).toEqual({
      office: [undefined, undefined],
      shop: ['dmz', 'dmz'],
      till: ['dmz', 'dmz'],
      press: ['factory', 'factory'],
      robots: ['cell', 'cell'],
    });
    expect(networks(FILE.replace('defaults: {', 'defaults: { network: rest,'))).toMatchObject({
      office: ['rest', 'rest'],
      press: ['factory', 'factory'],
    });
  });

  test.each(['dmz_1', '-dmz', 'dmz-', 'a b', 'dmz/../belay', 'x'.repeat(41), ''])('"%s" is no name', (name) => {
    const file = FILE.replace('shop: { network: dmz }', `shop: { network: "${name}" }`);
    expect(() => parseConfig(file, 'belay.yaml')).toThrow(
      `clusters.shop.network: "${name}" is not valid; write letters, digits and hyphens between them, at most 40, such as dmz`,
    );
  });

  test('the clusters of the environment before bring their networks along', () => {
    const file = `${FILE.replace('plant: { network: factory }', 'plant: { network: factory }\n  line: { after: { environment: plant, bakedDays: 1 } }')}  packing: { environment: line }\n`;
    expect(policyOf(parseConfig(file, 'belay.yaml'), 'packing').after?.clusters.map(({ name, network }) => [name, network])).toEqual([
      ['press', 'factory'],
      ['robots', 'cell'],
    ]);
  });
});

describe('which network a worker is in', () => {
  test('the flag goes before BELAY_NETWORK; without either it serves clusters without a network', () => {
    expect(networkOf(config, 'cell', { BELAY_NETWORK: 'dmz' })).toBe('cell');
    expect(networkOf(config, undefined, { BELAY_NETWORK: 'dmz' })).toBe('dmz');
    expect(networkOf(config, undefined, { BELAY_NETWORK: '' })).toBeUndefined();
    expect(servedClusters(config, 'dmz')).toEqual(['shop', 'till']);
    expect(servedClusters(config, undefined)).toEqual(['office']);
  });

  test.each([
    ['dmz 1', {}, '--network is "dmz 1"; write letters, digits and hyphens between them, at most 40, such as dmz.'],
    ['dmzz', {}, '--network is "dmzz", and no cluster of belay.yaml is in that network; did you mean "dmz"?.'],
    [
      undefined,
      { BELAY_NETWORK: 'warehouse' },
      'BELAY_NETWORK is "warehouse", and no cluster of belay.yaml is in that network; there are: dmz, factory, cell.',
    ],
  ])('%s %j is refused', (flag, env, message) => {
    expect(() => networkOf(config, flag, env)).toThrow(new RangeError(message));
  });
});

describe('what goes where', () => {
  test('all that touches a cluster goes to its network’s queue; policy, people, records and Slack do not', () => {
    const { cluster } = policyOf(config, 'shop');
    const central = Object.keys(EFFECTS).filter((name) => queueFor(name, [{ cluster, clusters: [cluster] }]) === undefined);
    expect(central.toSorted()).toEqual(CENTRAL.toSorted());
    expect(queueFor('freezeDrift', [{ cluster }])).toBe('belay-dmz');
  });

  test('without a network nothing leaves the workflows’ queue', () => {
    const { cluster } = policyOf(config, 'office');
    for (const name of Object.keys(EFFECTS)) expect(queueFor(name, [{ cluster, clusters: [cluster] }])).toBeUndefined();
    for (const input of [undefined, null, 'dmz', {}, { cluster: null }, { cluster: { network: '' } }, { clusters: [] }])
      expect(queueFor('makePlan', [input])).toBeUndefined();
  });
});

describe('a worker does nothing for a cluster of another network, whatever the input says', () => {
  let server: Server;
  const asked: string[] = [];
  const before = { ...process.env };
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(500).end();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    Object.assign(process.env, { AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' });
  });
  afterAll(async () => {
    process.env = before;
    await new Promise((resolve) => void server.close(resolve));
  });

  /** What changes something, and some of what reads; some watches take a refusal for something that passes, and look on. */
  const tried = (Object.keys(EFFECTS) as (keyof BelayActivities)[]).filter(
    (name) =>
      ['changes', 'restores'].includes(EFFECTS[name]) || ['makePlan', 'readSkew', 'watchCluster', 'readRollbackWindow'].includes(name),
  );

  test.each([
    ['dmz', 'office', 'belay.yaml puts cluster office in no network, and this worker serves those of network dmz alone.'],
    ['dmz', 'press', 'belay.yaml puts cluster press in network factory, and this worker serves those of network dmz alone.'],
    [undefined, 'shop', 'belay.yaml puts cluster shop in network dmz, and this worker serves clusters without a network alone.'],
  ])('worker of network %s, cluster %s', async (network, name, refusal) => {
    const ports = createPorts(config, { namespace: 'default', env: {}, ...(network === undefined ? {} : { network }) });
    try {
      // An attacker, or an older belay.yaml, says that the cluster is this worker's.
      const { network: _, ...ref } = policyOf(config, name).cluster;
      const cluster = network === undefined ? ref : { ...ref, network };
      const policy = quickPolicy({ cluster });
      const { timing } = policy;
      const refused: string[] = [];
      // A hundred refusals, which are what is wanted.
      const logger = new DefaultLogger('ERROR');
      for (const activity of tried) {
        const run = ports.activities[activity] as (given: unknown) => Promise<unknown>;
        const input = { cluster, policy, timing, token: 't', target: '1.33', to: '1.33', from: '1.32' };
        const answer: unknown = await new MockActivityEnvironment({}, { logger }).run(run, input).catch((error: unknown) => error);
        if (String(answer).includes(refusal)) refused.push(activity);
      }
      expect(asked).toEqual([]);
      // The others want more of an input than this before they look at the cluster.
      expect(refused).toEqual(
        expect.arrayContaining(['deletePod', 'freezeDrift', 'makePlan', 'readSkew', 'startControlPlaneUpdate', 'watchCluster']),
      );
    } finally {
      await ports.close();
    }
  });

  test('a worker of a network has no activity of Slack, people and records', () => {
    const { activities } = createPorts(config, { namespace: 'default', env: {}, network: 'dmz' });
    expect(Object.keys(activitiesOfClusters(activities)).filter((name) => CENTRAL.includes(name))).toEqual([]);
    expect(Object.keys(activitiesOfClusters(activities)).toSorted()).toEqual(
      Object.keys(EFFECTS)
        .filter((name) => !CENTRAL.includes(name))
        .toSorted(),
    );
  });
});

const NOW_S = 1_800_000_000;
/** `polls`: by queue, how many seconds ago each poller was seen. */
function temporalWith(polls: Readonly<Record<string, readonly number[]>> | Error): ServiceConnection {
  const describeTaskQueue = async ({ taskQueue }: { taskQueue: { name: string } }) => {
    if (polls instanceof Error) throw polls;
    const ago = polls[taskQueue.name] ?? [];
    return {
      pollers: ago.map((seconds, index) => ({
        identity: `${index}@${taskQueue.name}`,
        lastAccessTime: { seconds: NOW_S - seconds, nanos: 0 },
      })),
    };
  };
  return { workflowService: { describeTaskQueue } } as unknown as ServiceConnection;
}

describe('O37: the queue that nobody polls is named', () => {
  const only = parseConfig(
    'defaults: { account: "111122223333", region: eu-west-1, network: dmz }\nclusters:\n  shop: {}\n  till: {}\n',
    'belay.yaml',
  );

  test.each([
    [{ belay: [5], 'belay-dmz': [60] }, 'ok', '1 on task queue "belay-dmz": 0@belay-dmz', undefined],
    [
      { belay: [5], 'belay-dmz': [96] },
      'failed',
      'nobody polls task queue "belay-dmz", which 2 clusters of belay.yaml need: shop, till',
      'start "belay worker --network dmz" in that network',
    ],
    [
      { belay: [5] },
      'failed',
      'nobody polls task queue "belay-dmz", which 2 clusters of belay.yaml need: shop, till',
      'start "belay worker --network dmz" in that network',
    ],
    [
      new Error('7 PERMISSION_DENIED'),
      'unknown',
      'Temporal does not say who polls task queue "belay-dmz" (7 PERMISSION_DENIED)',
      'let this key describe task queues, or look in Temporal UI under Workers',
    ],
  ] as const)('by belay doctor: %j', async (polls, status, message, fix) => {
    const found = await examineNetworks(temporalWith(polls), 'default', only);
    expect(found).toEqual([{ area: 'Temporal', status, message, ...(fix === undefined ? {} : { fix }) }]);
  });

  test('clusters that the doctor does not reach from here are unknown, and no pass', () => {
    expect([notFromHere(config, 'shop'), notFromHere(config, 'office')]).toEqual([
      {
        area: 'AWS',
        status: 'unknown',
        message: 'shop: not checked, because this command runs for another network',
        fix: 'run "belay doctor shop" where a worker of network dmz runs',
      },
      {
        area: 'AWS',
        status: 'unknown',
        message: 'office: not checked, because this command runs for another network',
        fix: 'run "belay doctor office" where a worker without --network runs',
      },
    ]);
  });

  test('by the log of a worker, once for each change; its last poll is kept for /metrics', async () => {
    const stop = new AbortController();
    const looks: (Record<string, number[]> | Error)[] = [
      { belay: [5] },
      { belay: [5] },
      new Error('14 UNAVAILABLE'),
      { belay: [5], 'belay-dmz': [3] },
    ];
    const lines: string[] = [];
    const polls = noQueuePolls(['dmz']);
    expect([...polls]).toEqual([['belay-dmz', 0]]);
    const log = {
      warn: (_: unknown, text: string) => void lines.push(`warn ${text}`),
      info: (_: unknown, text: string) => void lines.push(`info ${text}`),
    };
    const connection = (): ServiceConnection | undefined => {
      const next = looks.shift();
      if (next === undefined) stop.abort();
      return next === undefined ? undefined : temporalWith(next);
    };
    await watchNetworks(
      { connection, namespace: 'default', networks: new Map([['dmz', ['shop', 'till']]]), polls, log: log as never },
      stop.signal,
      1,
    );
    expect(lines).toEqual([
      'warn nobody polls task queue "belay-dmz", which 2 clusters of belay.yaml need: shop, till; start "belay worker --network dmz" in that network',
      'info Temporal does not say who polls this queue; looking again',
      'info task queue "belay-dmz" is polled',
    ]);
    expect([...polls]).toEqual([['belay-dmz', NOW_S - 3]]);
  });

  test.each([
    ['polled', [true, false, true, false, false], { kind: 'unpolled' }],
    ['unpolled', [false, true, true], { kind: 'polled' }],
    ['polled', [true, new Error('gone'), new Error('gone')], { kind: 'unknown', why: 'gone' }],
    ['unknown', [new Error('gone'), false, false], { kind: 'unpolled' }],
  ] as const)('by the run: known as %s, then %j', async (known, seen, news) => {
    const left = [...seen];
    const { watchQueue } = createQueueActivities({
      isPolled: async () => {
        const next = left.shift() ?? seen.at(-1);
        if (next instanceof Error) throw next;
        return next === true;
      },
    });
    const { cluster } = policyOf(config, 'shop');
    expect(await new MockActivityEnvironment().run(watchQueue, { cluster, timing: quickPolicy().timing, known })).toEqual(news);
    expect(left).toEqual([]);
  });
});
