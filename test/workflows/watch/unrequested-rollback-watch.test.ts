/** The clock of the way back notices a control plane that somebody takes back within the seven days. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import type { UnrequestedRollback } from '../../../domain/run/unrequested-rollback.ts';
import { type VersionChange, wayBack } from '../../../domain/facts/rollback-window.ts';
import { controlPlaneMoved, type RollbackWindowInput, WORKFLOWS } from '../../../workflows/contract/messages.ts';
import { CLUSTER } from '../../support/facts.ts';
import { fakeActivities, inputs, quickPolicy, withChange } from '../../support/fake-activities.ts';
import { startTemporal, startWorker } from '../../support/temporal.ts';
import { stampedNow } from '../../support/stamped.ts';
import { eventually } from '../../support/eventually.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const UP: VersionChange = { type: 'VersionUpdate', to: '1.32', createdAt: '2026-11-02T09:00:00.000Z' };
const NOW = '2026-11-03T09:00:00.000Z';
const DESCENT: UnrequestedRollback = { updateId: 'u-stale', to: '1.31', beganAt: '2026-11-03T08:55:00.000Z', ended: false };

/** EKS: at 1.32 until somebody takes it back. */
class FakeEks {
  descent: UnrequestedRollback | undefined;

  readonly activities: Partial<BelayActivities> = {
    readRollbackWindow: async () => {
      const down = this.descent?.ended === true;
      const changes: VersionChange[] = [UP, ...(down ? [{ type: 'VersionRollback' as const, to: '1.31', createdAt: NOW }] : [])];
      return { now: NOW, back: wayBack(down ? '1.31' : '1.32', changes, NOW) };
    },
    awaitUnrequestedRollback: async ({ known }) => {
      const { descent } = this;
      if (descent !== undefined && (descent.ended || !known.includes(descent.updateId ?? ''))) return descent;
      throw ApplicationFailure.create({ message: 'nobody', type: 'Unavailable', category: ApplicationFailureCategory.BENIGN });
    },
  };
}

type Handle = Awaited<ReturnType<typeof env.client.workflow.start>>;

async function clock(
  eks: FakeEks,
  lock: string,
  main: (handle: Handle, notes: () => string[], looks: () => number) => Promise<void>,
): Promise<void> {
  const policy = quickPolicy({ channel: 'C0UPGRADES', timing: { ...quickPolicy().timing, rollbackWindowMs: 60_000 } });
  const fake = fakeActivities({ policy });
  const taskQueue = `belay-${randomUUID()}`;
  const worker = await startWorker(env, withChange(fake, eks.activities), taskQueue);
  const input: RollbackWindowInput = { cluster: CLUSTER, upgrade: { workflowId: lock, runId: 'run-1' }, policy, at: '1.32' };
  await worker.runUntil(async () => {
    const workflowId = `eks-rollback-window/${randomUUID()}`;
    const handle = await env.client.workflow.start(WORKFLOWS.rollbackWindow, { workflowId, taskQueue, args: [input] });
    const notes = (): string[] =>
      fake.world.published.flatMap(({ notification }) => (notification.kind === 'note' ? [notification.text] : []));
    try {
      await main(handle, notes, () => inputs(fake.world, 'awaitUnrequestedRollback').length);
    } finally {
      await handle.terminate('end of test').catch(() => undefined);
    }
  });
}

describe('the clock of the way back', () => {
  test('tells once who goes back, since when, and what adopts it; and ends when it is back', async () => {
    const eks = new FakeEks();
    await clock(eks, 'eks-upgrade/nobody', async (handle, notes, looks) => {
      await eventually(() => looks() > 1);
      expect(notes()).toEqual([]);
      eks.descent = DESCENT;
      await eventually(() => notes().length > 0);
      eks.descent = { ...DESCENT, ended: true };
      expect(await handle.result()).toBe('rolled-back');
      expect(notes()).toEqual([
        'prod: EKS is rolling the control plane back to 1.31 (update u-stale, started 2026-11-03 08:55 UTC); no run of Belay requested it. ' +
          'A Terraform apply with the older version, even a stale one, causes this: stop such applies. ' +
          '`belay rollback prod` or `/eks-upgrade rollback prod` adopts it, and rolls back nodes and add-ons in the right order; until then they may end up newer than the control plane. ' +
          'EKS does not say who asked; CloudTrail does: aws cloudtrail lookup-events --region eu-central-1 --lookup-attributes AttributeKey=EventName,AttributeValue=UpdateClusterVersion',
      ]);
      // Looks are tried again by the server: they leave nothing in the history.
      expect((await handle.fetchHistory()).events?.length).toBeLessThan(80);
    });
  });

  test('says nothing while a run holds the cluster: it goes back itself, or tells its own thread', async () => {
    const eks = new FakeEks();
    // Any workflow under the lock's id: this one waits as long as its activity does.
    const lock = `eks-upgrade/${randomUUID()}`;
    await env.client.workflow.start(WORKFLOWS.upgrade, { workflowId: lock, taskQueue: 'nobody-works-here', args: [] });
    await clock(eks, lock, async (handle, notes, looks) => {
      eks.descent = DESCENT;
      await eventually(() => looks() > 1);
      eks.descent = { ...DESCENT, ended: true };
      await handle.signal(controlPlaneMoved, stampedNow(controlPlaneMoved, {}));
      expect(await handle.result()).toBe('rolled-back');
      expect(notes()).toEqual([]);
    });
    await env.client.workflow.getHandle(lock).terminate('end of test');
  });
});
