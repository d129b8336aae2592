/** What people ask of a campaign, and what they are told where it cannot be. */
import { describe, expect, test } from 'vitest';
import type { CampaignPlan } from '../../../../domain/plan/campaign/types.ts';
import { goOnBeside, pause, resume, retry, stop } from '../../../../domain/run/campaign/commands.ts';
import { beginRing, settle, undecided } from '../../../../domain/run/campaign/rings.ts';
import { nextStarts } from '../../../../domain/run/campaign/starts.ts';
import { campaignView } from '../../../../domain/run/campaign/view.ts';
import { type CampaignState, initialState, withRing } from '../../../../domain/run/campaign/state.ts';
import {
  at,
  BACK,
  begun,
  cluster,
  COMPLETED,
  done,
  FAILED,
  key,
  NOON,
  planOf,
  refusal,
  seen,
  started,
} from '../../../support/campaigns.ts';

const count = (value: number) => ({ kind: 'count' as const, value });
const next = (state: CampaignState, plan: CampaignPlan, now: string = at(20)): string[] =>
  nextStarts(state, plan, now).map((each) => each.cluster.name);
const run = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'run' as const]));
/** Approved anew at this hour. */
const again = (state: CampaignState, plan: CampaignPlan, hour = 20): CampaignState =>
  settle(beginRing(state, plan, at(hour)), plan, at(hour));

const plan = planOf(['dev-a', 'dev-b', 'dev-c', 'prod-a'], { dev: { parallel: count(1) }, prod: {} });
const running = started(begun(plan), run('dev-a'));
const failed = seen(running, plan, { 'dev-a': FAILED });
const over = { stopped: { ...running, phase: 'stopped' as const }, complete: { ...running, phase: 'complete' as const } };

describe('pause and resume', () => {
  const paused = done(pause(running, 'incident 4711', at(1)));

  test('nothing starts, what runs goes on and counts, and resume lets it start again', () => {
    expect(pause(running, 'incident 4711', at(1))).toMatchObject({
      said: 'Paused: no further cluster starts. Running upgrades finish on their own.',
    });
    expect(paused.pauses).toEqual([{ by: 'person', why: 'incident 4711', at: at(1) }]);
    const arrived = seen(paused, plan, { 'dev-a': COMPLETED }, at(2));
    expect(arrived.members[key('dev-a')]?.kind).toBe('done');
    expect(next(arrived, plan)).toEqual([]);
    const resumed = resume(arrived);
    expect(resumed).toMatchObject({ said: 'Resumed.' });
    expect(next(done(resumed), plan)).toEqual(['dev-b']);
  });

  test('F6: a resume does not undo what failures stopped', () => {
    const both = done(pause(failed, 'incident', at(2)));
    const resumed = done(resume(both));
    expect(resumed.pauses.map(({ by }) => by)).toEqual(['failures']);
    expect(next(resumed, plan)).toEqual([]);
  });

  test.each<[string, () => string, string]>([
    ['pause twice', () => refusal(pause(paused, 'again', at(2))), 'The campaign is already paused.'],
    ['pause what is stopped', () => refusal(pause(over.stopped, '', at(2))), 'The campaign is stopped: there is nothing to pause.'],
    ['pause what is complete', () => refusal(pause(over.complete, '', at(2))), 'The campaign is complete: there is nothing to pause.'],
    ['resume what is not paused', () => refusal(resume(running)), 'The campaign is not paused.'],
    [
      'resume what failures stopped',
      () => refusal(resume(failed)),
      'The campaign is not paused: its ring stopped (1 failure, and at most 0 allowed: dev-a (failed: node group web did not become ready)). Fix that, then: belay campaign retry to-1-34',
    ],
  ])('refused: %s', (_title, of, expected) => {
    expect(of()).toBe(expected);
  });
});

