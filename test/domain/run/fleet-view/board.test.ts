/** Campaigns as pages and terminals show them: rings, who needs somebody, dates, alarms, and what is not known. */
import { describe, expect, test } from 'vitest';
import {
  basisText,
  bestText,
  costText,
  MEMBER_STATES,
  progressOf,
  soakText,
  statesOf,
  supportEndText,
} from '../../../../domain/run/fleet-view/board.ts';
import { boardAlarms } from '../../../../domain/run/fleet-view/board-alarms.ts';
import { areCampaignsKnown, fleetView } from '../../../../domain/run/fleet-view/view.ts';
import type { CampaignReading, CampaignSaid } from '../../../../domain/run/fleet-view/reading.ts';
import { BOARD, boardOf, CONFIGURED, OPEN, SAID, SOAKING, withCampaigns } from './campaign.ts';
import { planRingRollback } from '../../../../domain/plan/campaign/plan-rollback.ts';
import { initialState } from '../../../../domain/run/campaign/state.ts';
import { AT, BANK, FLEET, member, SHOP } from './fixtures.ts';

const prod = BOARD.rings[2]?.members ?? [];
const HOUR = 3_600_000;

test('states in the order in which people want to see them; every one has its place', () => {
  expect(statesOf(prod).map(({ state, count }) => `${count} ${state}`)).toEqual([
    '1 failed',
    '1 rolled-back',
    '1 stuck',
    '1 needs-people',
    '1 unknown',
    '2 held',
    '1 waiting',
    '1 running',
    '14 planned',
    '1 done',
    '1 ahead',
    '1 removed',
  ]);
  expect(statesOf(prod).map(({ state }) => state)).toEqual([...MEMBER_STATES]);
});

test('who needs somebody: what is held for good does, what is looked at again does not', () => {
  expect(prod.filter(({ needsPeople }) => needsPeople).map(({ cluster, note }) => [cluster.name, note])).toEqual([
    ['prod-failed', 'node group web did not become ready'],
    ['prod-held', 'an open run goes to 1.35'],
    ['prod-needs-people', 'gate before:node-groups@1.34#1'],
    ['prod-rolled-back', 'people chose to go back'],
    ['prod-stuck', 'no progress for 13 h, at node-groups'],
    ['prod-unknown', 'neither Temporal nor a record knows how its run ended'],
  ]);
});

test('progress leaves removed clusters out; ahead is done, unknown and held are not', () => {
  expect(progressOf(prod)).toEqual({ doneCount: 2, allCount: 25 });
  expect(progressOf([])).toEqual({ doneCount: 0, allCount: 0 });
});

