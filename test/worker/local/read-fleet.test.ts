/** Where the fleet's overview comes from: a worker, or AWS itself where none answers. */
import { fleetView } from '../../../domain/run/fleet-view/view.ts';
import { describe, expect, test } from 'vitest';
import { UpgradesError, type VisibilityStatus } from '../../../client/calls/contract.ts';
import { validateConfig } from '../../../domain/policy/config/config.ts';
import type { FleetVersions } from '../../../domain/run/fleet.ts';
import { type FleetPorts, readFleet } from '../../../worker/local/read-fleet.ts';
import { SAID } from '../../domain/run/fleet-view/campaign.ts';
import { status } from '../../slack/fixtures.ts';

const config = validateConfig(
  {
    clusters: {
      staging: { region: 'eu-west-1', account: '111122223333', environment: 'test' },
      prod: { region: 'us-east-1', account: '444455556666', environment: 'prod' },
    },
  },
  { fileName: 'belay.yaml' },
);
const AT = '2026-03-03T12:00:00.000Z';
const GATE = 'before:node-groups@1.32#1';

const versions = (...clusters: FleetVersions['clusters']): FleetVersions => ({ readAt: AT, clusters, offered: [] });
const BOTH = versions({ name: 'staging', version: '1.32', supportType: 'EXTENDED' }, { name: 'prod', why: 'AWS refuses the role' });

const run = (place: string, waitingFor?: string): VisibilityStatus => ({
  workflowId: `eks-upgrade/${place}`,
  runId: 'r',
  cluster: place.split('/')[2] ?? '',
  target: '1.32',
  phase: 'node-groups',
  execution: 'RUNNING',
  startedAt: AT,
  ...(waitingFor === undefined ? {} : { waitingFor }),
});

/** Everything answers; a test changes one thing. */
function ports(change: Partial<FleetPorts['upgrades']> = {}): FleetPorts {
  return {
    upgrades: {
      versions: async () => BOTH,
      listAll: async () => ({ runs: [], keptFreezes: [] }),
      status: async () => ({ source: 'workflow', status: status() }),
      ...change,
    },
    openCampaigns: async () => [],
    readDirectly: async (names) => versions(...names.map((name) => ({ name, version: '1.31' }))),
  };
}
const listed =
  (...runs: VisibilityStatus[]) =>
  async () => ({ runs, keptFreezes: [] });
const fails = (code: 'unreachable' | 'no-worker', message: string) => () => Promise.reject(new UpgradesError(code, message));

test('a worker’s answer: version, upgrade policy and environment of each, and why one could not be read', async () => {
  const { members, sources, readAt } = await readFleet(config, ['staging', 'prod'], ports());
  expect(members).toEqual([
    {
      cluster: { name: 'staging', account: '111122223333', region: 'eu-west-1' },
      environment: 'test',
      version: '1.32',
      supportType: 'EXTENDED',
    },
    { cluster: { name: 'prod', account: '444455556666', region: 'us-east-1' }, environment: 'prod', why: 'AWS refuses the role' },
  ]);
  expect({ sources, readAt }).toEqual({
    sources: { versions: { from: 'worker' }, runs: { from: 'temporal' }, campaigns: { from: 'temporal' } },
    readAt: AT,
  });
});

test('a cluster that the answer lacks is not read; it is not left out', async () => {
  const { members } = await readFleet(
    config,
    ['staging', 'prod'],
    ports({ versions: async () => versions({ name: 'prod', version: '1.33' }) }),
  );
  expect(members.map(({ version, why }) => [version, why])).toEqual([
    [undefined, 'it is missing from the answer; try again'],
    ['1.33', undefined],
  ]);
});