describe('stop', () => {
  test('nothing starts any more, and what runs comes to its end', () => {
    expect(stop(running)).toMatchObject({ said: 'Stopped: no further cluster starts. Running upgrades finish on their own.' });
    const stopped = seen(done(stop(running)), plan, { 'dev-a': COMPLETED });
    expect(stopped.members[key('dev-a')]?.kind).toBe('done');
    expect(next(stopped, plan)).toEqual([]);
    expect(stopped.phase).toBe('stopped');
  });

  test('is for good: neither resume nor retry nor an approval begins it again', () => {
    const stopped = done(stop(failed));
    expect(refusal(stop(stopped))).toBe('The campaign is already stopped.');
    expect(refusal(stop(over.complete))).toBe('The campaign is already complete.');
    expect(refusal(retry(stopped, plan, {}))).toBe('The campaign is stopped: no ring of it can be retried.');
    expect(next(beginRing(withRing(stopped, 0, { state: 'awaiting-approval' }), plan, at(3)), plan)).toEqual([]);
  });

  test('works before anything began', () => {
    expect(done(stop(initialState(plan))).phase).toBe('stopped');
  });
});

describe('beside a stuck run', () => {
  const stuck = seen(running, plan, { 'dev-a': { kind: 'open', runId: 'run-of-dev-a' } }, at(13));

  test('says what it does', () => {
    expect(goOnBeside(stuck, key('dev-a'))).toMatchObject({
      said: '111122223333/eu-west-1/dev-a no longer takes up a slot, so others can start; its run continues.',
    });
  });

  test.each([
    [
      'a run that makes progress',
      running,
      key('dev-a'),
      '111122223333/eu-west-1/dev-a is not stuck (it is running), so nothing has to start beside it.',
    ],
    [
      'one that has not begun',
      running,
      key('dev-b'),
      '111122223333/eu-west-1/dev-b is not stuck (it is planned), so nothing has to start beside it.',
    ],
    ['a cluster of another campaign', stuck, '1/2/other', 'The campaign has no cluster 1/2/other.'],
  ])('refused: %s', (_title, state, of, expected) => {
    expect(refusal(goOnBeside(state, of))).toBe(expected);
  });
});

