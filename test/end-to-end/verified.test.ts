/** People whom AWS knows decide by command line: the same person as in Slack, bound to what is decided. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { small } from '../../rehearsal/scenarios/small.ts';
import { ALEX, EVE, type Play, RIN, SAM } from './support/play.ts';
import { Theatre } from './support/theatre.ts';
import { eventually } from '../support/eventually.ts';

const FIRST = 'before:pre-checks@1.32#1';
const SECOND = 'before:control-plane@1.32#1';
const SSO = 'arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_PlatformEngineer_*';
const named = (name: string): { aws: string[] } => ({ aws: [`${SSO}/${name}@example.com`] });

let theatre: Theatre;
let play: Play;

beforeAll(async () => {
  const approvals = { users: [ALEX, SAM, RIN], groups: [], quorum: 2, allowRequester: false, allowUnverifiedCli: false };
  const people = { [ALEX]: named('alex'), [SAM]: named('sam'), [RIN]: named('rin') };
  theatre = await Theatre.open(
    {
      verified: { scenario: small, approvals },
      glass: { scenario: small, approvals: { ...approvals, breakGlass: { users: [ALEX, SAM, RIN], delay: '2s' } } },
      waiting: { scenario: small, approvals: { ...approvals, quorum: 1 } },
    },
    { speed: 600, people },
  );
}, 360_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

interface Recorded {
  status: { requestedBy: unknown };
  decisions: { gate: { id: string }; votes: { actor: { id: string; aws?: string }; choice: string }[] }[];
}

/** As it stands on the disk. */
function recorded(): Recorded {
  const [name] = readdirSync(theatre.recordsDirectory).filter((file) => file.includes(`_${play.cluster}_`));
  const text = readFileSync(join(theatre.recordsDirectory, name ?? ''), 'utf8');
  expect(text).not.toContain('X-Amz-');
  const { report }: { report: Recorded } = JSON.parse(text);
  return report;
}

const votes = (): string[] =>
  recorded().decisions.flatMap(({ gate, votes }) =>
    votes.map(({ actor, choice }) => `${gate.id} ${choice} ${actor.id} ${actor.aws?.split('/').at(-1) ?? ''}`),
  );

test('S4 S6: one person by CLI and in Slack is one vote; the requester by CLI is the requester; who is not named is refused', async () => {
  play = await theatre.play('verified', { decide: () => 'ignore' });
  expect(await theatre.belayAs(ALEX, 'start', play.cluster, '--target', '1.32')).toMatchObject({ code: 0, stderr: '' });
  await play.gate(FIRST);
  const decide = (as: string, choice = 'approve') => theatre.belayAs(as, 'decide', play.cluster, FIRST, choice, '--reason', 'looked at it');
  expect(await decide(ALEX)).toMatchObject({ code: 2, stderr: expect.stringContaining('You asked for this upgrade') });
  expect(await decide(EVE)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('eve@example.com is nobody whom people in belay.yaml names'),
  });
  expect(await decide(SAM)).toMatchObject({ code: 0, stdout: 'Recorded: Approve, 1 of 2 approvals.\n' });
  await play.press(SAM, FIRST, 'approve');
  expect(await eventually('Sam is told', () => play.told(SAM)[0], 10_000)).toBe('Recorded: Approve, 1 of 2 approvals.');
  expect(await decide(RIN)).toMatchObject({ code: 0, stdout: 'Recorded: Approve.\n' });
  await play.gate(SECOND);
  await play.says(new RegExp(`<@${RIN}> \\(by CLI, verified by AWS\\)`));
  // Whoever asked may steer, and is known by the same way.
  expect(await theatre.belayAs(EVE, 'pause', play.cluster)).toMatchObject({ code: 2, stderr: expect.stringContaining('is nobody') });
  expect(await theatre.belayAs(ALEX, 'abort', play.cluster, '--reason', 'lunch')).toMatchObject({ code: 0 });
  expect(await play.closed()).toBe('COMPLETED');
  expect(votes()).toEqual([`${FIRST} approve ${SAM} `, `${FIRST} approve ${RIN} rin@example.com`]);
  expect(recorded().status.requestedBy).toMatchObject({ kind: 'slack', id: ALEX, name: 'alex@example.com' });
});

