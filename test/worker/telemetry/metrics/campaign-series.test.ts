/** Series about open campaigns: what they count, what never becomes a label, and what is not known is not shown. */
import { beforeEach, expect, test } from 'vitest';
import { Registry } from 'prom-client';
import type { OpenCampaign } from '../../../../client/campaigns/open-campaigns.ts';
import type { CampaignSaid } from '../../../../domain/run/fleet-view/reading.ts';
import { type CampaignSeries, campaignSeries } from '../../../../worker/telemetry/metrics/campaign-series.ts';
import { ringsOf } from '../../../../worker/telemetry/metrics/watch-runs.ts';
import { campaignPolicy, ringPolicy } from '../../../support/campaigns.ts';
import { SAID, SOAKING } from '../../../domain/run/fleet-view/campaign.ts';

const NOW_MS = Date.parse('2026-11-26T08:30:00Z');
const SINCE = '2026-11-25T06:00:00.000Z';
const RINGS: Record<string, readonly string[]> = { 'to-1-34': ['canary', 'dev', 'prod', 'late'], other: ['all'] };

let registry: Registry;
let nowMs: number;
let series: CampaignSeries;
beforeEach(() => {
  registry = new Registry();
  nowMs = NOW_MS;
  series = campaignSeries(registry, { ringsOf: (name) => RINGS[name], nowMs: () => nowMs });
});

const open = (said: CampaignSaid, name = 'to-1-34'): OpenCampaign => ({
  name,
  since: SINCE,
  status: { runId: 'r', startedAt: SINCE, ...said },
});
const silent = (name = 'to-1-34'): OpenCampaign => ({ name, since: SINCE, why: 'no worker answers' });
const lines = async (name: string): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
const seconds = (iso: string): number => Date.parse(iso) / 1000;

test('campaigns by phase, rings by state, clusters by what has become of them', async () => {
  series.saw([open(SAID)]);
  expect(await lines('belay_campaigns')).toEqual(['belay_campaigns{campaign="to-1-34",phase="running"} 1']);
  const of = (ring: string, rest: string): string => `{campaign="to-1-34",ring="${ring}",${rest}`;
  expect(await lines('belay_campaign_rings')).toEqual([
    `belay_campaign_rings${of('canary', 'state="complete"} 1')}`,
    `belay_campaign_rings${of('dev', 'state="complete-with-exceptions"} 1')}`,
    `belay_campaign_rings${of('prod', 'state="running"} 1')}`,
    `belay_campaign_rings${of('late', 'state="pending"} 1')}`,
  ]);
  const clusters = await lines('belay_campaign_clusters');
  // Each of twelve kinds, for each ring: none is a figure, too.
  expect(clusters).toHaveLength(4 * 12);
  expect(clusters.filter((line) => !line.endsWith(' 0') && line.includes('"prod"'))).toEqual(
    [
      ['failed', 1],
      ['rolled-back', 1],
      ['stuck', 1],
      ['needs-people', 1],
      ['unknown', 1],
      ['held', 2],
      ['waiting', 1],
      ['running', 1],
      ['planned', 14],
      ['done', 1],
      ['ahead', 1],
      ['removed', 1],
    ].map(([kind, count]) => `belay_campaign_clusters${of('prod', `kind="${kind}"} ${count}`)}`),
  );
});

test('last look, and the end of the day by which it should finish', async () => {
  series.saw([open(SAID)]);
  expect(await lines('belay_campaign_last_look_timestamp_seconds')).toEqual([
    `belay_campaign_last_look_timestamp_seconds{campaign="to-1-34"} ${seconds('2026-11-26T08:28:00Z')}`,
  ]);
  expect(await lines('belay_campaign_finish_by_timestamp_seconds')).toEqual([
    `belay_campaign_finish_by_timestamp_seconds{campaign="to-1-34"} ${seconds('2026-12-01T00:00:00Z')}`,
  ]);
});

test('a campaign whose clusters have all arrived has no day to finish by', async () => {
  const members = Object.fromEntries(Object.keys(SAID.state.members).map((key) => [key, { kind: 'done', by: 'run' } as const]));
  series.saw([open({ ...SAID, state: { ...SAID.state, members } })]);
  expect(await lines('belay_campaign_finish_by_timestamp_seconds')).toEqual([]);
});

test('while a ring soaks, the time under watch and what is left of it', async () => {
  series.saw([open(SOAKING)]);
  expect(await lines('belay_campaign_soak_watched_seconds')).toEqual([
    'belay_campaign_soak_watched_seconds{campaign="to-1-34",ring="prod"} 25200',
  ]);
  expect(await lines('belay_campaign_soak_left_seconds')).toEqual([
    'belay_campaign_soak_left_seconds{campaign="to-1-34",ring="prod"} 234000',
  ]);
  series.saw([open(SAID)]);
  expect(await lines('belay_campaign_soak_left_seconds')).toEqual([]);
});

test('a campaign whose ring has stopped is paused, and the ring says why it alarms', async () => {
  const rings = SAID.state.rings.map((ring) => (ring.name === 'prod' ? { ...ring, state: 'stopped' as const } : ring));
  series.saw([open({ ...SAID, state: { ...SAID.state, rings, pauses: [{ by: 'failures', why: 'x', at: SINCE }] } })]);
  expect(await lines('belay_campaigns')).toEqual(['belay_campaigns{campaign="to-1-34",phase="paused"} 1']);
  expect(await lines('belay_campaign_rings')).toContain('belay_campaign_rings{campaign="to-1-34",ring="prod",state="stopped"} 1');
});

