/** The fleet as files: JSON, CSV, one HTML page. */
import { describe, expect, test } from 'vitest';
import { fleetView } from '../../../domain/run/fleet-view/view.ts';
import { renderFleetCsv } from '../../../render/fleet/csv.ts';
import { renderFleetHtml } from '../../../render/fleet/html.ts';
import { renderFleetJson } from '../../../render/fleet/json.ts';
import type { CampaignReading, CampaignSaid } from '../../../domain/run/fleet-view/reading.ts';
import { CONFIGURED, OPEN, SAID, SOAKING, withCampaigns } from '../../domain/run/fleet-view/campaign.ts';
import { BANK, FLEET, member, SHOP } from '../../domain/run/fleet-view/fixtures.ts';

const view = fleetView(FLEET, 60);

test('JSON has a schema version, and its clusters have ids', () => {
  const parsed: unknown = JSON.parse(renderFleetJson(view));
  expect(parsed).toEqual(view);
  expect(parsed).toMatchObject({
    schemaVersion: 1,
    outcome: 'due',
    clusters: [{ id: `${BANK}/us-east-1/legacy` }, {}, {}, {}, {}, {}, {}, {}, {}],
  });
});

describe('CSV', () => {
  test('a row for each cluster; commas are quoted, what is not known is empty', () => {
    const members = FLEET.members.filter(({ cluster: { name } }) => ['pays', 'prod'].includes(name));
    expect(renderFleetCsv(fleetView({ ...withCampaigns(OPEN), members }, 60)).split('\r\n')).toEqual([
      'account,region,cluster,environment,version,outcome,support,support_until,days_left,upgrade_policy,usd_per_day,usd_within,run_target,run_phase,run_waits_for,note,campaign,ring,campaign_state,frozen_since,freeze_waits_for',
      '111122223333,eu-west-1,pays,dev,1.32,due,extended,2027-03-23,117,EXTENDED,12,720,1.33,control-plane,before:node-groups@1.33#1,costs $12 a day more: 1.32 has been in extended support since 2026-03-23; AWS will upgrade it for you from 2027-03-23 on (117 days),to-1-34,prod,done,,',
      '444455556666,ap-northeast-1,prod,prod,,unread,unknown,,,,,,,,,reading prod: AWS refuses the role arn:aws:iam::444455556666:role/belay,,,,,',
      '444455556666,us-east-1,prod,prod,1.35,nothing-due,standard,2027-03-27,121,STANDARD,0,0,1.36,pre-checks,,,,,,,',
    ]);
  });

  test('a freeze that is kept after its run, in columns at the end', () => {
    const [head, row] = renderFleetCsv(fleetView({ ...FLEET, members: [member('fresh', '1.35', 'EXTENDED')] }, 60)).split('\r\n');
    expect(head).toMatch(/,frozen_since,freeze_waits_for$/);
    expect(row).toMatch(/,2026-11-20T10:00:00\.000Z,lift-freeze@1\.35#1$/);
  });

  test('which campaign has a cluster is unknown, and not none, where campaigns were not read', () => {
    const states = (reading: typeof FLEET): string[] =>
      renderFleetCsv(fleetView({ ...reading, members: [member('pays', '1.32'), member('fresh', '1.35')] }, 60))
        .split('\r\n')
        .slice(1)
        .map((row) => row.split(',').slice(-5, -2).join(','));
    expect(states(withCampaigns(OPEN))).toEqual(['to-1-34,prod,done', ',,']);
    expect(states(withCampaigns(OPEN, { kind: 'unread', name: 'quiet', why: 'x' }))).toEqual(['to-1-34,prod,done', ',,unknown']);
    expect(states({ ...FLEET, sources: { ...FLEET.sources, campaigns: { from: 'unread', why: 'x' } } })).toEqual([
      ',,unknown',
      ',,unknown',
    ]);
  });

  test('a text that begins as a formula is no formula in a spreadsheet', () => {
    const run = {
      cluster: member('x').cluster,
      startedAt: FLEET.readAt,
      phase: '=HYPERLINK("http://x","y")',
      waitsFor: { id: '@SUM(A1)' },
    };
    const csv = renderFleetCsv(fleetView({ ...FLEET, members: [member('x', '1.35')], runs: [run] }, 60));
    expect(csv).toContain(`,"'=HYPERLINK(""http://x"",""y"")",'@SUM(A1),`);
  });
});

describe('the page', () => {
  const quiet: CampaignReading = { kind: 'unread', name: 'quiet', why: 'no worker answers' };
  const html = renderFleetHtml(fleetView(withCampaigns(OPEN, quiet, { kind: 'not-planned', name: 'later' }), 60));
  const page = (said: CampaignSaid): string => renderFleetHtml(fleetView(withCampaigns({ kind: 'open', name: 'c', said }), 60));

  test('loads nothing from elsewhere, and shows names as they are', () => {
    expect(html).toContain(`default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'`);
    expect(html).not.toMatch(/(?:src|href)="?https?:/);
  });

  test('a freeze that is kept after its run is counted, and said in the row of its cluster', () => {
    expect(html).toContain('<li><b>1</b> with drift left frozen</li>');
    expect(html).toContain(
      'a run to 1.35 has ended and left drift frozen since 2026-11-20 10:00 UTC, waits for people: Lift the freeze (lift-freeze@1.35#1), by 2026-11-27 10:00 UTC',
    );
    expect(renderFleetHtml(fleetView({ ...FLEET, keptFreezes: [] }, 60))).not.toContain('left frozen');
  });

  test('a ring named <script>, and whatever else a campaign or a cluster is called, is text', () => {
    const odd = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'';
    const { plan, state } = SAID;
    const [ring] = plan.rings;
    const cluster = { name: odd, account: odd, region: odd };
    const said: CampaignSaid = {
      ...SOAKING,
      plan: {
        ...plan,
        target: odd,
        rings: [{ ...ring!, name: odd, members: [{ cluster, environment: odd, from: odd, verdict: { kind: 'upgrade', minors: 1 } }] }],
        excluded: [{ cluster, reason: odd, until: '2027-01-01' }],
      },
      state: {
        ...state,
        ring: 0,
        pauses: [{ by: 'person', why: odd, at: FLEET.readAt }],
        rings: [{ name: odd, attempt: 1, state: 'soaking', why: odd, soak: { at: FLEET.readAt, seen: 'red', watchedMs: 0, why: odd } }],
        members: { [`${odd}/${odd}/${odd}`]: { kind: 'failed', why: odd } },
      },
      gates: [{ id: odd, title: odd, choices: [], expiresAt: FLEET.readAt }],
    };
    const members = [member(odd, undefined, undefined, { cluster, environment: odd, why: odd })];
    const planted = renderFleetHtml(
      fleetView({ ...withCampaigns({ kind: 'open', name: odd, said }, { kind: 'unread', name: odd, why: odd }), members }, 60),
    );
    expect(planted).toContain('<h3>&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(planted).not.toContain('<img');
    expect(planted.match(/<script/g)).toHaveLength(1);
  });

  test('F38: clusters of one name have account and region beside it', () => {
    for (const region of ['us-east-1', 'ap-northeast-1'])
      expect(html).toMatch(new RegExp(`<th scope="row">prod<small>${BANK} · ${region}</small></th>`));
  });

  test('says what could not be read beside what is due, and where it comes from', () => {
    expect(html).toContain('<b>5</b> need action within 60 days');
    expect(html).toContain('2 clusters could not be read: their costs and dates are in no sum here.');
    expect(html).toContain('Versions were read by a worker at 2026-11-26 08:30 UTC. Open runs and campaigns are as Temporal has them.');
    const away = { from: 'unread', why: 'Temporal is away' } as const;
    const sources = { versions: { from: 'aws', why: 'no worker' }, runs: away, campaigns: away } as const;
    const blind = renderFleetHtml(fleetView({ ...FLEET, sources }, 60));
    expect(blind).toContain('without a worker: no worker. Which runs and campaigns are open is not known: Temporal is away.');
    expect(blind).toContain('<b>?</b> with an open run');
    expect(blind).toContain('<b>?</b> open campaigns');
    expect(blind).toContain('<p class="notice">Which campaigns are open is not known.</p>');
  });

  test('the calendar says its dates to those who cannot see it; a minor without dates says that', () => {
    expect(html).toContain('1.34: 3 clusters, standard, standard support until 2026-12-02, extended until 2027-12-02');
    expect(html).toContain('support dates are not known');
    expect(renderFleetHtml(fleetView({ ...FLEET, members: [member('blind')] }, 60))).toContain('so there is no calendar');
  });

  test('cost by account', () => {
    expect(html).toContain(
      `<th scope="row">${SHOP}</th><td class="number">$2,025</td><td class="number">$12</td><td class="number">6</td><td class="number">1</td><td class="number">1</td>`,
    );
  });

  test('a board has a card for each ring: who needs somebody is named, all others are folded', () => {
    expect(html).toContain('<h2>Campaign to-1-34 <small>→ 1.34, running, 11 of 35 done</small></h2>');
    expect(html).toContain('As of 2026-11-26 08:30 UTC, clusters as seen at 2026-11-26 08:28 UTC, to finish by 2026-11-30');
    expect(html).toContain('<h3>prod</h3><p>2 of 25 done · <span class="ring-state">running</span></p>');
    expect(html).toContain(
      'aria-label="1 failed, 1 rolled back, 1 stuck, 1 need you, 1 unknown, 2 held, 1 waiting, 1 running, 14 planned, 1 done, 1 ahead, 1 removed"',
    );
    const [named = ''] = /<ul class="members">.*?<\/ul>/.exec(html.slice(html.indexOf('<h3>prod</h3>'))) ?? [];
    expect([...named.matchAll(/<b>([^<]+)<\/b>/g)].map(([, name]) => name)).toEqual([
      'prod-failed',
      'prod-rolled-back',
      'prod-stuck',
      'prod-needs-people',
      'prod-unknown',
      'prod-held',
    ]);
    expect(html).toContain('<summary>All: 26 clusters</summary>');
    expect(html).toContain('<p class="area">No clusters.</p>');
    expect(html).toContain('<summary>1 cluster is left out</summary>');
  });

  test('of a hundred that need somebody ten are named, and the rest is counted', () => {
    const [ring] = SAID.plan.rings;
    const members = Array.from({ length: 100 }, (_, index) => ({
      cluster: { name: `c${index}`, account: SHOP, region: 'eu-west-1' },
      environment: 'prod',
      verdict: { kind: 'upgrade' as const, minors: 1 },
    }));
    const keys = members.map(({ cluster: { account, region, name } }) => `${account}/${region}/${name}`);
    const state = { ...SAID.state, members: Object.fromEntries(keys.map((key) => [key, { kind: 'failed' as const, why: 'x' }])) };
    const reading = withCampaigns({
      kind: 'open',
      name: 'c',
      said: { ...SAID, plan: { ...SAID.plan, rings: [{ ...ring!, members }] }, state },
    });
    const shown = renderFleetHtml(fleetView({ ...reading, members: [member('c1', '1.33')] }, 60));
    expect(shown).toContain('and 90 more');
    expect(/<ul class="members">.*?<\/ul>/.exec(shown)?.[0].match(/<b>c/g)).toHaveLength(10);
  });

  test('a campaign that could not be read, or has no board, is named', () => {
    expect(html).toContain('<p class="notice">Campaign quiet could not be read: no worker answers</p>');
    expect(html).toContain('<li>Campaign later: it is in belay.yaml, and is planned here only where all clusters are asked for.</li>');
    expect(html).toContain('<b>2</b> open campaigns');
  });

  test('what a gate asks is there with its deadline and a way to decide; what is left of a soak, too', () => {
    const soaking = page(SOAKING);
    expect(soaking).toContain(
      'Begin ring late? <span class="area">Decide by 2026-11-27 08:30 UTC: gate ring:late#1, in its thread or by <code>belay campaign promote c</code></span>',
    );
    expect(soaking).toContain('<p class="area">2 d 17 h of soak left (health is red: alert HighErrorRate fires on pays)</p>');
  });

  test('F44: finishBy has a line in the forecast, and an alarm above the board once it has passed', () => {
    expect(html).toContain('<line class="limit"');
    expect(html).toContain('┆ finish by 2026-11-30');
    const late = renderFleetHtml(fleetView({ ...withCampaigns(OPEN), readAt: '2026-12-01T08:30:00.000Z' }, 60));
    expect(late).toContain('<p class="notice alarm">It should have finished by 2026-11-30: 24 of 35 clusters are not done.');
  });

  test('F45: no date of a forecast stands without what it rests on', () => {
    expect(html).toContain('<td>2026-11-27 10:30 UTC</td><td>2026-11-30 10:30 UTC</td><td>assumed 3 h each</td>');
    expect(html).toContain('prod: 2026-11-25 12:30 UTC to 2026-11-27 10:30 UTC, soaks until 2026-11-30 10:30 UTC, assumed 3 h each');
    expect(html).toContain('<li>Dates are from now on, without windows and freezes, and without the time that decisions take.</li>');
    const laidOut = renderFleetHtml(fleetView(withCampaigns(OPEN), 60, (_cluster, atMs) => atMs));
    expect(laidOut).toContain('<li>Dates are from now on, within windows and freezes, without the time that decisions take.</li>');
    expect(html).toContain('<p><b>What would help most:</b> ring prod: half the soak brings the end 36 h nearer.</p>');
  });

  test('the forecast has support dates beside its rings, and tells what has happened from what is to come', () => {
    expect(html).toContain(
      '1.33: standard support ended on 2026-07-29 (35 clusters); 1.32: extended support ends on 2027-03-23 (1 cluster)',
    );
    expect(html).toContain('>support of 1.33</text>');
    expect(html.match(/<rect class="run past"/g)).toHaveLength(3);
    expect(html.match(/<rect class="run"/g)).toHaveLength(2);
  });

  test('what is only configured is said to be a forecast of that, with why it could not start', () => {
    const problems = Array.from({ length: 7 }, (_, index) => `c-${index} is in no ring.`);
    if (CONFIGURED.kind !== 'configured') throw new Error('it is configured');
    const configured = renderFleetHtml(fleetView(withCampaigns({ ...CONFIGURED, plan: { ...CONFIGURED.plan, problems } }), 60));
    expect(configured).toContain('Forecast of what belay.yaml says for 6 clusters in 1 ring; it is not open.');
    expect(configured).toContain('Dates are as if it were started and approved now,');
    expect(configured).toContain('<li>c-4 is in no ring.</li><li>and 2 more</li>');
    expect(configured).toContain('<b>0</b> open campaigns');
  });

  test('without campaigns there is no board', () => {
    expect(renderFleetHtml(view)).not.toContain('class="rings"');
  });
});
