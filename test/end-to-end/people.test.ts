/** People and what is in their way: Slack down, no worker, two approvers, late and double clicks, a second upgrade, a pause. */
import { hostname, userInfo } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { small } from '../../rehearsal/scenarios/small.ts';
import { EVE, type Play, RIN, SAM } from './support/play.ts';
import { expectRestored } from './support/promises.ts';
import { houses, Theatre } from './support/theatre.ts';
import { eventually } from '../support/eventually.ts';

const FIRST = 'before:pre-checks@1.32#1';
const SECOND = 'before:control-plane@1.32#1';
const KEPT = 'Recorded; no worker has answered yet, and it is applied as soon as one does.';

let theatre: Theatre;
let play: Play;
let count = 0;

beforeAll(async () => {
  theatre = await Theatre.open({
    ...houses('small', 12, { scenario: small }),
    'quorum-of-two': { scenario: small, approvals: { quorum: 2, allowUnverifiedCli: false } },
    'no-terminals': { scenario: small, approvals: { allowUnverifiedCli: false } },
  });
}, 360_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

/** The persona keeps its hands off the gates that begin so. */
async function begin(ignore: string, cluster?: string): Promise<void> {
  count += 1;
  play = await theatre.play(cluster ?? `small-${count}`, { decide: (gate) => (gate.startsWith(ignore) ? 'ignore' : undefined) });
}

const decisions = (): string[] =>
  play.record().decisions.map(({ gate, kind, decision }) => `${gate.id} ${kind} ${decision?.choice} ${decision?.actor.id}`);
const first = (gate: string): string | undefined => decisions().find((line) => line.startsWith(gate));

describe('without Slack', () => {
  afterEach(() => theatre.slack.setDown(false));

  test('S1: the run reaches its gate, the CLI decides as user@host, and the thread is whole when Slack is back', async () => {
    await begin('nothing');
    theatre.slack.setDown(true);
    const started = await theatre.belay('start', play.cluster, '--target', '1.32');
    expect(started).toMatchObject({ code: 0, stderr: '' });
    const open = await eventually('the first gate is open', async () => {
      const { stdout } = await theatre.belay('status', play.cluster);
      // A worker that is slow to answer leaves it to Temporal, which knows the gate alone.
      return stdout.includes(`'${FIRST}' approve`) && stdout;
    });
    expect(open).toContain(`belay decide ${play.cluster} '${FIRST}' approve`);
    const decided = await theatre.belay('decide', play.cluster, FIRST, 'approve', '--reason', 'Slack is down');
    expect(decided).toMatchObject({ code: 0, stderr: expect.stringContaining('What can be undone') });
    await eventually('the run continues to its next gate', async () =>
      (await theatre.belay('status', play.cluster)).stdout.includes(SECOND),
    );
    expect(play.accepted('kubernetes').map(({ operation }) => operation)).toEqual(['patch nodepools']);
    theatre.slack.setDown(false);
    expect(await play.closed()).toBe('COMPLETED');
    const me = `${userInfo().username}@${hostname()}`;
    expect(first(FIRST)).toBe(`${FIRST} decided approve ${me}`);
    expect(first(SECOND)).toBe(`${SECOND} decided approve ${SAM}`);
    await play.says(new RegExp(`\\*Approve\\* by ${me} \\(by CLI, unverified\\), .+\\n> Slack is down`));
    await play.says(/Drift is frozen on NodePools? default/);
    await play.says(/Completed: /);
    await expectRestored(play);
  });

  test('where unverified people may not decide, the CLI is refused and the gate stays open', async () => {
    await begin(FIRST, 'no-terminals');
    await play.start();
    await play.gate(FIRST);
    const { code, stderr } = await theatre.belay('decide', play.cluster, FIRST, 'approve');
    expect([code, stderr]).toEqual([2, expect.stringContaining('allowUnverifiedCli')]);
    expect(play.openGates().has(FIRST)).toBe(true);
  });
});

describe('without a worker', () => {
  test('T4: a click is kept, the clicker is told so, status comes from visibility, and it counts once when a worker is back', async () => {
    await begin(FIRST);
    await play.start();
    await play.gate(FIRST);
    await theatre.stop('worker');
    try {
      const told = play.told(SAM).length;
      await play.press(SAM, FIRST, 'approve');
      expect(await eventually('Sam is told', () => play.told(SAM)[told], 10_000)).toBe(KEPT);
      // The button is still there, so a person presses again.
      await play.press(SAM, FIRST, 'approve');
      expect(await eventually('Sam is told again', () => play.told(SAM)[told + 1], 10_000)).toBe(KEPT);
      const { stdout, code } = await theatre.belay('status', play.cluster);
      expect(code).toBe(0);
      expect(stdout).toMatch(/No worker on task queue belay answered within 2 s, so only what Temporal knows is available/);
      expect(stdout).toContain(FIRST);
      const asked = play.told(RIN).length;
      await theatre.slack.submitCommand(RIN, `/eks-upgrade status ${play.cluster}`);
      expect(await eventually('Rin is told', () => play.told(RIN)[asked], 10_000)).toMatch(
        new RegExp(`${play.cluster}.+waiting for ${FIRST}`),
      );
    } finally {
      theatre.start('worker');
    }
    expect(await play.closed()).toBe('COMPLETED');
    expect(decisions().filter((line) => line.startsWith(FIRST))).toEqual([`${FIRST} decided approve ${SAM}`]);
    await expectRestored(play);
  });
});

describe('at a gate', () => {
  test('S4: two approvers: one is not enough, the same one twice neither, a stranger never', async () => {
    await begin('before:', 'quorum-of-two');
    await play.start();
    const click = async (user: string): Promise<string> => {
      const told = play.told(user).length;
      await play.press(user, FIRST, 'approve');
      return await eventually(`${user} is told`, () => play.told(user)[told], 10_000);
    };
    expect(await click(SAM)).toBe('Recorded: Approve, 1 of 2 approvals.');
    expect(await click(SAM)).toBe('Recorded: Approve, 1 of 2 approvals.');
    expect(await click(EVE)).toMatch(/may not|not an approver|approve/i);
    expect(play.openGates().has(FIRST)).toBe(true);
    expect(await click(RIN)).toBe('Recorded: Approve.');
    await play.gate(SECOND);
    await play.says(new RegExp(`\\*Approve\\* by <@${RIN}>[\\s\\S]+\\*Approve\\* by <@${SAM}>`));
    await play.press(SAM, SECOND, 'reject');
    expect(await play.closed()).toBe('COMPLETED');
    await expectRestored(play);
  });

  test('S3 S14: a double click decides once; a late click on a button that is gone meanwhile is told how it was decided', async () => {
    await begin('before:');
    await play.start();
    await play.gate(FIRST);
    let decided = (): void => undefined;
    const until = new Promise<void>((resolve) => void (decided = resolve));
    // Rin's press is on its way while Sam decides.
    const unwatch = theatre.slack.onClick(({ user }) => (user === RIN ? until : undefined));
    const late = play.press(RIN, FIRST, 'reject');
    await Promise.all([play.press(SAM, FIRST, 'approve'), play.press(SAM, FIRST, 'approve')]);
    await play.gate(SECOND);
    decided();
    await late;
    unwatch();
    expect(await eventually('Rin is told', () => play.told(RIN)[0], 10_000)).toMatch(/already decided: approve by sam/);
    expect(play.told(SAM)).toEqual(['Recorded: Approve.', 'Recorded: Approve.']);
    await play.press(SAM, SECOND, 'reject');
    expect(await play.closed()).toBe('COMPLETED');
    expect(decisions()).toEqual([`${FIRST} decided approve ${SAM}`, `${SECOND} decided reject ${SAM}`]);
  });

  test('S14: a button of an earlier run decides nothing in the present one', async () => {
    await begin('before:');
    await play.start();
    const old = await play.gate(FIRST);
    await theatre.client.workflow.getHandle(play.workflowId).terminate('by hand');
    await play.start();
    await eventually('the new run has its own gate', () => play.openGates().get(FIRST)?.ts !== old.ts);
    const told = play.told(SAM).length;
    await play.pressOn(old.ts, SAM, 'gate/approve');
    expect(await eventually('Sam is told', () => play.told(SAM)[told], 10_000)).toMatch(/belongs to an earlier run that has ended/);
    expect(await play.step('pre-checks')).toBeUndefined();
  });
});

test('T17: a second upgrade of the same cluster is refused, and the first goes on', async () => {
  await begin(FIRST);
  await play.start();
  await play.gate(FIRST);
  const told = play.told(RIN).length;
  await theatre.slack.submitCommand(RIN, `/eks-upgrade start ${play.cluster} 1.32`);
  await eventually(
    'Rin is told',
    () =>
      play
        .told(RIN)
        .slice(told)
        .some((text) => /already/.test(text)),
    20_000,
  );
  const { code, stderr } = await theatre.belay('start', play.cluster, '--target', '1.32');
  expect([code, stderr]).toEqual([2, expect.stringMatching(/already/)]);
  await play.press(SAM, FIRST, 'reject');
  expect(await play.closed()).toBe('COMPLETED');
  expect(decisions()).toEqual([`${FIRST} decided reject ${SAM}`]);
});

test('a pause holds the next step until somebody resumes', async () => {
  await begin('nothing');
  const paused = play.inTheMiddle('add-ons-bridge', async () => {
    expect(await play.pressBoard(SAM, 'pause')).toMatch(/^The upgrade pauses once ".+" has ended/);
  });
  await play.start();
  await paused;
  await play.says(/Paused before "Freeze Karpenter"/);
  expect(play.accepted('kubernetes')).toEqual([]);
  expect(await play.pressBoard(SAM, 'resume')).toMatch(/^Resumed by sam/);
  expect(await play.closed()).toBe('COMPLETED');
  expect(play.record().outcome).toBe('completed');
});
