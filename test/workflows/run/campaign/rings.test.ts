/** One ring after the other, as people let it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { startTemporal } from '../../../support/temporal.ts';
import { ApplicationFailure } from '@temporalio/common';
import { createApproverActivities } from '../../../../activities/run/people/approvers.ts';
import type { Actor } from '../../../../domain/gates/actor.ts';
import { type CampaignCommand, campaignCommandSent } from '../../../../workflows/contract/campaign.ts';
import { eventually } from '../../../support/eventually.ts';
import { SAM } from '../../../support/upgrade.ts';
import { campaignOf, member, ringOf, withCampaign } from './support.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const KEY = (name: string): string => `111122223333/eu-central-1/${name}`;

describe('a campaign', () => {
  test('asks before each ring, starts as many as are allowed, soaks, and completes', async () => {
    const campaign = campaignOf([ringOf('dev', ['a', 'b', 'c']), ringOf('prod', ['d'], { soakMs: 300 })]);
    await withCampaign(
      env,
      campaign,
      ['a', 'b', 'c', 'd'].map((name) => member(name)),
      async (played) => {
        const { fleet } = played;
        await played.gate('dev');
        expect(fleet.started).toEqual([]);
        expect(await played.decide('dev')).toMatchObject({ accepted: true });
        await eventually('two start', () => fleet.open.length === 2);
        fleet.end('a');
        await eventually('the third starts', () => fleet.started.length === 3);
        fleet.end('b');
        fleet.end('c');
        const promoted = await played.gate('prod');
        expect(promoted.state.rings.map(({ state }) => state)).toEqual(['complete', 'awaiting-approval']);
        expect(fleet.mostOpen).toBe(2);
        await played.decide('prod');
        await eventually('the last starts', () => fleet.started.length === 4);
        fleet.end('d');
        const ended = await played.handle.result();
        expect(ended.state.phase).toBe('complete');
        expect(ended.state.rings.map(({ state }) => state)).toEqual(['complete', 'complete']);
        expect(fleet.started.map(({ of }) => of.ring)).toEqual(['dev', 'dev', 'dev', 'prod']);
      },
    );
  });

  test('F34: whoever asked for it approves no ring', async () => {
    const shell: Actor = { kind: 'cli', id: 'alex@laptop', name: 'alex' };
    const { readApprover } = createApproverActivities({});
    await withCampaign(
      env,
      campaignOf([ringOf('dev', ['a'])]),
      [member('a')],
      async (played) => {
        await played.gate('dev');
        expect(await played.decide('dev', 'approve', { actor: shell })).toEqual({
          accepted: false,
          message: 'You asked for this upgrade, so somebody else has to decide (approvals.allowRequester is off).',
        });
        expect(played.fleet.started).toEqual([]);
      },
      { requestedBy: shell, change: () => ({ readApprover }) },
    );
  });

  test('F6 F8 F22: one failure more than allowed stops it; what runs comes to its end; a retry asks anew, and an approval of the first attempt is refused', async () => {
    const names = ['a', 'b', 'c', 'd'];
    await withCampaign(
      env,
      campaignOf([ringOf('dev', names)]),
      names.map((name) => member(name)),
      async (played) => {
        const { fleet } = played;
        await played.gate('dev');
        await played.decide('dev');
        await eventually('two start', () => fleet.open.length === 2);
        fleet.end('a', 'failed', 'its nodes did not come up');
        const stopped = await played.until(({ state }) => state.rings[0]?.state === 'stopped');
        expect(stopped.state.rings[0]?.why).toBe('1 failure, and at most 0 allowed: a (failed: its nodes did not come up)');
        expect(stopped.state.members[KEY('b')]?.kind).toBe('running');
        expect(fleet.started).toHaveLength(2);
        fleet.end('b');
        await played.until(({ state }) => state.members[KEY('b')]?.kind === 'done');
        expect(await played.command({ verb: 'resume' })).toMatchObject({ accepted: false });
        expect(await played.command({ verb: 'retry' })).toEqual({
          accepted: true,
          message: 'Ring dev asks for approval again, attempt 2: a.',
        });
        await played.gate('dev', 2);
        await expect(played.decide('dev', 'approve', { attempt: 1, actor: { kind: 'slack', id: 'U0RIN' } })).rejects.toThrow();
        fleet.runs.delete('a');
        await played.decide('dev', 'approve', { attempt: 2 });
        await eventually('the rest starts', () => fleet.started.length === 4);
        expect(fleet.started.filter(({ name }) => name === 'b')).toHaveLength(1);
      },
    );
  });

  test('a ring goes on without its failed cluster: the gate says who left it out and why, no run of it starts, and the campaign completes with the exception', async () => {
    const names = ['a', 'b', 'c'];
    await withCampaign(
      env,
      campaignOf([ringOf('dev', names)]),
      names.map((name) => member(name)),
      async (played) => {
        const { fleet } = played;
        await played.gate('dev');
        await played.decide('dev');
        await eventually('two start', () => fleet.open.length === 2);
        fleet.end('a', 'failed', 'its nodes did not come up');
        fleet.end('b');
        await played.until(({ state }) => state.rings[0]?.state === 'stopped' && state.members[KEY('b')]?.kind === 'done');
        expect(await played.command({ verb: 'retry', retry: { without: ['a'] } })).toEqual({
          accepted: false,
          message: 'Why should ring dev continue without a? Give a reason (--reason): its gate and the record show it.',
        });
        expect(await played.command({ verb: 'retry', retry: { without: ['a'] }, reason: 'hardware is on order' })).toEqual({
          accepted: true,
          message: 'Ring dev asks for approval again, attempt 2, without a, with the others.',
        });
        await played.gate('dev', 2);
        const shown = await eventually(
          'the gate is told',
          () =>
            played.world.published.flatMap(({ notification: of }) =>
              of.kind === 'gate' && of.state.gate.id.endsWith('#2') ? [of.state.gate] : [],
            )[0],
        );
        expect(shown.evidence?.slice(0, 2)).toEqual([
          {
            title: 'Ring dev',
            lines: [
              '1 of 3 clusters can start, 2 at a time. 2 must succeed; 1 may fail, counting those left out.',
              'The ring has no soak.',
            ],
          },
          {
            title: 'Left out of this ring',
            lines: ['a is failed: its nodes did not come up; left out by Sam: hardware is on order'],
          },
        ]);
        await played.decide('dev', 'approve', { attempt: 2 });
        await eventually('the third starts', () => fleet.started.length === 3);
        fleet.end('c');
        const ended = await played.handle.result();
        expect(ended.state.phase).toBe('complete');
        expect(ended.state.rings[0]?.why).toBe(
          '1 of 3 clusters is not at the target: a (failed: its nodes did not come up; left out by Sam: hardware is on order)',
        );
        expect(fleet.startedNames).toEqual(['a', 'b', 'c']);
      },
    );
  });

  test('a gate that nobody decides stops the ring and not the campaign: a retry asks anew', async () => {
    await withCampaign(
      env,
      campaignOf([ringOf('dev', ['a'])]),
      [member('a')],
      async (played) => {
        const late = await played.until(({ state }) => state.rings[0]?.state === 'stopped');
        expect(late.state).toMatchObject({ phase: 'proposed', rings: [{ why: 'nobody decided at its gate in time' }] });
        expect(late.gates).toEqual([]);
        expect(await played.command({ verb: 'retry' })).toEqual({
          accepted: true,
          message: 'Ring dev asks for approval again, attempt 2.',
        });
        await played.gate('dev', 2);
        expect(await played.decide('dev', 'approve', { attempt: 2 })).toMatchObject({ accepted: true });
        await eventually('it starts', () => played.fleet.open.length === 1);
      },
      {
        change: (activities) => ({
          loadCampaign: async (input) => {
            const { policy, ...loaded } = await activities.loadCampaign(input);
            return { ...loaded, policy: { ...policy, timing: { ...policy.timing, gateDeadlineMs: 4_000 } } };
          },
        }),
      },
    );
  });

  test('paused, it starts nothing; resumed, it goes on; stopped, it ends when what runs has ended', async () => {
    await withCampaign(
      env,
      campaignOf([ringOf('dev', ['a', 'b', 'c'])]),
      ['a', 'b', 'c'].map((name) => member(name)),
      async (played) => {
        const { fleet } = played;
        await played.gate('dev');
        await played.decide('dev');
        await eventually('two start', () => fleet.open.length === 2);
        expect(await played.command({ verb: 'pause', reason: 'lunch' })).toMatchObject({ accepted: true });
        fleet.end('a');
        await played.until(({ state }) => state.members[KEY('a')]?.kind === 'done');
        expect(fleet.started).toHaveLength(2);
        expect(await played.command({ verb: 'resume' })).toEqual({ accepted: true, message: 'Resumed.' });
        await eventually('the third starts', () => fleet.started.length === 3);
        await played.command({ verb: 'stop' });
        fleet.end('b');
        fleet.end('c');
        expect((await played.handle.result()).state).toMatchObject({ phase: 'stopped', members: { [KEY('c')]: { kind: 'done' } } });
      },
    );
  });

  test('commands that were sent before its settings were read are applied once they are, in their order', async () => {
    const { promise: mayRead, resolve: read } = Promise.withResolvers<void>();
    await withCampaign(
      env,
      campaignOf([ringOf('dev', ['a'])]),
      [member('a')],
      async (played) => {
        const { world, handle } = played;
        const sent = (command: Omit<CampaignCommand, 'actor'>): Promise<void> =>
          handle.signal(campaignCommandSent, { actor: SAM, ...command });
        await sent({ verb: 'pause', reason: 'lunch' });
        await sent({ verb: 'resume' });
        await sent({ verb: 'pause', reason: 'incident' });
        read();
        const { state } = await played.until(({ state: { pauses } }) => pauses.some(({ why }) => why === 'incident'));
        expect(state.pauses).toMatchObject([{ by: 'person', why: 'incident' }]);
        await eventually('all are written down', () => world.audit.filter(({ kind }) => kind === 'command').length === 3);
        expect(world.audit.flatMap(({ kind, what }) => (kind === 'command' ? [what.slice(0, what.indexOf(':'))] : []))).toEqual([
          'pause',
          'resume',
          'pause',
        ]);
      },
      {
        change: ({ loadCampaign }) => ({
          loadCampaign: async (input) => {
            await mayRead;
            return await loadCampaign(input);
          },
        }),
      },
    );
  });

  test('F15 F16: a cluster waits for its window while others run, with the date, and is not asked about without pause where its clock is behind', async () => {
    await withCampaign(env, campaignOf([ringOf('dev', ['a', 'b'])]), [member('a'), member('b')], async (played) => {
      const { fleet } = played;
      const why = 'the window closes Sat 2025-01-04 04:00 UTC, in 2 h, and 3 h of it are needed; next fit: Sat 2025-01-11 22:00 UTC';
      fleet.examined.set('a', { kind: 'waiting', why, until: '2025-01-11T22:00:00.000Z' });
      await played.gate('dev');
      await played.decide('dev');
      await eventually('the other starts', () => fleet.open.length === 1);
      fleet.end('b');
      const waiting = await played.until(({ state }) => state.members[KEY('b')]?.kind === 'done');
      expect(waiting.state.members[KEY('a')]).toMatchObject({ kind: 'waiting', why });
      const before = fleet.examinedCount;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      // Looks are a tenth of a second apart.
      expect(fleet.examinedCount - before).toBeLessThan(15);
      fleet.examined.delete('a');
      await eventually('it starts in its window', () => fleet.open.length === 1);
      fleet.end('a');
      expect((await played.handle.result()).state.phase).toBe('complete');
    });
  });

  test('F27: a start whose answer is lost is found again, and not made twice', async () => {
    const campaign = campaignOf([ringOf('dev', ['a'])]);
    const lost = new Set<string>();
    await withCampaign(
      env,
      campaign,
      [member('a')],
      async (played) => {
        await played.gate('dev');
        await played.decide('dev');
        const running = await played.until(({ state }) => state.members[KEY('a')]?.kind === 'running');
        expect(running.state.members[KEY('a')]).toMatchObject({ runId: 'run-a', adopted: true });
        expect(played.fleet.startedNames).toEqual(['a']);
      },
      {
        change: (activities) => ({
          startMember: async (input) => {
            const result = await activities.startMember(input);
            if (lost.size > 0) return result;
            lost.add(input.cluster.name);
            throw new Error('the worker was killed');
          },
        }),
      },
    );
  });

  test('F27: a run that has failed before its start is known counts as a failure, and is not started again', async () => {
    const campaign = campaignOf([ringOf('dev', ['a', 'b'], { parallel: { kind: 'count', value: 1 } })]);
    let tries = 0;
    await withCampaign(
      env,
      campaign,
      [member('a'), member('b')],
      async (played) => {
        await played.gate('dev');
        await played.decide('dev');
        await eventually('the first try', () => tries > 0);
        played.fleet.end('a', 'failed', 'pre-checks refuse it');
        const stopped = await played.until(({ state }) => state.rings[0]?.state === 'stopped');
        expect(stopped.state.members).toMatchObject({
          [KEY('a')]: { kind: 'failed', why: 'pre-checks refuse it' },
          [KEY('b')]: { kind: 'planned' },
        });
        expect(played.fleet.startedNames).toEqual(['a']);
        expect(tries).toBe(2);
      },
      {
        change: (activities) => ({
          startMember: async (input) => {
            const result = await activities.startMember(input);
            if (++tries === 1) throw new Error('the worker was killed');
            return result;
          },
        }),
      },
    );
  });

  test('a cluster that people leave out while it is looked at stays left out, and does not start', async () => {
    let looks = 0;
    let isLookedAt = false;
    await withCampaign(
      env,
      campaignOf([ringOf('dev', ['a', 'b'])]),
      [member('a'), member('b')],
      async (played) => {
        await played.gate('dev');
        await played.decide('dev');
        await eventually('it is looked at again', () => looks === 2);
        const retry = await played.command({ verb: 'retry', retry: { without: ['b'] }, reason: 'it is being moved' });
        expect(retry).toMatchObject({ accepted: true });
        isLookedAt = true;
        await played.gate('dev', 2);
        await new Promise((resolve) => setTimeout(resolve, 500));
        const { state } = await played.status();
        expect(state.members[KEY('b')]).toMatchObject({ kind: 'held', leftOut: { why: 'it is being moved' } });
        expect(played.fleet.startedNames).not.toContain('b');
      },
      {
        change: (activities) => ({
          examineMember: async (input) => {
            if (input.cluster.name !== 'b') return await activities.examineMember(input);
            looks += 1;
            if (looks === 1) return { kind: 'held', why: 'an update is in progress', again: new Date().toISOString() };
            while (!isLookedAt) await new Promise((resolve) => setTimeout(resolve, 20));
            return { kind: 'ready' };
          },
        }),
      },
    );
  });

  test('F40: clusters of an account that cannot be read are held with the reason, and the others go', async () => {
    const other = { account: '444455556666', region: 'eu-central-1', name: 'b' };
    await withCampaign(
      env,
      campaignOf([ringOf('dev', ['a', 'b'])]),
      [member('a'), member('b', { cluster: other })],
      async (played) => {
        await played.gate('dev');
        await played.decide('dev');
        await eventually('the readable one starts', () => played.fleet.open.length === 1);
        played.fleet.end('a');
        const held = await played.until(({ state }) => state.members[KEY('a')]?.kind === 'done');
        expect(held.state.members['444455556666/eu-central-1/b']).toMatchObject({ kind: 'held', why: 'STS refuses the role' });
        expect(held.state.rings[0]).toMatchObject({ state: 'running' });
        // Nothing else would say that the ring comes no further.
        const text = `Ring dev of campaign ${held.plan.campaign} cannot continue: b (held: STS refuses the role). Belay keeps trying. To continue without a cluster: \`belay campaign retry ${held.plan.campaign} dev --without CLUSTER --reason "…"\``;
        const told = (): unknown[] =>
          played.world.published.flatMap(({ notification: of }) => (of.kind === 'note' && of.text === text ? [of.level] : []));
        await eventually('it is told', () => told().length > 0);
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        expect(told()).toEqual(['warning']);
      },
      {
        change: (activities) => ({
          examineMember: async (input) => {
            if (input.cluster.account === other.account) throw ApplicationFailure.nonRetryable('STS refuses the role', 'AccessDenied');
            return await activities.examineMember(input);
          },
        }),
      },
    );
  });

  test('F47: with Slack away the ring goes on to its next gate, and the channel gets the last state and no flood when it is back', async () => {
    const campaign = campaignOf([ringOf('dev', ['a', 'b', 'c'], { parallel: { kind: 'count', value: 1 } }), ringOf('prod', ['d'])]);
    let isAway = true;
    let boards = 0;
    await withCampaign(
      env,
      campaign,
      ['a', 'b', 'c', 'd'].map((name) => member(name)),
      async (played) => {
        const { fleet } = played;
        await played.gate('dev');
        await played.decide('dev');
        for (const name of ['a', 'b', 'c']) {
          await eventually(`${name} starts`, () => fleet.open.includes(name));
          fleet.end(name);
        }
        await played.gate('prod');
        isAway = false;
        await eventually('the board is there', () => boards > 0);
        expect(boards).toBeLessThan(4);
      },
      {
        change: (activities) => ({
          publish: async (input) => {
            if (isAway) throw new Error('Slack does not answer');
            boards += input.messages.filter(({ key }) => key === 'board').length;
            return await activities.publish(input);
          },
        }),
      },
    );
  });

  test('F26: terminated in mid-ring and started again, it adopts what runs and starts no cluster twice', async () => {
    await withCampaign(
      env,
      campaignOf([ringOf('dev', ['a', 'b', 'c'])]),
      ['a', 'b', 'c'].map((name) => member(name)),
      async (played) => {
        const { fleet } = played;
        await played.gate('dev');
        await played.decide('dev');
        await eventually('two start', () => fleet.open.length === 2);
        fleet.end('a');
        await eventually('the third starts', () => fleet.started.length === 3);
        await played.handle.terminate('by accident');
        await played.again();
        await played.gate('dev');
        await played.decide('dev');
        const adopted = await played.until(({ state }) => state.members[KEY('b')]?.kind === 'running');
        expect(adopted.state.members[KEY('b')]).toMatchObject({ adopted: true });
        expect(adopted.state.members[KEY('a')]).toEqual({ kind: 'done', by: 'before' });
        fleet.end('b');
        fleet.end('c');
        expect((await played.handle.result()).state.phase).toBe('complete');
        expect(fleet.startedNames).toEqual(['a', 'b', 'c']);
      },
    );
  });

  test('F19: red health begins the soak anew, and the next gate does not open', async () => {
    const campaign = campaignOf([ringOf('dev', ['a'], { soakMs: 600 }), ringOf('prod', ['b'])]);
    await withCampaign(env, campaign, [member('a'), member('b')], async (played) => {
      const { fleet } = played;
      await played.gate('dev');
      await played.decide('dev');
      await eventually('it starts', () => fleet.open.length === 1);
      fleet.end('a');
      await played.until(({ state }) => (state.rings[0]?.soak?.watchedMs ?? 0) > 100);
      fleet.health = { seen: 'red', why: 'a: PodsCrashLooping fires' };
      const red = await played.until(({ state }) => state.rings[0]?.soak?.seen === 'red');
      expect(red.state.rings[0]?.soak).toMatchObject({ watchedMs: 0, restarted: { why: 'a: PodsCrashLooping fires' } });
      expect(red.gates).toEqual([]);
      fleet.health = { seen: 'green' };
      await played.gate('prod');
    });
  });

  test('F20: a soak whose health cannot be read stands still, and people are told why', async () => {
    const campaign = campaignOf([ringOf('dev', ['a'], { soakMs: 300 }), ringOf('prod', ['b'])]);
    await withCampaign(env, campaign, [member('a'), member('b')], async (played) => {
      const { fleet, world } = played;
      fleet.health = { seen: 'unread', why: 'a: the API server does not answer' };
      await played.gate('dev');
      await played.decide('dev');
      await eventually('it starts', () => fleet.open.length === 1);
      fleet.end('a');
      const told = (): string[] =>
        world.published.flatMap(({ notification: of }) => (of.kind === 'note' && of.level === 'warning' ? [of.text] : []));
      await eventually('it is told', () => told().length > 0);
      expect(told()).toEqual([
        'The soak of ring dev is paused: its health could not be read: a: the API server does not answer. This time does not count, and the next ring waits. Belay keeps checking.',
      ]);
      fleet.health = { seen: 'green' };
      await played.gate('prod');
    });
  });

  test('F23: a change of belay.yaml after the approval is shown at the next gate, which is about the new plan', async () => {
    const campaign = campaignOf([ringOf('dev', ['a']), ringOf('prod', ['b'])]);
    await withCampaign(env, campaign, [member('a'), member('b')], async (played) => {
      const { fleet } = played;
      const before = await played.gate('dev');
      await played.decide('dev');
      await eventually('it starts', () => fleet.open.length === 1);
      const [dev, prod] = campaign.rings;
      if (dev === undefined || prod === undefined) throw new Error('two rings');
      fleet.campaign = { ...campaign, rings: [dev, { ...prod, select: { clusters: ['b', 'c'] }, failures: { kind: 'count', value: 1 } }] };
      fleet.members.push(member('c'));
      fleet.end('a');
      const { gates } = await played.gate('prod');
      expect(gates[0]?.evidence?.find(({ title }) => title === 'The plan has changed since it was approved')?.lines).toEqual([
        `New, and not in the approved plan: ${KEY('c')}`,
        'Changed in belay.yaml: ring prod: failures 0 → 1',
        'Changed in belay.yaml: ring prod: succeed 1 of 1 → 1 of 2',
      ]);
      expect(gates[0]?.planHash).not.toBe(before.plan.hash);
      await played.decide('prod');
      await eventually('both start', () => fleet.open.length === 2);
    });
  });
});