test('break-glass: two people, never two shells of one, never somebody unknown; said in the channel, recorded with both', async () => {
  play = await theatre.play('glass', { decide: () => 'ignore' });
  await play.start();
  await play.gate(FIRST);
  const breakGlass = (as: string, choice = 'approve', ...more: string[]) =>
    theatre.belayAs(as, 'break-glass', play.cluster, 'before:pre-checks', choice, ...more);
  expect(await breakGlass(ALEX)).toMatchObject({ code: 1, stderr: expect.stringContaining("required option '-r, --reason <text>'") });
  expect(await breakGlass(EVE, 'approve', '-r', 'outage')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is nobody whom people'),
  });
  const once = 'Recorded: Approve despite the rules, 1 of 2. Another person has to send the same.\n';
  // The one who asked for the run may not approve it, by its rules or despite them.
  expect(await breakGlass(ALEX, 'approve', '-r', 'outage in AZ a')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('You asked for this upgrade, so others have to break the glass.'),
  });
  expect(await breakGlass(SAM, 'approve', '-r', 'outage in AZ a')).toMatchObject({ code: 0, stdout: once });
  expect(await breakGlass(SAM, 'approve', '-r', 'outage in AZ a')).toMatchObject({ code: 0, stdout: once });
  await play.says(/BREAK GLASS: sam@example\.com .+requests Approve for .+ despite its rules: outage in AZ a/);
  expect(play.openGates().has(FIRST)).toBe(true);
  expect(await breakGlass(RIN, 'approve', '-r', 'seen it')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Recorded: Approve despite the rules\. It takes effect at .+, unless an approver rejects the gate\.\n$/),
  });
  await play.says(/will be answered with Approve DESPITE ITS RULES at .+last requested by rin@example\.com/);
  await play.says(/was answered with Approve DESPITE ITS RULES by sam@example\.com .+outage in AZ a.+rin@example\.com/);
  await play.gate(SECOND);
  expect(await theatre.belayAs(RIN, 'abort', play.cluster, '--reason', 'enough seen')).toMatchObject({ code: 0 });
  expect(await play.closed()).toBe('COMPLETED');
  expect(votes()).toEqual([`${FIRST} approve ${SAM} sam@example.com`, `${FIRST} approve ${RIN} rin@example.com`]);
  expect((await theatre.belayAs(RIN, 'report', play.cluster)).stdout).toContain('approve DESPITE THE RULES by rin@example.com');
  const { stdout } = await theatre.belay('audit', play.cluster);
  expect(stdout).toMatch(/refused .+approve despite the rules \(break-glass\).+is nobody whom people in belay.yaml names/);
  expect(stdout).toMatch(
    /vote .+approve despite the rules \(break-glass\).+sam@example\.com, slack U0SAM, named by approvals\.breakGlass\): outage in AZ a/,
  );
  expect(stdout).toMatch(/closed .+approve DESPITE THE RULES/);
});

test('T4: without a worker a command is kept, says for how long, and is applied when a worker is back; then a gate waits longer and the run is handed over', async () => {
  play = await theatre.play('waiting', { decide: () => 'ignore' });
  await play.start();
  await play.gate(FIRST);
  await theatre.stop('worker');
  try {
    expect((await theatre.belayAs(SAM, 'status', play.cluster)).stdout).toContain('only what Temporal knows is available');
    const paused = await theatre.belayAs(SAM, 'pause', play.cluster, '--reason', 'no worker');
    expect(paused).toMatchObject({ code: 0, stdout: expect.stringContaining('applied if one does within a minute') });
  } finally {
    theatre.start('worker');
  }
  await eventually(
    'the pause is applied',
    async () => (await theatre.belayAs(SAM, 'status', play.cluster)).stdout.includes('Paused: no further step starts'),
    60_000,
  );
  expect(await theatre.belayAs(SAM, 'extend', play.cluster, FIRST, '2h')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/now waits until/),
  });
  expect(await theatre.belayAs(ALEX, 'handover', play.cluster, RIN)).toMatchObject({
    code: 0,
    stdout: `Handed over to ${RIN} by alex@example.com.\n`,
  });
  await play.says(new RegExp(`<@${RIN}> .*handed this upgrade over to you`));
  const decide = (as: string) => theatre.belayAs(as, 'decide', play.cluster, FIRST, 'reject', '-r', 'another day');
  expect(await decide(RIN)).toMatchObject({ code: 2, stderr: expect.stringContaining('You asked for this upgrade') });
  expect(await decide(ALEX)).toMatchObject({ code: 2, stderr: expect.stringContaining('handed it over') });
  expect(await decide(SAM)).toMatchObject({ code: 0 });
  expect(await play.closed()).toBe('COMPLETED');
  expect((await theatre.belay('history', play.cluster)).stdout).toMatch(/1\.31 → 1\.32.+stopped.+sam@example\.com/);
});
