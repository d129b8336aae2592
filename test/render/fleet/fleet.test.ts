/** The fleet as files: JSON, CSV, one HTML page. */
import { describe, expect, test } from '@jest/globals';
import { fleetView } from '../../../domain/run/fleet-view/view.ts';
import { renderFleetCsv } from '../../../render/fleet/csv.ts';
import { renderFleetHtml } from '../../../render/fleet/html.ts';
import { renderFleetJson } from '../../../render/fleet/json.ts';
import { BOARD, FORECAST } from '../../domain/run/fleet-view/campaign.ts';
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
    expect(renderFleetCsv(fleetView({ ...FLEET, members }, 60)).split('\r\n')).toEqual([
      'account,region,cluster,environment,version,outcome,support,support_until,days_left,upgrade_policy,usd_per_day,usd_within,run_target,run_phase,run_waits_for,note',
      '111122223333,eu-west-1,pays,dev,1.32,due,extended,2027-03-23,117,EXTENDED,12,720,1.33,control-plane,before:node-groups@1.33#1,costs $12 a day more: 1.32 has been in extended support since 2026-03-23; AWS will upgrade it for you from 2027-03-23 on (117 days)',
      '444455556666,ap-northeast-1,prod,prod,,unread,unknown,,,,,,,,,reading prod: AWS refuses the role arn:aws:iam::444455556666:role/belay',
      '444455556666,us-east-1,prod,prod,1.35,nothing-due,standard,2027-03-27,121,STANDARD,0,0,1.36,pre-checks,,',
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
  const html = renderFleetHtml(view, [{ board: BOARD, forecast: FORECAST }]);

  test('loads nothing from elsewhere, and shows names as they are', () => {
    expect(html).toContain(`default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'`);
    expect(html).not.toMatch(/(?:src|href)="?https?:/);
    const odd = '<img src=x onerror=alert(1)>"';
    const planted = renderFleetHtml(
      fleetView({ ...FLEET, members: [member(odd, undefined, undefined, { environment: odd, why: odd })] }, 60),
      [
        {
          board: {
            ...BOARD,
            name: odd,
            state: odd,
            rings: [
              {
                name: odd,
                state: odd,
                note: odd,
                members: [{ cluster: { name: odd, account: odd, region: odd }, state: 'held', note: odd }],
              },
            ],
          },
          forecast: { rings: [{ name: odd, from: FLEET.readAt, until: FLEET.readAt, basis: { kind: 'assumed', hoursEach: 3 } }] },
        },
      ],
    );
    expect(planted).not.toContain('<img');
  });

  test('F38: clusters of one name have account and region beside it', () => {
    for (const region of ['us-east-1', 'ap-northeast-1'])
      expect(html).toMatch(new RegExp(`<th scope="row">prod<small>${BANK} · ${region}</small></th>`));
  });

  test('says what could not be read beside what is due, and where it comes from', () => {
    expect(html).toContain('<b>5</b> need action within 60 days');
    expect(html).toContain('2 clusters could not be read: their costs and dates are in no sum here.');
    expect(html).toContain('Versions were read by a worker at 2026-11-26 08:30 UTC. Open runs are as Temporal has them.');
    const blind = renderFleetHtml(
      fleetView(
        { ...FLEET, sources: { versions: { from: 'aws', why: 'no worker' }, runs: { from: 'unread', why: 'Temporal is away' } } },
        60,
      ),
    );
    expect(blind).toContain('without a worker: no worker. Which runs are open is not known: Temporal is away.');
    expect(blind).toContain('<b>?</b> with an open run');
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
    expect(html).toContain('<h3>prod</h3><p>2 of 25 done · running</p>');
    expect(html).toContain(
      'aria-label="1 failed, 1 rolled back, 1 stuck, 1 need you, 1 unknown, 1 held, 1 waiting, 1 running, 15 planned, 1 done, 1 ahead, 1 excluded, 1 removed"',
    );
    const [named = ''] = /<ul class="members">.*?<\/ul>/.exec(html.slice(html.indexOf('<h3>prod</h3>'))) ?? [];
    expect([...named.matchAll(/<b>([^<]+)<\/b>/g)].map(([, name]) => name)).toEqual([
      'prod-failed',
      'prod-rolled-back',
      'prod-stuck',
      'prod-needs-people',
      'prod-unknown',
    ]);
    expect(html).toContain('<summary>All: 27 clusters</summary>');
    expect(html).toContain('<p class="area">No clusters.</p>');
  });

  test('of a hundred that need somebody ten are named, and the rest is counted', () => {
    const members = Array.from({ length: 100 }, (_, index) => ({
      cluster: { name: `c${index}`, account: SHOP, region: 'r' },
      state: 'failed' as const,
    }));
    expect(renderFleetHtml(view, [{ board: { ...BOARD, rings: [{ name: 'prod', state: 'stopped', members }] } }])).toContain('and 90 more');
  });

  test('F44: finishBy has a line in the forecast and an alarm above the board', () => {
    expect(html).toContain(
      '<p class="notice alarm">The forecast ends on 2026-12-04 (from 1 recorded run), after it should finish (2026-11-30).',
    );
    expect(html).toContain('<line class="limit"');
  });

  test('F45: no date of a forecast stands without what it rests on', () => {
    expect(html).toContain('<td>2026-12-01 18:00 UTC</td><td>2026-12-04 18:00 UTC</td><td>assumed 3 h each</td>');
    expect(html).toContain('prod: 2026-11-27 09:00 UTC to 2026-12-01 18:00 UTC, soaks until 2026-12-04 18:00 UTC, assumed 3 h each');
  });

  test('without campaigns there is no board', () => {
    expect(renderFleetHtml(view)).not.toContain('class="rings"');
  });
});