test('F21: without a worker what it said is gone after two minutes; its last look stays, and grows old', async () => {
  series.saw([open(SAID)]);
  nowMs += 60_000;
  series.saw([silent()]);
  expect(await lines('belay_campaigns')).toEqual(['belay_campaigns{campaign="to-1-34",phase="running"} 1']);
  nowMs += 3_600_000;
  series.saw([silent()]);
  expect(await lines('belay_campaigns')).toEqual(['belay_campaigns{campaign="to-1-34",phase="unread"} 1']);
  expect(await lines('belay_campaign_rings')).toEqual([]);
  expect(await lines('belay_campaign_last_look_timestamp_seconds')).toEqual([
    `belay_campaign_last_look_timestamp_seconds{campaign="to-1-34"} ${seconds('2026-11-26T08:28:00Z')}`,
  ]);
});

test.each<[string, OpenCampaign, string]>([
  ['has never answered: as if it had looked when its run began', silent(), SINCE],
  ['has not looked in this run yet', open({ ...SAID, lookedAt: undefined }), SINCE],
  ['says next year: it has looked now at most', open({ ...SAID, lookedAt: '2027-11-26T08:28:00.000Z' }), '2026-11-26T08:30:00Z'],
  ['says nothing that is a time', open({ ...SAID, lookedAt: 'never' }), SINCE],
])('a campaign that %s', async (_title, campaign, last) => {
  series.saw([campaign]);
  expect(await lines('belay_campaign_last_look_timestamp_seconds')).toEqual([
    `belay_campaign_last_look_timestamp_seconds{campaign="to-1-34"} ${seconds(last)}`,
  ]);
});

test('what Temporal has not said for two minutes is not shown as true, and a campaign that has ended is gone', async () => {
  series.saw([open(SAID)]);
  nowMs += 61_000;
  series.missed();
  expect(await lines('belay_campaigns')).toHaveLength(1);
  nowMs += 61_000;
  series.missed();
  expect(await registry.metrics()).not.toContain('to-1-34');
  series.saw([open(SAID)]);
  series.saw([]);
  expect(await registry.metrics()).not.toContain('to-1-34');
});

test('O22: what anybody may have started becomes no label: such campaigns count as one, and the one that alarms first decides', async () => {
  const forged = 'let me in"} 1\nbelay_campaigns 99';
  const { plan, state } = SAID;
  const [ring] = plan.rings;
  const odd = {
    ...SAID,
    plan: { ...plan, rings: [{ ...ring!, name: forged }] },
    state: { ...state, rings: [{ name: forged, attempt: 1, state: forged }] },
  };
  series.saw([
    open(odd as unknown as CampaignSaid, forged),
    open({ ...SOAKING, lookedAt: '2026-11-26T07:00:00.000Z' }, 'not-in-belay-yaml'),
    open(SAID, 'other'),
  ]);
  const page = await registry.metrics();
  expect(page).not.toContain('let me in');
  expect(page).not.toContain('not-in-belay-yaml');
  expect(await lines('belay_campaigns')).toEqual([
    'belay_campaigns{campaign="unknown",phase="running"} 2',
    'belay_campaigns{campaign="other",phase="running"} 1',
  ]);
  expect(await lines('belay_campaign_last_look_timestamp_seconds')).toContain(
    `belay_campaign_last_look_timestamp_seconds{campaign="unknown"} ${seconds('2026-11-26T07:00:00Z')}`,
  );
  expect(await lines('belay_campaign_soak_left_seconds')).toEqual([]);
  // Rings that belay.yaml has no more are one, too.
  expect(
    (await lines('belay_campaign_clusters')).filter((line) => line.includes('campaign="other"') && !line.includes('ring="unknown"')),
  ).toEqual([]);
});

test.each<[string, unknown]>([
  ['no plan', { ...SAID, plan: undefined }],
  ['no state', { ...SAID, state: {} }],
  ['a member that is none', { ...SAID, state: { ...SAID.state, members: { [Object.keys(SAID.state.members)[0]!]: null } } }],
])('an answer with %s is unread, and leaves the others as they are', async (_title, said) => {
  series.saw([open(said as CampaignSaid), open(SAID, 'other')]);
  expect(await lines('belay_campaigns')).toEqual([
    'belay_campaigns{campaign="to-1-34",phase="unread"} 1',
    'belay_campaigns{campaign="other",phase="running"} 1',
  ]);
});

test.each<[string, string[] | undefined]>([
  ['to-1-34', ['canary', 'prod']],
  ['to-1-34.rollback.prod', ['prod']],
  ['to-1-34.rollback.made-up', undefined],
  ['made-up.rollback.prod', undefined],
  ['made-up', undefined],
])('%s: only names of belay.yaml become labels, what takes a ring of it back included', (name, rings) => {
  const campaigns = new Map([['to-1-34', campaignPolicy({ rings: [ringPolicy('canary'), ringPolicy('prod')] })]]);
  expect(ringsOf({ campaigns }, name)).toEqual(rings);
});
