/** A control plane that goes back under a run, after its bake: no later step begins on it, and people decide as they do in the bake. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { ApplicationFailure } from '@temporalio/common';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import type { UnrequestedRollback } from '../../../domain/run/unrequested-rollback.ts';
import { count, type FakeWorld, fakeActivities, inputs, quickPolicy, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { choosing, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const DESCENT: UnrequestedRollback = { updateId: 'u-stale', to: '1.31', beganAt: '2026-11-02T09:12:30.000Z', ended: false };
const SAYS = 'EKS is rolling the control plane back to 1.31 (update u-stale, started 2026-11-02 09:12 UTC); this run did not request it.';
const policy = quickPolicy({ channel: 'C0UPGRADES' });
const steps = plan(['pre-checks', 'control-plane', 'bake', 'node-groups', 'validation']);

/** The control plane goes back as soon as `from` says so. */
function going(
  from: () => boolean,
  descent: UnrequestedRollback,
  change: Partial<BelayActivities> = {},
): { world: FakeWorld; activities: BelayActivities } {
  const fake = fakeActivities({ policy, plan: steps });
  return {
    world: fake.world,
    activities: withChange(fake, { findUnrequestedRollback: async () => (from() ? { descent } : {}), ...change }),
  };
}

describe('a control plane that somebody takes back', () => {
  test('before a step: it is said at the gate, the step does not begin, and abort is offered, but no skip', async () => {
    const fake = going(() => true, DESCENT);
    await withUpgrade(env, fake.activities, async (run) => {
      const report = await run.finish(choosing({ 'failed:node-groups@1.32#1': 'abort' }));
      expect(report.outcome).toBe('aborted');
      expect(count(fake.world, 'startNodeGroupUpdate')).toBe(0);
      expect(inputs(fake.world, 'findUnrequestedRollback')[0]).toMatchObject({ at: '1.32' });
      const gates = report.decisions.map(({ gate }) => gate);
      const before = gates.find(({ id }) => id.startsWith('before:node-groups'));
      expect(before?.evidence[0]).toMatchObject({
        title: 'FAILED: the control plane is being, or was, rolled back',
        lines: [SAYS, expect.anything()],
      });
      const failed = gates.find(({ id }) => id.startsWith('failed:'));
      expect(failed?.choices.map(({ id, label }) => `${id}: ${label}`).slice(0, 2)).toEqual(['retry: Fixed: continue', 'abort: Abort']);
      expect(failed?.choices.map(({ id }) => id)).not.toContain('skip');
      expect(failed?.evidence.flatMap(({ lines }) => lines).join('\n')).toContain(SAYS);
      expect(failed?.evidence.flatMap(({ lines }) => lines).join('\n')).toContain('aws cloudtrail lookup-events --region eu-central-1');
    });
  });

  test('while a step runs that fails for it: the gate says why, beside what failed', async () => {
    let begun = false;
    const fake = going(() => begun, DESCENT, {
      startNodeGroupUpdate: async () => {
        begun = true;
        return { updateId: 'u-2', adopted: false, alreadyThere: false };
      },
      awaitUpdate: async ({ resource }) => ({ status: resource.kind === 'cluster' ? 'Successful' : 'Failed', errors: [] }),
    });
    await withUpgrade(env, fake.activities, async (run) => {
      const report = await run.finish(choosing({ 'failed:node-groups@1.32#1': 'abort' }));
      const failed = report.decisions.map(({ gate }) => gate).find(({ id }) => id.startsWith('failed:'));
      expect(failed?.evidence[0]?.lines[0]).toMatch(/Failed.*EKS is rolling the control plane back to 1\.31/i);
      expect(failed?.choices.map(({ id }) => id)).not.toContain('skip');
    });
  });

  test('once it is up again, "Fixed: continue" continues', async () => {
    let looks = 0;
    const fake = going(() => (looks += 1) === 2, { ...DESCENT, ended: true });
    await withUpgrade(env, fake.activities, async (run) => {
      const report = await run.finish(choosing({ 'failed:node-groups@1.32#1': 'retry' }));
      expect(report.outcome).toBe('completed');
      const failed = report.decisions.map(({ gate }) => gate).find(({ id }) => id.startsWith('failed:'));
      expect(failed?.evidence[0]?.lines[0]).toContain('EKS has rolled the control plane back to 1.31');
    });
  });

  test('that cannot be looked at is not taken for one that stays: the step waits for people', async () => {
    const fake = going(() => false, DESCENT, {
      findUnrequestedRollback: async () => {
        throw ApplicationFailure.nonRetryable('listing updates: not permitted: eks:ListUpdates', 'AccessDenied');
      },
    });
    await withUpgrade(env, fake.activities, async (run) => {
      const report = await run.finish(choosing({ 'failed:node-groups@1.32#1': 'abort' }));
      const gates = report.decisions.map(({ gate }) => gate);
      expect(gates.find(({ id }) => id.startsWith('before:node-groups'))?.evidence[0]?.title).toContain('UNKNOWN');
      expect(gates.find(({ id }) => id.startsWith('failed:'))?.evidence[0]?.lines[0]).toContain('eks:ListUpdates');
      expect(count(fake.world, 'startNodeGroupUpdate')).toBe(0);
    });
  });
});
