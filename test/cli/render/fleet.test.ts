/** `belay fleet` on a terminal. */
import { describe, expect, test } from 'vitest';
import { renderFleet } from '../../../cli/render/fleet.ts';
import { fleetView } from '../../../domain/run/fleet-view/view.ts';
import { CONFIGURED, OPEN, SOAKING, withCampaigns } from '../../domain/run/fleet-view/campaign.ts';
import { FLEET, member } from '../../domain/run/fleet-view/fixtures.ts';

test('F38: a table that fits 100 columns, then what happens when, what waiting costs, and what was not seen', () => {
  const text = renderFleet(fleetView(FLEET, 60));
  expect(text).toBe(`CLUSTER    ACCOUNT       REGION          ENV   VERSION  SUPPORT   UNTIL       DAYS
legacy     444455556666  us-east-1       prod  1.31     ended     2026-11-26  -
pays       111122223333  eu-west-1       dev   1.32     extended  2027-03-23  117
automatic  111122223333  eu-west-1       dev   1.34     standard  2026-12-02  6
no-policy  111122223333  eu-west-1       dev   1.34     standard  2026-12-02  6
soon       111122223333  eu-west-1       dev   1.34     standard  2026-12-02  6
prod       444455556666  ap-northeast-1  prod  ?        unknown   -           -
newest     111122223333  eu-west-1       dev   1.38     unknown   -           -
fresh      111122223333  eu-west-1       dev   1.35     standard  2027-03-27  121
prod       444455556666  us-east-1       prod  1.35     standard  2027-03-27  121

Needs action
  ✗ legacy  444455556666 us-east-1
    AWS will upgrade it for you at any time: extended support of 1.31 ended on 2026-11-26
  ✗ pays  111122223333 eu-west-1
    costs $12 a day more: 1.32 has been in extended support since 2026-03-23; AWS will upgrade it
    for you from 2027-03-23 on (117 days)
  ✗ automatic  111122223333 eu-west-1
    AWS will upgrade it for you from 2026-12-02 on (6 days), when standard support of 1.34 ends
  ✗ no-policy  111122223333 eu-west-1
    from 2026-12-02 on (6 days) AWS will upgrade it for you or it costs $12 a day more: its upgrade
    policy was not read
  ✗ soon  111122223333 eu-west-1
    costs $12 a day more from 2026-12-02 on (6 days), when standard support of 1.34 ends

Could not be read
  ? prod  444455556666 ap-northeast-1
    reading prod: AWS refuses the role arn:aws:iam::444455556666:role/belay
  ? newest  111122223333 eu-west-1
    how long EKS supports 1.38 is not known

Open runs
  ▶ pays  111122223333 eu-west-1
    a run to 1.33 is open since 2026-11-25 09:00 UTC, at control-plane, waits for people: Replace
    the nodes (before:node-groups@1.33#1), platform 1 of 2, by 2026-11-27 09:00 UTC
  ▶ prod  444455556666 us-east-1
    a run to 1.36 is open since 2026-11-26 08:00 UTC, at pre-checks

Kept freezes
  ▮ fresh  111122223333 eu-west-1
    a run to 1.35 has ended and left drift frozen since 2026-11-20 10:00 UTC, waits for people: Lift
    the freeze (lift-freeze@1.35#1), by 2026-11-27 10:00 UTC

Cost of waiting
ACCOUNT       CLUSTERS  EXTENDED  NOT KNOWN  A DAY  60 DAYS
111122223333  6         1         1          $12    $2,025
444455556666  3         1         1          $12    $720
Waiting 60 days costs $2,745 of extended support, $24 a day now; 2 clusters whose cost is not known
are not included.

5 clusters need action within 60 days.
2 clusters could not be read: nothing is known about them.
2 open runs, 1 waiting for a decision
Versions were read by a worker at 2026-11-26 08:30 UTC.
Open runs and campaigns are as Temporal has them.`);
});

test('the longest names that AWS has fit 100 columns, and a terminal obeys nothing that a phase contains', () => {
  const name = 'a'.repeat(100);
  const cluster = { name, account: '111122223333', region: 'ap-northeast-1' };
  const run = { cluster, startedAt: FLEET.readAt, phase: '\u001b[2Jcontrol-plane' };
  const text = renderFleet(
    fleetView({ ...FLEET, members: [member(name, '1.32', 'EXTENDED', { cluster, environment: 'production-europe' })], runs: [run] }, 60),
  );
  const [head = '', row = ''] = text.split('\n');
  expect([head, row].filter((line) => line.length > 100)).toEqual([]);
  expect(row).toContain('aaaaaaaaaaaaaaaaa…');
  expect(text).not.toContain('\u001b[2J');
});

