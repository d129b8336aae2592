/**
 * Random campaigns in a random world, driven as a campaign is, beside an oracle of the rules; then a world in which all goes well and people do what they are
 * asked has to bring any of them to its end. A failure prints its seed and the shortest way to it.
 */
import { expect, test } from 'vitest';
import fc from 'fast-check';
import type { CampaignPlan, MemberVerdict, PlannedRing } from '../../../../../domain/plan/campaign/types.ts';
import { RETRIABLE } from '../../../../../domain/run/campaign/commands.ts';
import { hold, type Step, STUCK_MS, World } from './world.ts';
import { PERIOD_MS } from './oracle.ts';

const verdicts: fc.Arbitrary<MemberVerdict> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<MemberVerdict>({ kind: 'upgrade', minors: 1 }) },
  { weight: 1, arbitrary: fc.constant<MemberVerdict>({ kind: 'done' }) },
  { weight: 1, arbitrary: fc.constant<MemberVerdict>({ kind: 'ahead', version: '1.35' }) },
  { weight: 1, arbitrary: fc.constant<MemberVerdict>({ kind: 'held', why: 'EKS does not offer 1.34 in its region yet' }) },
  { weight: 1, arbitrary: fc.constant<MemberVerdict>({ kind: 'refused', why: 'it is two minors below' }) },
);

const rings: fc.Arbitrary<Omit<PlannedRing, 'name'>> = fc
  .record({
    canary: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    soakMs: fc.constantFrom(0, 2 * PERIOD_MS, 5 * PERIOD_MS),
    soakOnRed: fc.constantFrom('restart' as const, 'hold' as const),
    promotion: fc.constantFrom('ask' as const, 'after-soak' as const),
    parallel: fc.integer({ min: 1, max: 4 }),
    failures: fc.integer({ min: 0, max: 3 }),
    lacking: fc.integer({ min: 0, max: 3 }),
    where: fc.array(fc.record({ account: fc.constantFrom('1', '2'), region: fc.constantFrom('eu', 'us'), verdict: verdicts }), {
      maxLength: 5,
      size: 'max',
    }),
  })
  .map(({ where, lacking, ...ring }) => ({
    ...ring,
    coversStart: false,
    succeed: Math.max(Math.min(1, where.length), where.length - lacking),
    untested: [],
    members: where.map(({ account, region, verdict }, index) => ({
      cluster: { name: `c${index}`, account, region },
      environment: 'dev',
      verdict,
    })),
  }));

const limit = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined });

const plans: fc.Arbitrary<CampaignPlan> = fc
  .record({ rings: fc.array(rings, { minLength: 1, maxLength: 3, size: 'max' }), parallel: limit, perAccount: limit, perRegion: limit })
  .map(({ rings: of, ...limits }) => ({
    campaign: 'to-1-34',
    target: '1.34',
    madeAt: '2026-11-26T12:00:00.000Z',
    rings: of.map((ring, at) => ({
      ...ring,
      name: `ring-${at}`,
      members: ring.members.map((each) => ({ ...each, cluster: { ...each.cluster, name: `${each.cluster.name}-of-${at}` } })),
    })),
    excluded: [],
    warnings: [],
    problems: [],
    limits: { ...limits, stuckAfterMs: STUCK_MS },
    hash: '0123456789ab',
  }));

const ticks: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('tick' as const),
  halfHours: fc.constantFrom(0, 1, 2, 2, 2, 3, 12, 60),
  dice: fc.array(fc.nat({ max: 99 }), { minLength: 1, maxLength: 12, size: 'max' }),
  health: fc.constantFrom('green' as const, 'green' as const, 'green' as const, 'red' as const, 'unread' as const),
});
const retries: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('retry' as const),
  only: fc.option(fc.subarray([...RETRIABLE], { minLength: 1 }), { nil: undefined }),
  lift: fc.boolean(),
  without: fc.oneof(
    { weight: 2, arbitrary: fc.constant<number[]>([]) },
    { weight: 1, arbitrary: fc.uniqueArray(fc.nat({ max: 4 }), { maxLength: 2 }) },
  ),
});

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 60, arbitrary: ticks },
  { weight: 12, arbitrary: fc.constant<Step>({ kind: 'approve' }) },
  { weight: 6, arbitrary: retries },
  { weight: 4, arbitrary: fc.constant<Step>({ kind: 'pause' }) },
  { weight: 6, arbitrary: fc.constant<Step>({ kind: 'resume' }) },
  { weight: 6, arbitrary: fc.constant<Step>({ kind: 'restart' }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('beside' as const), which: fc.nat({ max: 14 }) }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'stop' }) },
);

/** Starts succeed and runs complete. */
const GOOD: Step = { kind: 'tick', halfHours: 2, dice: [11], health: 'green' };

/** What people do who are asked, in a world in which all goes well: as far as the end, or to what the campaign says that it waits for. */
function bringToItsEnd(world: World): void {
  for (let round = 0; round < 400; round += 1) {
    const { phase, ringIs, paused } = world.oracle;
    if (phase === 'complete' || phase === 'stopped') return;
    if (paused) world.play({ kind: 'resume' });
    if (ringIs === 'asked') world.play({ kind: 'approve' });
    if (ringIs === 'halted') world.play({ kind: 'retry', lift: true, without: [] });
    world.play(GOOD);
    if (world.oracle.ringIs !== 'pending') continue;
    // Nothing of it can start, and a plan made anew has to say so: the ring says it meanwhile.
    const why = world.state.rings[world.state.ring]?.why ?? '';
    hold(why.startsWith('none of its clusters can start: '), `the gate does not open, and the ring says "${why}"`);
    return;
  }
  throw new Error(
    `no end: ring ${world.state.ring} is ${world.state.rings[world.state.ring]?.state} (${world.state.rings[world.state.ring]?.why})`,
  );
}

test('F28: whatever happens, a campaign keeps its rules, forgets no cluster, and can be brought to its end', () => {
  const reached = new Map<string, number>();
  fc.assert(
    fc.property(plans, fc.array(steps, { maxLength: 60, size: 'max' }), (plan, all) => {
      const world = new World(plan);
      world.play({ kind: 'approve' });
      for (const step of all) {
        world.play(step);
        const at = `${world.oracle.phase} ${world.oracle.ringIs} ${world.oracle.paused ? 'paused' : ''}`;
        reached.set(at, (reached.get(at) ?? 0) + 1);
      }
      bringToItsEnd(world);
      reached.set(world.oracle.phase, (reached.get(world.oracle.phase) ?? 0) + 1);
    }),
    { numRuns: 500 },
  );
  // It would prove little if the random campaigns never came so far.
  const states = [
    'running working ',
    'running soaking ',
    'running halted ',
    'running asked ',
    'running working paused',
    'running soaking paused',
    'complete',
    'stopped',
  ];
  expect(states.filter((each) => (reached.get(each) ?? 0) < 3)).toEqual([]);
});