describe('an open campaign', () => {
  test('says its state, its last look, and what is left out with its reason', () => {
    expect(BOARD).toMatchObject({
      name: 'to-1-34',
      target: '1.34',
      from: 'workflow',
      state: 'running',
      headline: 'Ring prod is running.',
      at: FLEET.readAt,
      lookedAt: '2026-11-26T08:28:00.000Z',
      finishBy: '2026-11-30',
      excluded: [{ cluster: { name: 'legacy', account: BANK, region: 'us-east-1' }, reason: 'moves away', until: '2027-02-01' }],
    });
    expect(BOARD.rings.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'canary complete',
      'dev complete-with-exceptions',
      'prod running',
      'late pending',
    ]);
  });

  test('a row of the fleet says which ring has it, and how it is', () => {
    const row = fleetView(withCampaigns(OPEN), 60).clusters.find(({ name }) => name === 'pays');
    expect(row?.campaign).toEqual({ name: 'to-1-34', ring: 'prod', state: 'done' });
  });

  test('while a ring soaks, what is left of its time under watch and what stops the clock', () => {
    const { soak } = boardOf(SOAKING).rings[2] ?? {};
    expect(soak).toEqual({ leftMs: 65 * HOUR, watchedMs: 7 * HOUR, seen: 'red', why: 'alert HighErrorRate fires on pays' });
    expect(soak && soakText(soak)).toBe('2 d 17 h of soak left (health is red: alert HighErrorRate fires on pays)');
  });

  test.each([
    ['green', undefined, '2 h of soak left'],
    ['unread', 'Prometheus does not answer', '2 h of soak left (health is not read: Prometheus does not answer)'],
    ['paused', undefined, '2 h of soak left (paused)'],
  ] as const)('F20: a soak that is %s', (seen, why, text) => {
    expect(soakText({ leftMs: 2 * HOUR, watchedMs: 0, seen, ...(why === undefined ? {} : { why }) })).toBe(text);
  });

  test('forecast: what has happened as it was, what is to come by records or by what is said to be assumed', () => {
    expect(BOARD.forecast?.rings.map((ring) => [ring.name, ring.from, ring.until, ring.soakUntil, basisText(ring)])).toEqual([
      ['canary', '2026-11-22T10:30:00.000Z', '2026-11-22T13:30:00.000Z', '2026-11-23T14:30:00.000Z', 'as it was'],
      ['dev', '2026-11-23T16:30:00.000Z', '2026-11-24T10:30:00.000Z', '2026-11-25T11:30:00.000Z', 'as it was'],
      // 14 planned, one waiting and one held for now, two at a time, after a run that has two of its three hours left.
      ['prod', '2026-11-25T12:30:00.000Z', '2026-11-27T10:30:00.000Z', '2026-11-30T10:30:00.000Z', 'assumed 3 h each'],
      ['late', '2026-11-30T10:30:00.000Z', '2026-11-30T10:30:00.000Z', undefined, 'no cluster to upgrade'],
    ]);
    expect(boardOf(SOAKING).forecast?.rings.map(basisText)[2]).toBe('arrived; what is left of its soak');
    expect(basisText({ name: 'x', from: '', until: '', basis: { kind: 'records', runMs: 45 * 60_000 } })).toBe(
      'from records, 45 min each at most',
    );
  });

  test('support dates of the versions that its clusters were at, what waiting costs, and what would help most', () => {
    const { support = [], costs = [], best } = BOARD.forecast ?? {};
    expect(support.map((end) => supportEndText(end, BOARD.at))).toEqual([
      '1.32: standard support ended on 2026-03-23 (1 cluster)',
      '1.33: standard support ended on 2026-07-29 (35 clusters)',
      '1.32: extended support ends on 2027-03-23 (1 cluster)',
      '1.33: extended support ends on 2027-07-29 (35 clusters)',
    ]);
    expect(costs.map(costText)).toEqual([
      '111122223333: extended support of 19 clusters costs $247 until they arrive',
      '444455556666: extended support of 5 clusters costs $65 until they arrive',
    ]);
    expect(best && bestText(best)).toBe('ring prod: half the soak brings the end 36 h nearer');
  });

  test('F48: clusters that AWS upgrades before their ring arrives are named, and counted beyond five', () => {
    const forced = Array.from({ length: 7 }, (_, index) => ({ cluster: `${SHOP}/eu-west-1/c-${index}`, on: '2026-12-02' }));
    expect(costText({ account: SHOP, clusters: 7, charged: 0, hours: 0, usd: 0, forced })).toBe(
      '111122223333: AWS upgrades c-0 from 2026-12-02 on, c-1 from 2026-12-02 on, c-2 from 2026-12-02 on, c-3 from 2026-12-02 on, c-4 from 2026-12-02 on and 2 more, before their ring arrives',
    );
  });
});

describe('a campaign that is only configured', () => {
  const [board] = fleetView(withCampaigns(CONFIGURED), 60).campaigns;

  test('is a forecast, and says so', () => {
    expect(board).toMatchObject({ name: 'next-year', from: 'configuration', state: 'planned', problems: [] });
    expect(board?.headline).toBe('Forecast of what belay.yaml says for 6 clusters in 1 ring; it is not open.');
    expect(board?.rings.map(({ state }) => state)).toEqual(['planned']);
    expect(board?.forecast?.rings.map(({ from, until }) => [from, until])).toEqual([
      ['2026-11-26T08:30:00.000Z', '2026-11-27T20:30:00.000Z'],
    ]);
  });

  test('without Temporal nobody knows whether it is open', () => {
    const away = { from: 'unread', why: 'Temporal is away' } as const;
    const [blind] = fleetView({ ...withCampaigns(CONFIGURED), sources: { ...FLEET.sources, campaigns: away } }, 60).campaigns;
    expect(blind?.headline).toBe('Forecast of what belay.yaml says for 6 clusters in 1 ring; whether it is open is not known.');
  });

  test('owns no cluster: rows do not name it', () => {
    expect(fleetView(withCampaigns(CONFIGURED), 60).clusters.filter(({ campaign }) => campaign !== undefined)).toEqual([]);
  });

  test('with all of its clusters there it has no board, and is named', () => {
    if (CONFIGURED.kind !== 'configured') throw new Error('it is configured');
    const rings = CONFIGURED.plan.rings.map((ring) => ({
      ...ring,
      members: ring.members.map((each) => ({ ...each, verdict: { kind: 'done' as const } })),
    }));
    const { campaigns, otherCampaigns } = fleetView(withCampaigns({ ...CONFIGURED, plan: { ...CONFIGURED.plan, rings } }), 60);
    expect(campaigns).toEqual([]);
    expect(otherCampaigns).toEqual([
      { name: 'next-year', why: 'it is in belay.yaml, and all its clusters are at the target or ahead of it' },
    ]);
  });
});

