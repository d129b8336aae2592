/** Several people steer a run at the same moment, while others look at its status: what their messages bring about replays, whatever took how long. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { Actor } from '../../../../domain/gates/actor.ts';
import {
  attemptRefused,
  extendRequested,
  gateDecision,
  handOverRequested,
  pauseRequested,
  resumeRequested,
} from '../../../../workflows/contract/messages.ts';
import { count, fakeActivities, withChange } from '../../../support/fake-activities.ts';
import { plan } from '../../../support/plan.ts';
import { startTemporal, workflowBundle } from '../../../support/temporal.ts';
import { ALEX, SAM, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const GATE = 'before:pre-checks@1.32#1';
const RIN: Actor = { kind: 'slack', id: 'U0RIN', name: 'Rin' };
const EVE: Actor = { kind: 'slack', id: 'U0EVE', name: 'Eve' };

test.each([[[0]], [[300, 10, 200, 50]], [[10, 50, 200, 300]], [[5]], [[1, 3]], [[2, 8]]])(
  'six messages at once, rights read in %j ms',
  async (delaysMs) => {
    const fake = fakeActivities({ plan: plan(['pre-checks']) });
    let reads = 0;
    const activities = withChange(fake, {
      readApprover: async (input) => {
        await new Promise((resolve) => setTimeout(resolve, delaysMs[(reads += 1) % delaysMs.length]));
        return fake.activities.readApprover(input);
      },
    });
    await withUpgrade(env, activities, async (run) => {
      await run.until(({ gates }) => gates.length > 0);
      const before = count(fake.world, 'readApprover');
      let isOver = false;
      const looking = (async () => {
        while (!isOver) await run.status();
      })();
      await Promise.all([
        run.handle.signal(attemptRefused, { id: 'a-1', actor: EVE, tried: 'decide', gate: GATE, choice: 'approve', why: 'no approver' }),
        run.handle.signal(pauseRequested, { actor: ALEX }),
        run.handle.signal(handOverRequested, { actor: ALEX, to: RIN }),
        run.handle.signal(extendRequested, { gateId: GATE, byMs: 60_000, actor: SAM }),
        run.handle.signal(gateDecision, { gateId: GATE, decisionId: 'd-1', actor: EVE, choice: 'approve', planHash: 'f00d' }),
        run.handle.signal(resumeRequested, { actor: ALEX }),
      ]);
      await run.until(({ audit }) => count(fake.world, 'readApprover') >= before + 4 && (audit?.seq ?? 0) >= 8);
      isOver = true;
      await looking;
      const history = await run.handle.fetchHistory();
      const errors: unknown[] = [];
      const replay = Worker.runReplayHistories({ workflowBundle: await workflowBundle() }, [{ workflowId: run.workflowId, history }]);
      for await (const { error } of replay) errors.push(error?.message);
      expect(errors).toEqual([undefined]);
    });
  },
);
