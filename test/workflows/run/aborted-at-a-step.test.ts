/** Abort at a gate that a step asks: who chose it is proved there, once, and the run ends as for every other abort. */
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import { createApproverActivities } from '../../../activities/run/people/approvers.ts';
import type { PhaseId } from '../../../domain/core/phases.ts';
import { DEFAULT_WINDOWS } from '../../../domain/policy/config/defaults.ts';
import type { Restored } from '../../../domain/run/restores/restored.ts';
import { withEffects } from '../../../domain/run/side-effects/envelope.ts';
import type { SideEffect } from '../../../domain/run/side-effects/side-effect.ts';
import { count, type FakeWorld, fakeActivities, inputs, quickPolicy, untilCancelled, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { testSigner } from '../../support/signing.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const signer = testSigner();
const rights = createApproverActivities({ publicKeys: () => signer.publicKeys, people: { whyNotMember: async () => undefined } });

/** As where senders are verified. Slack signs starts and votes; what workflows tell each other has nobody to sign it. */
const readApprover: BelayActivities['readApprover'] = async (asked) => {
  const isSigned = /^\["belay-message-1","(start|decide)"/.test(asked.claim.words);
  return await rights.readApprover(isSigned ? { ...asked, claim: await signer.claim(asked.claim.words) } : asked);
};

const ROLE: SideEffect = {
  resource: { eks: 'add-on', cluster: 'prod', name: 'kube-proxy' },
  during: 'the update of add-on kube-proxy',
  differences: [{ path: 'serviceAccountRoleArn', pointer: '/serviceAccountRoleArn', before: '"role/a"', putBack: 'aws eks update-addon' }],
  moreCount: 0,
};
const RESTORED: Restored = { at: '2026-03-03T10:07:00.000Z', why: 'a change is not in the history any more', forgotten: [], record: [] };
const notSent = (): Error =>
  ApplicationFailure.create({ message: 'it was not sent', type: 'Restored', nonRetryable: true, details: [RESTORED] });

/** As the worker hands a result over. */
const besides = <T>(result: T): T => withEffects(result, [ROLE]) as T;

interface Case {
  at: string;
  phases: PhaseId[];
  gate: string;
  change: (fake: { world: FakeWorld; activities: BelayActivities }) => Partial<BelayActivities>;
  /** Calls of the step after the choice, and what was never called. */
  cleanup?: string;
  never?: string;
}

const CASES: Case[] = [
  {
    at: 'something else changed',
    phases: ['add-ons-target', 'validation'],
    gate: 'unexpected-change:add-ons-target@1.32/1#1',
    change: () => ({ awaitUpdate: async () => besides({ status: 'Successful', errors: [] }) }),
    never: 'awaitAddOnHealthy',
  },
  {
    at: 'something else changed while the step put back what it had changed',
    phases: ['istio', 'validation'],
    gate: 'unexpected-change:istio@1.32/1#1',
    change: () => ({ forgetWaves: async () => besides(undefined) }),
    never: 'validateCluster',
  },
  {
    at: 'Temporal was restored',
    phases: ['add-ons-target', 'validation'],
    gate: 'restored:add-ons-target@1.32/1#1',
    change: () => ({ startAddOnUpdate: async () => Promise.reject(notSent()) }),
    never: 'awaitUpdate',
  },
  {
    at: 'an Istio wave got worse',
    phases: ['istio', 'validation'],
    gate: 'wave:istio@1.32/1-28.1#1',
    change: () => ({
      awaitProxies: async () => {
        const traffic = { kind: 'fail' as const, lines: ['shop: 5xx 0.6 % → 1.8 %'] };
        return { ok: true, podCount: 6, wrong: [], timedOut: false, traffic };
      },
    }),
    cleanup: 'moveBack',
  },
  {
    at: 'a wave of nodes waits for a window',
    phases: ['freeze-drift', 'karpenter-drift', 'validation'],
    gate: 'window:karpenter-drift@1.32/1#1',
    change: ({ world }) => ({
      holdWaves: async () => ({ waves: [{ name: 'eu-1a', nodeCount: 1 }] }),
      judgeWindow: async () =>
        count(world, 'holdWaves') === 0 ? { kind: 'open' } : { kind: 'closed', why: 'it is Thursday', now: '2026-01-15T13:00:00.000Z' },
      awaitWindow: () => untilCancelled(),
    }),
    cleanup: 'restoreBudgets',
    never: 'watchDrift',
  },
  {
    at: 'the freeze changed something else',
    phases: ['freeze-drift', 'control-plane'],
    gate: 'unexpected-change:freeze-drift@1.32/1#1',
    change: ({ activities }) => ({ freezeDrift: async (input) => besides(await activities.freezeDrift(input)) }),
    cleanup: 'restoreBudgets',
    never: 'startControlPlaneUpdate',
  },
  {
    at: "the freeze's guard finds that Temporal was restored",
    phases: ['freeze-drift', 'karpenter-drift'],
    gate: 'restored:freeze-drift@1.32/1#1',
    change: ({ activities }) => ({
      setDriftPace: async (input) => (input.nodes === '0' ? await activities.setDriftPace(input) : Promise.reject(notSent())),
    }),
    cleanup: 'restoreBudgets',
    never: 'watchDrift',
  },
];

describe('Abort at a gate of a step ends the run, and the step cleans up', () => {
  test.each(CASES)('$at', async ({ phases, gate, change, cleanup, never }) => {
    const inWaves: Parameters<typeof plan>[1] = (s) =>
      s.params.phase === 'karpenter-drift' ? { ...s, params: { ...s.params, waves: { by: 'zone' } } } : s;
    const [steps, policy] = gate.startsWith('window') ? [inWaves, { windows: DEFAULT_WINDOWS }] : [];
    const fake = fakeActivities({ plan: plan(phases, steps), policy: quickPolicy(policy) });
    const activities = withChange(fake, { readApprover, ...change(fake) });
    const gates = new Set<string>();
    const report = await withUpgrade(env, activities, async (run) => {
      await run.until(
        (status) => status.gates.some(({ id }) => id === gate),
        (open, seen) => (open.id === gate ? undefined : approveAll(open, seen)),
      );
      await run.decide(gate, 'abort', { reason: 'not tonight' });
      return await run.finish(({ id }) => void gates.add(id));
    });
    expect(report.outcome).toBe('aborted');
    expect(report.status.headline).toBe('Aborted by Sam: not tonight');
    expect(report.leftBehind).toEqual([]);
    expect([...gates].filter((id) => id !== gate)).toEqual([]);
    const told = fake.world.published.flatMap(({ notification }) => (notification.kind === 'note' ? [notification.text] : []));
    expect(told.filter((text) => text === 'Abort requested by Sam: not tonight.')).toHaveLength(1);
    const names = fake.world.calls.map(({ name }) => name);
    if (cleanup !== undefined) expect(names).toContain(cleanup);
    if (never !== undefined) expect(names).not.toContain(never);
    expect(inputs(fake.world, 'writeRecord')).toMatchObject([{ report: { outcome: 'aborted' } }]);
  });
});