describe('retry', () => {
  test('asks for the ring anew as a new attempt, and starts what failed only after that', () => {
    const changed = retry(failed, plan, {});
    expect(changed).toMatchObject({ said: 'Ring dev asks for approval again, attempt 2: dev-a.' });
    const asked = done(changed);
    expect(asked.rings[0]).toMatchObject({ state: 'awaiting-approval', attempt: 2, why: undefined });
    expect(asked.pauses).toEqual([]);
    expect(next(asked, plan)).toEqual([]);
    expect(next(again(asked, plan), plan)).toEqual(['dev-a']);
  });

  const four = planOf(['dev-a', 'dev-b', 'dev-c', 'dev-d'], { dev: { parallel: count(3) } });
  const mixed = seen(started(begun(four), run('dev-a', 'dev-b', 'dev-c')), four, { 'dev-a': BACK, 'dev-b': FAILED });

  test('F42: a rolled-back cluster stays held when its ring is retried; the others go, and it is not counted twice', () => {
    const changed = retry(mixed, four, {});
    expect(changed).toMatchObject({ said: 'Ring dev asks for approval again, attempt 2: dev-b.' });
    const second = again(done(changed), four);
    expect(second.rings[0]?.state).toBe('running');
    expect(next(second, four)).toEqual(['dev-b', 'dev-d']);
    const ended = seen(
      started(second, run('dev-b', 'dev-d'), at(20)),
      four,
      { 'dev-b': COMPLETED, 'dev-c': COMPLETED, 'dev-d': COMPLETED },
      at(21),
    );
    expect(ended.rings[0]).toMatchObject({
      state: 'stopped',
      why: 'only 3 of 4 clusters succeeded, and 4 must: dev-a (rolled-back: people chose to go back)',
    });
    expect(refusal(retry(ended, four, {}))).toBe(
      'Ring dev has no cluster to retry; dev-a was rolled back and stays held until somebody lifts it (--lift NAME).',
    );
    const lifted = done(retry(ended, four, { lift: ['dev-a'] }));
    expect(next(again(lifted, four, 22), four, at(22))).toEqual(['dev-a']);
  });

  test('F42: lifted by its full name, too, where two clusters have the same', () => {
    const twins = planOf(['dev-a', 'dev-z'], {}, { 'dev-z': { cluster: cluster('dev-a', { region: 'us-east-1' }) } });
    const state = seen(started(begun(twins), run('dev-a')), twins, { 'dev-a': BACK });
    expect(refusal(retry(state, twins, { lift: ['dev-a'] }))).toBe(
      'dev-a may be 111122223333/eu-west-1/dev-a or 111122223333/us-east-1/dev-a: give the full name.',
    );
    const lifted = done(retry(state, twins, { lift: [key('dev-a')] }));
    expect(lifted.members[key('dev-a')]).toEqual({ kind: 'planned' });
  });

  test('F46: only what failed; what is stuck at a gate stays with its people, holds its slot, and the others start', () => {
    const loose = planOf(['dev-a', 'dev-b', 'dev-c', 'dev-d'], { dev: { parallel: count(2) } });
    const both = seen(
      started(begun(loose), run('dev-a', 'dev-b')),
      loose,
      { 'dev-a': { kind: 'open', runId: 'run-of-dev-a', gate: 'failed:node-groups@1.34#1' }, 'dev-b': FAILED },
      at(13),
    );
    expect(both.rings[0]?.state).toBe('stopped');
    const changed = retry(both, loose, { only: ['failed'] });
    expect(changed).toMatchObject({ said: 'Ring dev asks for approval again, attempt 2: dev-b.' });
    const second = again(done(changed), loose);
    expect(second.members[key('dev-a')]).toMatchObject({ kind: 'stuck', runId: 'run-of-dev-a' });
    expect(next(second, loose)).toEqual(['dev-b']);
    const looked = seen(second, loose, { 'dev-a': { kind: 'open', runId: 'run-of-dev-a', gate: 'failed:node-groups@1.34#1' } }, at(21));
    expect(looked.rings[0]?.state).toBe('running');
    const ended = seen(looked, loose, { 'dev-a': FAILED }, at(22));
    expect(ended.rings[0]?.state).toBe('running');
  });

  test('F46: only what is held leaves failures as they are, and does not stop at once because of them', () => {
    const state = settle(
      started(seen(started(begun(four), run('dev-a')), four, { 'dev-a': FAILED }), { 'dev-b': { kind: 'held', why: 'it is stopped' } }),
      four,
      at(2),
    );
    const second = again(done(retry(state, four, { only: ['held'] })), four);
    expect(second.members[key('dev-a')]).toMatchObject({ kind: 'failed' });
    expect(next(second, four)).toEqual(['dev-b', 'dev-c', 'dev-d']);
  });

  test('a new failure counts in the new attempt', () => {
    const second = started(again(done(retry(failed, plan, {})), plan), run('dev-a'), at(20));
    const stopped = seen(second, plan, { 'dev-a': FAILED }, at(21));
    expect(stopped.rings[0]).toMatchObject({ state: 'stopped', attempt: 2 });
    expect(done(retry(stopped, plan, {})).rings[0]?.attempt).toBe(3);
  });

  test('a ring that stopped because of a stuck run goes on when that has arrived: there is nothing to retry, and no dead end', () => {
    const stuck = seen(running, plan, { 'dev-a': { kind: 'open', runId: 'run-of-dev-a' } }, at(13));
    const arrived = seen(stuck, plan, { 'dev-a': COMPLETED }, at(14));
    expect(arrived.rings[0]?.state).toBe('stopped');
    const changed = retry(arrived, plan, {});
    expect(changed).toMatchObject({ said: 'Ring dev asks for approval again, attempt 2, with the others.' });
    expect(next(again(done(changed), plan), plan)).toEqual(['dev-b']);
  });

  test('what is gone, or went back after it was there before the campaign, is looked at again: it is not done by its plan', () => {
    const there = planOf(['dev-a'], {}, { 'dev-a': { version: '1.34' } });
    const back = seen(begun(there), there, { 'dev-a': BACK });
    const lifted = done(retry(back, there, { lift: ['dev-a'] }));
    expect(lifted.members[key('dev-a')]).toEqual({ kind: 'planned' });
  });

  test('F10: what the plan refused is looked at when people retry it', () => {
    const far = planOf(['dev-a', 'dev-b'], {}, { 'dev-a': { version: '1.31' } });
    const state = settle(started(begun(far), { 'dev-b': { kind: 'arrived', by: 'others' } }), far, NOON);
    expect(state.rings[0]?.state).toBe('stopped');
    expect(next(again(done(retry(state, far, { only: ['held'] })), far), far)).toEqual(['dev-a']);
  });

  test('a ring whose gate nobody decided is asked for anew, with all that has arrived before it', () => {
    const late = undecided(initialState(plan), at(24));
    expect(late.rings[0]).toMatchObject({ state: 'stopped', why: 'nobody decided at its gate in time' });
    expect(next(late, plan)).toEqual([]);
    const asked = retry(late, plan, {});
    expect(asked).toMatchObject({ said: 'Ring dev asks for approval again, attempt 2.', state: { pauses: [], phase: 'proposed' } });
    expect(next(again(done(asked), plan, 30), plan, at(30))).toEqual(['dev-a']);
  });

  test.each<[string, () => string, string]>([
    [
      'before the first approval',
      () => refusal(retry(initialState(plan), plan, {})),
      'Ring dev is awaiting-approval: only a ring that is running or has stopped can be retried.',
    ],
    [
      'a ring that is not there',
      () => refusal(retry(failed, plan, { ring: 'stage' })),
      'There is no ring stage; the rings are: dev, prod.',
    ],
    [
      'a ring that has not begun',
      () => refusal(retry(failed, plan, { ring: 'prod' })),
      'Ring prod cannot be retried now: the current ring is dev.',
    ],
    [
      'while the gate is open',
      () => refusal(retry(done(retry(failed, plan, {})), plan, {})),
      'Ring dev is awaiting-approval: only a ring that is running or has stopped can be retried.',
    ],
    [
      'while it soaks',
      () => refusal(retry(withRing(running, 0, { state: 'soaking' }), plan, {})),
      'Ring dev is soaking: only a ring that is running or has stopped can be retried.',
    ],
    ['nothing failed', () => refusal(retry(running, plan, {})), 'Ring dev has no cluster to retry.'],
    ['nothing of that kind', () => refusal(retry(failed, plan, { only: ['held'] })), 'Ring dev has no cluster to retry.'],
    ['a cluster to lift that is not in it', () => refusal(retry(failed, plan, { lift: ['prod-a'] })), 'Ring dev has no cluster prod-a.'],
    [
      'a cluster to lift that did not go back',
      () => refusal(retry(failed, plan, { lift: ['dev-a'] })),
      'dev-a was not rolled back (it is failed): there is nothing to lift.',
    ],
    [
      'only what is stuck: its run goes on',
      () => refusal(retry(seen(running, plan, { 'dev-a': { kind: 'open', runId: 'run-of-dev-a' } }, at(13)), plan, { only: ['stuck'] })),
      'Ring dev has no cluster to retry; dev-a is stuck in a run that has not ended: decide at its gate, or abort that run.',
    ],
  ])('refused: %s', (_title, of, expected) => {
    expect(of()).toBe(expected);
  });

  test('refused, nothing has changed: the pause of failures stays', () => {
    expect(retry(failed, plan, { lift: ['dev-a'] })).not.toHaveProperty('state');
    expect(failed.pauses).toHaveLength(1);
  });
});

