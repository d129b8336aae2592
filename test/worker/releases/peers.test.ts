/** Which workers of a queue are alive, what is wrong with them, and what a worker and the doctor say of it. */
import { describe, expect, test } from 'vitest';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ServiceConnection } from '../../../client/calls/worker-deployments.ts';
import { examineReleases } from '../../../worker/doctor/releases.ts';
import { thisRelease } from '../../../worker/releases/build-id.ts';
import { alive, type Peer, peersOn, releaseFaults } from '../../../worker/releases/peers.ts';
import { byRelease } from '../../../worker/releases/newer-releases.ts';
import { type ReleaseWatch, watchReleases } from '../../../worker/releases/watch-releases.ts';

const OLD = 'eks-belay@0.1.0+aaaaaaaaaaaa';
const NEW = 'eks-belay@0.2.0+bbbbbbbbbbbb';
const NOW_MS = 1_800_000_000_000;

const peer = (identity: string, buildId: string, change: Partial<Peer> = {}): Peer => ({ identity, buildId, seenMs: NOW_MS, ...change });

const timestamp = (ms: number): object => ({ seconds: Math.floor(ms / 1_000), nanos: (ms % 1_000) * 1_000_000 });

/** As DescribeTaskQueue has them. */
const pollersOf = (peers: readonly Peer[]): object[] =>
  peers.map(({ identity, buildId, deploymentName, seenMs }) => ({
    identity,
    lastAccessTime: timestamp(seenMs),
    ...(deploymentName === undefined ? { workerVersionCapabilities: { buildId } } : { deploymentOptions: { deploymentName, buildId } }),
  }));

interface Server {
  /** Of each look in turn; the last one stays. */
  pollers: (readonly Peer[])[];
  /** By deployment; one that is not named has never polled. */
  current?: Record<string, string | undefined>;
  listed?: object[];
  /** Workflow ids and versions. */
  pinned?: [string, string][];
  runs?: object[];
}

const run = (workflowId: string, attributes: Record<string, unknown>): object => ({
  execution: { workflowId },
  searchAttributes: {
    indexedFields: Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, defaultPayloadConverter.toPayload(value)])),
  },
});

/** A server of 1.29, or with `listed` a later one. */
function serverOf({ pollers, current = {}, listed, pinned = [], runs = [] }: Server): ServiceConnection {
  let looks = 0;
  const answered = {
    listWorkers: async () => {
      if (listed === undefined) throw Object.assign(new Error('12 UNIMPLEMENTED'), { code: 12 });
      return { workersInfo: listed.map((workerHeartbeat) => ({ workerHeartbeat })), nextPageToken: new Uint8Array() };
    },
    describeTaskQueue: async () => ({ pollers: pollersOf(pollers[Math.min(looks++, pollers.length - 1)] ?? []) }),
    listWorkflowExecutions: async ({ query }: { query: string }) => ({
      executions: query.includes('Pinned') ? pinned.map(([id, version]) => run(id, { TemporalWorkerDeploymentVersion: version })) : runs,
      nextPageToken: new Uint8Array(),
    }),
    describeWorkerDeployment: async ({ deploymentName }: { deploymentName: string }) => {
      if (!(deploymentName in current)) throw Object.assign(new Error('5 NOT_FOUND'), { code: 5 });
      const buildId = current[deploymentName];
      return {
        workerDeploymentInfo: { routingConfig: buildId === undefined ? {} : { currentDeploymentVersion: { deploymentName, buildId } } },
      };
    },
  };
  return { workflowService: answered } as unknown as ServiceConnection;
}