describe('without a worker', () => {
  test('AWS is asked by this process, and runs are read all the same', async () => {
    const without = ports({ versions: fails('no-worker', 'Nobody works.'), listAll: listed(run('111122223333/eu-west-1/staging')) });
    const { members, runs, sources } = await readFleet(config, ['staging'], without);
    expect(members.map(({ version }) => version)).toEqual(['1.31']);
    expect(runs.map(({ cluster }) => cluster.name)).toEqual(['staging']);
    expect(sources).toMatchObject({ versions: { from: 'aws', why: 'Nobody works.' }, runs: { from: 'temporal' } });
  });

  test('without Temporal, which runs are open is not known, and that is said', async () => {
    const without = ports({ versions: fails('unreachable', 'It is away.'), listAll: fails('unreachable', 'It is away.') });
    const { runs, sources } = await readFleet(config, ['staging'], without);
    expect(runs).toEqual([]);
    expect(sources.runs).toEqual({ from: 'unread', why: 'It is away.' });
  });

  test('a mistake of our own is not hidden by another source', async () => {
    const broken = ports({ versions: () => Promise.reject(new TypeError('x is undefined')) });
    await expect(readFleet(config, ['staging'], broken)).rejects.toThrow('x is undefined');
  });
});

describe('what a run waits for', () => {
  const gates = [{ id: GATE, title: 'Replace the nodes', choices: [], expiresAt: AT, progress: 'platform 1 of 2', workflowId: 'w' }];
  const waiting = listed(run('111122223333/eu-west-1/staging', GATE));

  test('its workflow says what is asked, and who is missing', async () => {
    const asked = ports({ listAll: waiting, status: async () => ({ source: 'workflow', status: status({ gates }) }) });
    const { runs } = await readFleet(config, ['staging'], asked);
    expect(runs[0]?.waitsFor).toEqual({ id: GATE, title: 'Replace the nodes', progress: 'platform 1 of 2', expiresAt: AT });
  });

  test('a workflow that does not answer leaves the gate’s id', async () => {
    const { runs } = await readFleet(config, ['staging'], ports({ listAll: waiting, status: fails('unreachable', 'It is away.') }));
    expect(runs[0]?.waitsFor).toEqual({ id: GATE });
  });

  test('a gate that closes by itself asks nobody, whether or not its workflow answers', async () => {
    const bake = 'bake:bake@1.34#1';
    const baking = listed(run('111122223333/eu-west-1/staging', bake));
    const [gate] = gates;
    const open = status({ gates: gate === undefined ? [] : [{ ...gate, id: bake, byItself: true }] });
    const asked = ports({ listAll: baking, status: async () => ({ source: 'workflow', status: open }) });
    for (const of of [asked, ports({ listAll: baking, status: fails('unreachable', 'It is away.') })]) {
      const reading = await readFleet(config, ['staging'], of);
      expect(reading.runs[0]?.waitsFor).toMatchObject({ id: bake, byItself: true });
      expect(fleetView(reading, 60).counts).toMatchObject({ running: 1, waiting: 0 });
    }
  });

  test('F38: the run of a cluster of the same name elsewhere is not asked about ours', async () => {
    const asked: string[] = [];
    const elsewhere = ports({
      listAll: listed(run('999999999999/eu-west-1/staging', GATE)),
      status: async (name) => {
        asked.push(name);
        return { source: 'workflow', status: status({ gates }) };
      },
    });
    const { runs } = await readFleet(config, ['staging'], elsewhere);
    expect(asked).toEqual([]);
    expect(runs.map(({ cluster, waitsFor }) => [cluster.account, waitsFor])).toEqual([['999999999999', { id: GATE }]]);
  });
});