test('F41: what takes a ring back has a board of its own, without a cost of waiting; clusters that go back are rows of it, those that cannot of their campaign', () => {
  const ago = (hours: number): string => new Date(Date.parse(AT) - hours * 3_600_000).toISOString();
  const window = { at: '1.34', backTo: '1.33', movedAt: ago(24), closesAt: ago(-6 * 24) };
  const place = (name: string) => ({ name, account: SHOP, region: 'eu-west-1' });
  const plan = planRingRollback(
    SAID.plan,
    { name: 'prod', parallel: 1 },
    {
      members: [
        { cluster: place('pays'), environment: 'prod', back: { kind: 'open', window } },
        { cluster: place('fresh'), environment: 'prod', not: 'it was already rolled back' },
      ],
      warnings: [],
      now: AT,
    },
  );
  const name = plan.campaign;
  const said = { ...SAID, workflowId: `eks-campaign/${name}`, plan, state: initialState(plan) };
  // The one that EKS takes back is of both.
  for (const campaigns of [
    [{ kind: 'open' as const, name, said }, OPEN],
    [OPEN, { kind: 'open' as const, name, said }],
  ]) {
    const view = fleetView(withCampaigns(...campaigns), 60);
    const board = view.campaigns.find((each) => each.name === name);
    expect(board).toMatchObject({ target: '1.33', state: 'proposed', headline: 'Ring prod waits for approval.' });
    expect(board?.rings[0]?.members.map(({ state, note }) => [state, note])).toEqual([
      ['planned', undefined],
      ['held', 'it was already rolled back'],
    ]);
    expect(board?.forecast).toMatchObject({ support: [], costs: [] });
    const campaignOf = (row: string) => view.clusters.find((each) => each.name === row)?.campaign;
    expect(campaignOf('pays')).toEqual({ name, ring: 'prod', state: 'planned' });
    expect(campaignOf('fresh')).toBeUndefined();
  }
});

test('F18: windows and freezes move the dates of what is open and of what is configured, and who fits none is named', () => {
  const later = Date.parse('2026-12-08T01:30:00.000Z');
  const fits = ({ name }: { name: string }, atMs: number) => (name === 'soon' ? undefined : Math.max(atMs, later));
  const [open, configured] = fleetView(withCampaigns(OPEN, CONFIGURED), 60, fits).campaigns;
  expect(open?.forecast?.rings[2]?.until.slice(0, 10)).toBe('2026-12-09');
  expect([open, configured].map((board) => board?.forecast?.withinWindows)).toEqual([true, true]);
  const [ring] = configured?.forecast?.rings ?? [];
  expect(ring?.from).toBe('2026-12-08T01:30:00.000Z');
  expect(ring === undefined ? '' : basisText(ring)).toMatch(
    /each; 1 cluster fits no opening of maintenance windows within a year: 111122223333\/eu-west-1\/soon$/,
  );
});