describe('who is there', () => {
  test('a server that lists workers is asked for them: of this queue, that have not ended', async () => {
    const running = { taskQueue: 'belay', status: 1, heartbeatTime: timestamp(NOW_MS), workerIdentity: '7@a' };
    const listed = [
      { ...running, deploymentVersion: { deploymentName: '', buildId: OLD } },
      { ...running, workerIdentity: '7@b', deploymentVersion: { deploymentName: 'belay', buildId: 'v2' } },
      { ...running, workerIdentity: '7@c', taskQueue: 'shop' },
      { ...running, workerIdentity: '7@d', status: 3 },
    ];
    expect(await peersOn(serverOf({ pollers: [], listed }), 'default')).toEqual([
      peer('7@a', OLD),
      peer('7@b', 'v2', { deploymentName: 'belay' }),
    ]);
  });

  test.each([
    ['0.10.0', '0.9.1', 1],
    ['1.0.0', '1.0.0-rc.1', 0],
    ['0.1.0', '0.1.1', -1],
  ])('%s beside %s', (one, other, sign) => {
    expect(Math.sign(byRelease(one, other))).toBe(sign);
  });

  test('another error than "unimplemented" is none to look past', async () => {
    const refusing = { workflowService: { listWorkers: () => Promise.reject(Object.assign(new Error('7 no'), { code: 7 })) } };
    await expect(peersOn(refusing as unknown as ServiceConnection, 'default')).rejects.toThrow('7 no');
  });

  test('whoever was not seen for a minute and a half is gone, by the server’s own clock', () => {
    const gone = peer('7@gone', OLD, { seenMs: NOW_MS - 90_001 });
    const there = [peer('7@a', NEW), peer('7@b', NEW, { seenMs: NOW_MS - 90_000 })];
    expect(alive([gone, ...there])).toEqual(there);
    expect(alive([])).toEqual([]);
  });
});

describe('what is wrong', () => {
  test('one release, however many workers of it, is right', () => {
    expect(releaseFaults([peer('7@a', NEW), peer('8@a', NEW)])).toEqual([]);
  });

  test('two versions of one deployment are right: the server routes between them', () => {
    const versions = ['v1', 'v2'].map((buildId) => peer(`7@${buildId}`, buildId, { deploymentName: 'belay' }));
    expect(releaseFaults(versions)).toEqual([]);
  });

  test('O12: two releases without versions are two', () => {
    const peers = [peer('7@b', NEW), peer('7@a', OLD)];
    expect(releaseFaults(peers)).toEqual([{ kind: 'two-releases', peers: [peers[1], peers[0]] }]);
  });

  test('workers with versions beside workers without are a mixture', () => {
    const [without, versioned] = [peer('7@a', OLD), peer('7@b', 'v2', { deploymentName: 'belay' })];
    const version = { deploymentName: 'belay', buildId: 'v2' };
    expect(releaseFaults([without, versioned])).toEqual([{ kind: 'mixed-modes', versioned: [version], without: [without] }]);
  });
});

describe('what a worker says', () => {
  /** The lines of so many looks. */
  async function lines(server: Server, change: Partial<ReleaseWatch> = {}, lookCount = 12): Promise<string[]> {
    const said: string[] = [];
    const stop = new AbortController();
    const connection = serverOf(server);
    let looks = 0;
    await watchReleases(
      {
        connection: () => {
          if (++looks >= lookCount) stop.abort();
          return connection;
        },
        namespace: 'default',
        version: undefined,
        log: {
          error: (_: object, line: string) => void said.push(`error ${line}`),
          info: (_: object, line: string) => void said.push(`info ${line}`),
          warn: (_: object, line: string) => void said.push(`warn ${line}`),
        },
        ...change,
      } as ReleaseWatch,
      stop.signal,
      1,
    );
    return said;
  }

  test('O12: nothing of a release that has just died and is listed still', async () => {
    const dead = peer('7@a', OLD, { seenMs: NOW_MS - 1_000 });
    expect(await lines({ pollers: [[dead], [dead, peer('7@b', NEW)], [dead, peer('7@b', NEW, { seenMs: NOW_MS + 60_000 })]] })).toEqual([]);
  });

  test('O12: another release that comes, at once: who looks need not poll again first', async () => {
    const own = peer('7@b', NEW);
    const said = await lines({ pollers: [[own], [own, peer('7@a', OLD)]] }, { self: own });
    expect(said).toEqual([expect.stringContaining('warn 2 releases poll one task queue')]);
    // Nor does somebody before it count who had its name and another release.
    expect(await lines({ pollers: [[peer('7@b', OLD)], [peer('7@b', OLD), own]] }, { self: own })).toEqual([]);
  });

  test('O12: another release once, by name, when it polls again, and that it is gone', async () => {
    const [old, own] = [peer('7@a', OLD), peer('7@b', NEW)];
    const later = (one: Peer, ms: number): Peer => ({ ...one, seenMs: NOW_MS + ms });
    const again = [later(old, 30_000), later(own, 60_000)];
    expect(await lines({ pollers: [[old], [old, own], again, again, [again[0] ?? old, later(own, 121_000)]] })).toEqual([
      `warn 2 releases poll one task queue, and fail each other's runs: 0.1.0 (bundle aaaaaaaaaaaa) by 7@a; 0.2.0 (bundle bbbbbbbbbbbb) by 7@b: stop the workers of one of them; where the old one has to finish its runs, use worker versioning (docs/operate/releases.md)`,
      'info one release alone polls the task queue again',
    ]);
  });

  test('O14: no Current version once, with the command', async () => {
    const version = { deploymentName: 'belay', buildId: 'v2' };
    expect(await lines({ pollers: [[]], current: {} }, { version })).toEqual([
      'warn deployment belay has no Current version, so no run starts or continues. Set it: temporal worker deployment set-current-version --deployment-name belay --build-id v2 --namespace default',
    ]);
    expect(await lines({ pollers: [[]], current: { belay: 'v2' } }, { version })).toEqual([
      'info this version is the Current one of its deployment',
    ]);
    expect(await lines({ pollers: [[]], current: { belay: 'v1' } }, { version })).toEqual([
      'info another version is the Current one: this worker gets only steps that are pinned to it',
    ]);
  });
});