test('nothing due is said only where everything was read', () => {
  const fine = renderFleet(fleetView({ ...FLEET, members: [member('fresh', '1.35', 'EXTENDED')], runs: [] }, 60));
  expect(fine).toContain('Nothing is due within 60 days on 1 cluster.');
  const blind = renderFleet(fleetView({ ...FLEET, members: [member('fresh', '1.35'), member('blind')], runs: [] }, 60));
  expect(blind).not.toContain('Nothing is due');
  expect(blind).toContain('1 cluster could not be read: nothing is known about it.');
});

describe('campaigns', () => {
  const section = (text: string): string => /^Campaigns\n[\s\S]*?(?=\nCost of waiting)/m.exec(text)?.[0] ?? '';

  test('dates of rings are in the zone of the reader, as every other time on the terminal', () => {
    const text = section(renderFleet(fleetView(withCampaigns(OPEN), 60), 'Asia/Kolkata'));
    expect(text).toMatch(/DONE +FROM \(Asia\/Kolkata\) +UNTIL/);
    expect(text).toMatch(/canary +complete +2\/2 +2026-11-22 16:00 +2026-11-22 19:00 +2026-11-23 20:00/);
  });

  test('rings with their dates, who needs somebody, what is left out, what would help, and who could not be read', () => {
    const reading = withCampaigns(
      OPEN,
      { kind: 'unread', name: 'quiet', why: 'no worker answers' },
      { kind: 'not-planned', name: 'later' },
    );
    expect(section(renderFleet(fleetView(reading, 60)))).toBe(`Campaigns
  ▶ to-1-34  → 1.34, running, 11 of 35 done; due by 2026-11-30
    Ring prod is running.
    RING    STATE                     DONE  FROM (UTC)        UNTIL             SOAKS UNTIL
    canary  complete                  2/2   2026-11-22 10:30  2026-11-22 13:30  2026-11-23 14:30
    dev     complete with exceptions  7/8   2026-11-23 16:30  2026-11-24 10:30  2026-11-25 11:30
    prod    running                   2/25  2026-11-25 12:30  2026-11-27 10:30  2026-11-30 10:30
    late    pending                   0/0   2026-11-30 10:30  2026-11-30 10:30  -
    dev: 1 failed · 1 of 8 clusters did not arrive: dev-8 (failed: node group web did not become
    ready)
      dev-8 (111122223333, eu-west-1) failed: node group web did not become ready
    prod: 1 failed · 1 rolled back · 1 stuck · 1 needs people · 1 unknown · 2 held · 1 waiting · 1
    running · 1 ahead · 1 removed
      prod-failed (111122223333, us-east-1) failed: node group web did not become ready
      prod-held (444455556666, us-east-1) held: an open run goes to 1.35
      prod-needs-people (444455556666, us-east-1) needs people: gate before:node-groups@1.34#1
      prod-rolled-back (444455556666, us-east-1) rolled back: people chose to go back
      prod-stuck (111122223333, us-east-1) stuck: no progress for 13 h, at node-groups
      prod-unknown (111122223333, us-east-1) unknown: neither Temporal nor a record knows how its
      run ended
    Left out: legacy (moves away)
    1.32: standard support ended on 2026-03-23 (1 cluster).
    1.33: standard support ended on 2026-07-29 (35 clusters).
    1.32: extended support ends on 2027-03-23 (1 cluster).
    1.33: extended support ends on 2027-07-29 (35 clusters).
    Account 111122223333: extended support of 19 clusters costs $247 until they arrive.
    Account 444455556666: extended support of 5 clusters costs $65 until they arrive.
    To finish sooner: ring prod: half the soak brings the end 36 h nearer.
    Dates are from now on, without windows and freezes, and without the time that decisions take.

  ? Could not read campaign quiet: no worker answers
  · later: it is in belay.yaml, and is planned here only where all clusters are asked for
`);
  });

  test('dates are within windows and freezes where these were counted', () => {
    const text = section(renderFleet(fleetView(withCampaigns(OPEN), 60, (_cluster, atMs) => atMs)));
    expect(text).toContain('Dates are from now on, within windows and freezes, without the time that decisions take.');
    expect(text).not.toContain('without windows');
  });

  test('a soak says what is left of it, a gate what it asks, and what is only configured that it is no more', () => {
    const text = section(renderFleet(fleetView(withCampaigns({ kind: 'open', name: 'c', said: SOAKING }, CONFIGURED), 60)));
    expect(text.replace(/\s+/g, ' ')).toContain('2 d 17 h of soak left (health is red: alert HighErrorRate fires on pays)');
    expect(text).toContain('Waiting for approval: Begin ring late? Decide by 2026-11-27 08:30 UTC (gate ring:late#1).');
    expect(text).toContain(
      '  ▶ next-year  → 1.35, planned, 2 of 6 done\n    Forecast of what belay.yaml says for 6 clusters in 1 ring; it is not open.',
    );
    expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);
  });

  test('a terminal obeys nothing that a campaign contains', () => {
    const reading = withCampaigns({ kind: 'unread', name: '\u001b[2Jc', why: '\u001b[2J' });
    expect(renderFleet(fleetView(reading, 60))).not.toContain('\u001b[2J');
  });
});