describe('a freeze that is kept after its run', () => {
  const gates = [{ id: 'lift-freeze@1.32#1', title: 'Lift the freeze', choices: [], expiresAt: AT, workflowId: 'w' }];
  const kept = { ...run('111122223333/eu-west-1/staging', 'lift-freeze@1.32#1'), startedAt: '2026-03-01T08:00:00.000Z' };
  const listAll = async () => ({ runs: [], keptFreezes: [kept] });

  test('says since when, and what somebody has to decide', async () => {
    const { runs, keptFreezes } = await readFleet(
      config,
      ['staging'],
      ports({ listAll, status: async () => ({ source: 'workflow', status: status({ gates }) }) }),
    );
    expect({ runs, keptFreezes }).toEqual({
      runs: [],
      keptFreezes: [
        {
          cluster: { name: 'staging', account: '111122223333', region: 'eu-west-1' },
          target: '1.32',
          startedAt: '2026-03-01T08:00:00.000Z',
          waitsFor: { id: 'lift-freeze@1.32#1', title: 'Lift the freeze', expiresAt: AT },
        },
      ],
    });
  });
});

describe('campaigns', () => {
  const withCampaign = (select: object) =>
    validateConfig(
      {
        clusters: {
          staging: { region: 'eu-west-1', account: '111122223333', environment: 'test' },
          prod: { region: 'us-east-1', account: '444455556666', environment: 'prod' },
        },
        approvals: { users: ['U0PLATFORM'] },
        campaigns: { next: { target: '1.33', rings: [{ name: 'all', select }] } },
      },
      { fileName: 'belay.yaml' },
    );
  const both = ['staging', 'prod'];
  const everything = async () => versions({ name: 'staging', version: '1.32' }, { name: 'prod', version: '1.33' });
  const of = async (change: Partial<FleetPorts> = {}, { names = both, select = {} }: { names?: string[]; select?: object } = {}) =>
    await readFleet(withCampaign(select), names, { ...ports({ versions: everything }), ...change });

  test('open ones are asked for with those of belay.yaml first; one that does not answer is unread, by name', async () => {
    const asked: string[] = [];
    const { campaigns, sources } = await of({
      openCampaigns: async (first) => {
        asked.push(...first);
        return [
          { name: 'next', since: AT, status: { ...SAID, runId: 'r', startedAt: AT } },
          { name: 'quiet', since: AT, why: 'no worker answers' },
        ];
      },
    });
    expect(asked).toEqual(['next']);
    expect(campaigns).toEqual([
      { kind: 'open', name: 'next', said: expect.objectContaining({ plan: SAID.plan }) },
      { kind: 'unread', name: 'quiet', why: 'no worker answers' },
    ]);
    expect(sources.campaigns).toEqual({ from: 'temporal' });
  });

  test('one of belay.yaml that is not open is planned from what was read', async () => {
    const { campaigns } = await of();
    expect(campaigns).toMatchObject([
      {
        kind: 'configured',
        name: 'next',
        plan: {
          madeAt: AT,
          problems: [],
          rings: [{ members: [{ verdict: { kind: 'done' } }, { from: '1.32', verdict: { kind: 'upgrade', minors: 1 } }] }],
        },
      },
    ]);
  });

  test('F40: of a cluster that could not be read it says why; nothing is made up', async () => {
    const { campaigns } = await of(ports());
    expect(campaigns).toMatchObject([
      { plan: { rings: [{ members: [{ verdict: { kind: 'held', why: 'its version is not known: AWS refuses the role' } }, {}] }] } },
    ]);
  });

  test('tags are not read here: a campaign that selects by them says so', async () => {
    const { campaigns } = await of({}, { select: { tags: { team: 'shop' } } });
    expect(campaigns).toMatchObject([
      { plan: { problems: expect.arrayContaining([expect.stringContaining('its tags could not be read')]) } },
    ]);
  });

  test('of some of the clusters no plan is made', async () => {
    expect((await of({}, { names: ['staging'] })).campaigns).toEqual([{ kind: 'not-planned', name: 'next' }]);
  });

  test('without Temporal, which campaigns are open is not known, and those of belay.yaml are forecast', async () => {
    const { campaigns, sources } = await of({ openCampaigns: fails('unreachable', 'It is away.') });
    expect(sources.campaigns).toEqual({ from: 'unread', why: 'It is away.' });
    expect(campaigns).toMatchObject([{ kind: 'configured', name: 'next' }]);
  });
});