describe('what the doctor says', () => {
  const examined = async (server: Server, env: NodeJS.ProcessEnv = {}): Promise<[string, string, string?][]> =>
    (await examineReleases(serverOf(server), 'default', env)).map(({ status, message, fix }) =>
      fix === undefined ? [status, message] : [status, message, fix],
    );
  const versioned = (buildId: string): Peer => peer(`7@${buildId}`, buildId, { deploymentName: 'belay' });
  const command = (buildId: string): string =>
    `temporal worker deployment set-current-version --deployment-name belay --build-id ${buildId} --namespace default`;

  test('nobody is there', async () => {
    expect(await examined({ pollers: [[]] })).toEqual([['failed', 'no worker polls task queue "belay"', 'start "belay worker"']]);
  });

  test('one release is well', async () => {
    expect(await examined({ pollers: [[peer('7@a', NEW)]] })).toEqual([['ok', '1 on task queue "belay": 7@a']]);
  });

  test('O12: two releases fail, and a dead one counts for nothing', async () => {
    const [, two] = await examined({ pollers: [[peer('7@a', OLD), peer('7@b', NEW)]] });
    expect(two).toEqual([
      'failed',
      expect.stringMatching(/^2 releases poll .*0\.1\.0 .* 7@a; 0\.2\.0 .* 7@b$/),
      expect.stringMatching(/^stop the workers of one/),
    ]);
    expect(await examined({ pollers: [[peer('7@a', OLD, { seenMs: NOW_MS - 200_000 }), peer('7@b', NEW)]] })).toHaveLength(1);
  });

  test('workers with and without versions fail', async () => {
    const [, mixed] = await examined({ pollers: [[peer('7@a', NEW), versioned('v2')]], current: { belay: 'v2' } });
    expect(mixed).toEqual([
      'failed',
      expect.stringMatching(/^workers with versions \(belay v2\) poll beside workers without \(7@a\)/),
      expect.any(String),
    ]);
  });

  test('O14: no Current version fails, with the command; also before the first worker of a deployment has polled', async () => {
    const message = 'deployment belay has no Current version, so no run starts or continues';
    expect(await examined({ pollers: [[versioned('v2')]], current: { belay: undefined } })).toEqual([
      ['ok', '1 on task queue "belay": 7@v2'],
      ['failed', message, command('v2')],
    ]);
    const env = { TEMPORAL_DEPLOYMENT_NAME: 'belay', TEMPORAL_WORKER_BUILD_ID: 'v3' };
    expect((await examined({ pollers: [[]] }, env)).at(-1)).toEqual(['failed', message, command('v3')]);
  });

  test('a Current version without a worker fails: what is routed to it stands still', async () => {
    expect((await examined({ pollers: [[versioned('v2')]], current: { belay: 'v1' } })).at(-1)).toEqual([
      'failed',
      'deployment belay routes new work to v1, and no worker of it polls',
      `start a worker of it, or ${command('v2')}`,
    ]);
    expect((await examined({ pollers: [[versioned('v1'), versioned('v2')]], current: { belay: 'v1' } })).at(-1)).toEqual([
      'ok',
      'deployment belay routes new work to v1',
    ]);
  });

  test('O15: steps that are pinned to a version without workers fail, with one command that moves them', async () => {
    const pinned: [string, string][] = [
      ['eks-upgrade/1/eu/a/bake@1.32', 'belay:v1'],
      ['eks-upgrade/1/eu/b/istio@1.32', 'belay:v1'],
      ['eks-upgrade/1/eu/c/istio@1.32', 'belay:v2'],
    ];
    const [, stranded] = await examined({ pollers: [[versioned('v2')]], current: { belay: 'v2' }, pinned });
    expect(stranded).toEqual([
      'failed',
      '2 open steps pinned to belay:v1, of which no worker polls: eks-upgrade/1/eu/a/bake@1.32, eks-upgrade/1/eu/b/istio@1.32',
      `start a worker of that version, or move them to one that polls: temporal workflow update-options --namespace default --query "ExecutionStatus = 'Running' AND TaskQueue = 'belay' AND TemporalWorkflowVersioningBehavior = 'Pinned' AND TemporalWorkerDeploymentVersion = 'belay:v1'" --versioning-override-behavior pinned --versioning-override-deployment-name belay --versioning-override-build-id v2`,
    ]);
    expect((await examined({ pollers: [[]], pinned: pinned.slice(0, 1) }))[1]).toEqual([
      'failed',
      '1 open step pinned to belay:v1, of which no worker polls: eks-upgrade/1/eu/a/bake@1.32',
      'start a worker of that version',
    ]);
  });

  test('O13: runs that a newer release has moved on are a warning', async () => {
    const runs = [
      run('eks-upgrade/1/eu/a', { BuildIds: ['unversioned', 'unversioned:eks-belay@99.0.0+aa', 'unversioned:eks-belay@99.10.0+aa'] }),
      run('eks-upgrade/1/eu/b', { BuildIds: ['unversioned:eks-belay@0.0.1+aa', 'unversioned:@temporalio/worker@1.24.0+bb'] }),
      run('eks-upgrade/1/eu/c', {}),
    ];
    const [, newer] = await examined({ pollers: [[peer('7@a', NEW)]], runs });
    expect(newer).toEqual([
      'warning',
      `1 open run was moved on by release 99.10.0, which is newer than this one (${thisRelease()}), and may stand still: eks-upgrade/1/eu/a`,
      'start the newer release again, unless "belay upgrade-self check" says that this one replays them',
    ]);
  });

  test('a server that knows no versions has no steps of any', async () => {
    const connection = serverOf({ pollers: [[peer('7@a', NEW)]] });
    const { listWorkflowExecutions } = connection.workflowService;
    const refused = (): Promise<never> => Promise.reject(Object.assign(new Error('3 no such attribute'), { code: 3 }));
    Object.assign(connection.workflowService, {
      listWorkflowExecutions: (asked: { query: string }) => (asked.query.includes('Pinned') ? refused() : listWorkflowExecutions(asked)),
    });
    expect(await examineReleases(connection, 'default', {})).toHaveLength(1);
  });

  test('one of both variables fails', async () => {
    expect((await examined({ pollers: [[]] }, { TEMPORAL_DEPLOYMENT_NAME: 'belay' })).at(-1)).toEqual([
      'failed',
      expect.stringContaining('TEMPORAL_WORKER_BUILD_ID is not'),
      expect.any(String),
    ]);
  });

  test('a deployment that may not be read is unknown', async () => {
    const connection = serverOf({ pollers: [[versioned('v2')]] });
    Object.assign(connection.workflowService, {
      describeWorkerDeployment: () => Promise.reject(Object.assign(new Error('7 refused'), { code: 7 })),
    });
    expect((await examineReleases(connection, 'default', {})).at(-1)).toMatchObject({
      status: 'unknown',
      message: 'deployment belay cannot be read (7 refused)',
    });
  });
});