describe('a retry without a cluster', () => {
  const four = planOf(['dev-a', 'dev-b', 'dev-c', 'dev-d'], { dev: { parallel: count(2) }, prod: { optional: true } });
  const [stuckAt, LATER] = [at(13), at(21)];
  const halted = seen(started(begun(four), run('dev-a', 'dev-b')), four, { 'dev-a': FAILED, 'dev-b': COMPLETED });
  const ADA = { by: 'ada', why: 'hardware is on order' };
  const without = (...names: string[]) => retry(halted, four, { without: names }, ADA);

  test('it stays failed with who and why, the others go on, and the ring soaks and is promoted without it', () => {
    const changed = without('dev-a');
    expect(changed).toMatchObject({ said: 'Ring dev asks for approval again, attempt 2, without dev-a, with the others.' });
    const second = again(done(changed), four);
    expect(second.members[key('dev-a')]).toMatchObject({ kind: 'failed', leftOut: ADA });
    expect(next(second, four)).toEqual(['dev-c', 'dev-d']);
    const rest = seen(started(second, run('dev-c', 'dev-d'), at(20)), four, { 'dev-c': COMPLETED, 'dev-d': COMPLETED }, LATER);
    expect(rest.rings[0]).toMatchObject({
      state: 'soaking',
      why: '1 of 4 clusters is not at the target: dev-a (failed: node group web did not become ready; left out by ada: hardware is on order)',
    });
    expect(campaignView({ plan: four, state: rest, workflowId: 'w', requestedBy: { kind: 'cli', id: 'x' } }).rings[0]).toMatchObject({
      line: expect.stringMatching(/^3\/4 done · 1 failed \(1 allowed\) · 1 left out · 24 h of soak left/),
      needs: [],
    });
  });

  test('it uses up the budget: one more failure stops the ring, and names both', () => {
    const second = started(again(done(without('dev-a')), four), run('dev-c', 'dev-d'), at(20));
    const stopped = seen(second, four, { 'dev-c': FAILED }, LATER);
    expect(stopped.rings[0]).toMatchObject({
      state: 'stopped',
      why: '2 failures, and at most 1 allowed: dev-a (failed: node group web did not become ready; left out by ada: hardware is on order), dev-c (failed: node group web did not become ready)',
    });
    // A plain retry starts what failed now, and leaves out what people left out.
    const third = retry(stopped, four, {});
    expect(third).toMatchObject({ said: 'Ring dev asks for approval again, attempt 3: dev-c.' });
    expect(next(again(done(third), four, 22), four, at(22))).toEqual(['dev-c']);
    const lifted = retry(stopped, four, { lift: ['dev-a'] });
    expect(lifted).toMatchObject({ said: 'Ring dev asks for approval again, attempt 3: dev-a, dev-c.' });
    expect(done(lifted).members[key('dev-a')]).toEqual({ kind: 'planned' });
  });

  test('a budget that has room for it keeps the rest of its room', () => {
    const roomy = planOf(['dev-a', 'dev-b', 'dev-c', 'dev-d'], { dev: { parallel: count(4), failures: count(2) } });
    const three = seen(
      started(begun(roomy), run('dev-a', 'dev-b', 'dev-c', 'dev-d')),
      roomy,
      { 'dev-a': FAILED, 'dev-b': FAILED, 'dev-c': FAILED },
      at(1),
    );
    const second = started(again(done(retry(three, roomy, { without: ['dev-a'] }, ADA)), roomy), run('dev-b', 'dev-c'), at(20));
    const one = seen(second, roomy, { 'dev-b': FAILED }, LATER);
    expect(one.rings[0]?.state).toBe('running');
    expect(seen(one, roomy, { 'dev-c': FAILED }, LATER).rings[0]).toMatchObject({
      state: 'stopped',
      why: expect.stringMatching(/^3 failures, and at most 2 allowed/),
    });
  });

  test('of what was held nothing is looked at again; two that went back stop it no more, and a third does', () => {
    const held = settle(
      started(begun(four), { ...run('dev-a', 'dev-b'), 'dev-c': { kind: 'held', why: 'another operation', again: at(2) } }),
      four,
      NOON,
    );
    const back = seen(held, four, { 'dev-a': BACK, 'dev-b': BACK }, at(1));
    expect(back.rings[0]?.why).toMatch(/^2 clusters rolled back/);
    const changed = retry(back, four, { without: ['dev-a', 'dev-b', 'dev-c'] }, ADA);
    const second = again(done(changed), four, 30);
    expect(second.rings[0]?.state).toBe('running');
    expect(next(second, four, at(30))).toEqual(['dev-d']);
    const third = seen(started(second, run('dev-d'), at(30)), four, { 'dev-d': BACK }, at(31));
    expect(third.rings[0]).toMatchObject({ state: 'stopped', why: expect.stringMatching(/^3 clusters rolled back/) });
  });

  test('of a ring that goes back, those that could not go back are no part of what has to arrive', () => {
    const back = { ...four, rollbackOf: { campaign: 'to-1-34', ring: 'dev' } };
    const [dev, ...more] = back.rings;
    const members = (dev?.members ?? []).map((each) =>
      each.cluster.name === 'dev-d' ? { ...each, verdict: { kind: 'refused' as const, why: 'it was already rolled back' } } : each,
    );
    const plan3 = { ...back, rings: [{ ...dev!, failures: 4, succeed: 3, members }, ...more] };
    const ended = seen(started(begun(plan3), run('dev-a', 'dev-b', 'dev-c')), plan3, {
      'dev-a': FAILED,
      'dev-b': COMPLETED,
      'dev-c': COMPLETED,
    });
    expect(ended.rings[0]?.state).toBe('stopped');
    expect(again(done(retry(ended, plan3, { without: ['dev-a'] }, ADA)), plan3).rings[0]?.state).toBe('soaking');
  });

  const canary = planOf(['dev-a', 'dev-b'], { dev: { canary: true } });
  const stuck = seen(started(begun(four), run('dev-a', 'dev-b')), four, { 'dev-a': { kind: 'open', runId: 'run-of-dev-a' } }, stuckAt);
  const twins = planOf(['dev-a', 'dev-z'], {}, { 'dev-z': { cluster: cluster('dev-a', { region: 'us-east-1' }) } });
  test.each<[string, () => string, string]>([
    [
      'no reason',
      () => refusal(retry(halted, four, { without: ['dev-a'] }, { by: 'ada', why: ' ' })),
      'Why should ring dev continue without dev-a? Give a reason (--reason): its gate and the record show it.',
    ],
    ['a cluster of another ring', () => refusal(without('prod-a')), 'Ring dev has no cluster prod-a.'],
    [
      'one that has arrived',
      () => refusal(without('dev-b')),
      'dev-b is done: only a cluster that failed, was rolled back, is held or is unknown can be left out.',
    ],
    [
      'one that did not begin',
      () => refusal(without('dev-c')),
      'dev-c is planned: only a cluster that failed, was rolled back, is held or is unknown can be left out.',
    ],
    [
      'a run that goes on',
      () => refusal(retry(stuck, four, { without: ['dev-a'] }, ADA)),
      'dev-a is stuck in a run that has not ended: abort that run first (belay abort dev-a).',
    ],
    [
      'left out and lifted',
      () => refusal(retry(done(without('dev-a')), four, { without: ['dev-a'], lift: ['dev-a'] }, ADA)),
      'Ring dev is awaiting-approval: only a ring that is running or has stopped can be retried.',
    ],
    [
      'left out and lifted at once',
      () => refusal(retry(again(done(without('dev-a')), four), four, { without: ['dev-a'], lift: ['dev-a'] }, ADA)),
      'dev-a cannot be both lifted and left out.',
    ],
    [
      'two of one name',
      () => refusal(retry(seen(started(begun(twins), run('dev-a')), twins, { 'dev-a': FAILED }), twins, { without: ['dev-a'] }, ADA)),
      'dev-a may be 111122223333/eu-west-1/dev-a or 111122223333/us-east-1/dev-a: give the full name.',
    ],
    [
      'all of them',
      () => {
        const two = planOf(['dev-a', 'dev-b'], { dev: { parallel: count(2) } });
        const bad = seen(started(begun(two), run('dev-a', 'dev-b')), two, { 'dev-a': FAILED, 'dev-b': FAILED });
        return refusal(retry(bad, two, { without: ['dev-a', 'dev-b'] }, ADA));
      },
      'Nothing would be left of ring dev without dev-a, dev-b: stop the campaign instead.',
    ],
    [
      'a canary',
      () => refusal(retry(seen(started(begun(canary), run('dev-a')), canary, { 'dev-a': FAILED }), canary, { without: ['dev-a'] }, ADA)),
      'Ring dev is a canary, and no campaign continues without one. Fix the cluster and retry the ring, or stop the campaign, exclude the cluster in belay.yaml, and start the campaign again.',
    ],
  ])('refused: %s', (_title, of, expected) => {
    expect(of()).toBe(expected);
  });
});