describe('what is not shown is named', () => {
  test('unread, not planned, and of other clusters; open ones come before what is only configured', () => {
    const reading = withCampaigns(
      CONFIGURED,
      { kind: 'unread', name: 'quiet', why: 'no worker answers' },
      { kind: 'not-planned', name: 'later' },
      OPEN,
    );
    const { campaigns, unreadCampaigns, otherCampaigns } = fleetView(reading, 60);
    expect(campaigns.map(({ name }) => name)).toEqual(['to-1-34', 'next-year']);
    expect(unreadCampaigns).toEqual([{ name: 'quiet', why: 'no worker answers' }]);
    expect(otherCampaigns).toEqual([
      { name: 'later', why: 'it is in belay.yaml, and is planned here only where all clusters are asked for' },
    ]);
    const elsewhere = fleetView({ ...withCampaigns(OPEN), members: [member('fresh', '1.35')] }, 60);
    expect([elsewhere.campaigns, elsewhere.otherCampaigns]).toEqual([
      [],
      [{ name: 'to-1-34', why: 'it is open, and has none of these clusters' }],
    ]);
  });

  test('an unread campaign, or none read at all, and nobody knows which clusters are in one', () => {
    expect(areCampaignsKnown(fleetView(withCampaigns(OPEN), 60))).toBe(true);
    expect(areCampaignsKnown(fleetView(withCampaigns({ kind: 'unread', name: 'quiet', why: 'x' }), 60))).toBe(false);
    const sources = { ...FLEET.sources, campaigns: { from: 'unread', why: 'x' } as const };
    expect(areCampaignsKnown(fleetView({ ...FLEET, sources }, 60))).toBe(false);
  });

  const [first] = Object.keys(SAID.state.members);
  const planted = '"><script>';
  const withParallel = (parallel: number) => ({ ...SAID.plan, rings: SAID.plan.rings.map((ring) => ({ ...ring, parallel })) });
  test.each<[string, unknown, string]>([
    [
      'state of a cluster',
      { ...SAID, state: { ...SAID.state, members: { ...SAID.state.members, [first ?? '']: { kind: planted } } } },
      'state of a cluster is',
    ],
    [
      'state of a ring',
      { ...SAID, state: { ...SAID.state, rings: SAID.state.rings.map((ring) => ({ ...ring, state: planted })) } },
      'ring state is',
    ],
    ['phase', { ...SAID, state: { ...SAID.state, phase: planted } }, 'state is'],
    ['day', { ...SAID, plan: { ...SAID.plan, finishBy: 5 } }, 'finishBy is 5'],
    ['last look', { ...SAID, lookedAt: 'yesterday' }, 'lookedAt is "yesterday"'],
    ['number of runs at a time, which would never end', { ...SAID, plan: withParallel(0) }, 'parallel of a ring is 0'],
    ['share of a run', { ...SAID, plan: withParallel(1e-9) }, 'parallel of a ring is 1e-9'],
    ['limit', { ...SAID, plan: { ...SAID.plan, limits: { ...SAID.plan.limits, perAccount: 0 } } }, 'perAccount is 0'],
    ['plan', { ...SAID, plan: {} }, 'undefined'],
    ['gate', { ...SAID, gates: [{ id: 'x', title: {}, expiresAt: SAID.lookedAt }] }, 'gate title is {}'],
    [
      'beginning of a ring',
      { ...SAID, state: { ...SAID.state, rings: SAID.state.rings.map((ring) => ({ ...ring, startedAt: planted })) } },
      'from is',
    ],
  ])('a forged %s takes no page with it: its campaign is unread, by name', (_title, said, why) => {
    const forged: CampaignReading = { kind: 'open', name: 'forged', said: said as CampaignSaid };
    const { campaigns, unreadCampaigns } = fleetView(withCampaigns(forged, OPEN), 60);
    expect(campaigns.map(({ name }) => name)).toEqual(['to-1-34']);
    expect(unreadCampaigns).toEqual([{ name: 'forged', why: expect.stringContaining(why) }]);
  });
});

describe('alarms', () => {
  const at = (readAt: string, said: CampaignSaid = SAID) => boardAlarms(boardOf({ ...said, lookedAt: readAt }, { readAt }));

  test('F44: once finishBy has passed, it says how many are not done, and that nothing is skipped', () => {
    expect(at('2026-12-01T00:00:00Z')).toEqual([
      'It should have finished by 2026-11-30: 24 of 35 clusters are not done. Nothing is skipped for it.',
    ]);
  });

  test('the whole day counts, and a campaign whose clusters are all done has no alarm', () => {
    expect(at('2026-11-26T08:30:00Z')).toEqual([]);
    const done = boardOf(SAID);
    expect(boardAlarms({ ...done, at: '2026-12-24T00:00:00Z', lookedAt: '2026-12-24T00:00:00Z', rings: done.rings.slice(0, 1) })).toEqual(
      [],
    );
  });

  test('F44 F45: a forecast that ends later says so beforehand, with what it rests on', () => {
    expect(at('2026-11-28T12:00:00Z')).toEqual([
      'The forecast ends on 2026-12-02 (assumed 3 h each), after it should finish (2026-11-30). Nothing is skipped for it.',
    ]);
  });

  test('F21: nobody has looked for more than half an hour', () => {
    const looked = (lookedAt: string | undefined) => boardAlarms({ ...BOARD, ...(lookedAt === undefined ? {} : { lookedAt }) });
    expect(looked('2026-11-26T08:00:00.000Z')).toEqual([]);
    expect(looked('2026-11-26T05:29:00.000Z')).toEqual([
      'It last looked at its clusters 3 h 1 min ago: nothing starts, and no soak counts, until a worker runs again.',
    ]);
  });
});
