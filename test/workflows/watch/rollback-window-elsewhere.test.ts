/** The clock of the way back tells who has no Slack: webhook and mail by real servers, `belay logs` by a real Temporal; a Slack that is away ends no clock. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import { failureOf } from '../../../activities/runtime/translate-errors.ts';
import { readThread } from '../../../client/reading/thread-log.ts';
import { ROLLBACK_WINDOW_MS, wayBack } from '../../../domain/facts/rollback-window.ts';
import { NO_SLACK } from '../../../domain/policy/policy.ts';
import { rollbackWindowId } from '../../../workflows/contract/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { CLUSTER } from '../../support/facts.ts';
import { fakeActivities, quickPolicy, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { elsewhere, TOLD_ELSEWHERE } from '../../support/receivers.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, type RunningUpgrade, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

let there: Awaited<ReturnType<typeof elsewhere>>;
beforeEach(async () => {
  there = await elsewhere();
});
afterEach(() => there.close());

const MOVED_AT = '2026-11-02T09:00:00.000Z';
const DAY_MS = 24 * 3_600_000;
/** Seven days of EKS in this time. */
const WINDOW_MS = 14_000;

/** A run to 1.32, asked by its clock from this day of the window on. */
function movedUp(channel: string, day: number, change: Partial<BelayActivities> = {}) {
  const policy = quickPolicy({ channel, deliveries: TOLD_ELSEWHERE, temporalUi: 'https://temporal.example' });
  const fake = fakeActivities({
    plan: plan(['pre-checks', 'control-plane']),
    policy: { ...policy, timing: { ...policy.timing, rollbackWindowMs: WINDOW_MS } },
  });
  let startMs: number | undefined;
  return withChange(fake, {
    deliverEvents: there.deliverEvents,
    readRollbackWindow: async () => {
      startMs ??= Date.now();
      const elapsedMs = ((Date.now() - startMs) * ROLLBACK_WINDOW_MS) / WINDOW_MS;
      const now = new Date(Date.parse(MOVED_AT) + day * DAY_MS + elapsedMs).toISOString();
      return { now, back: wayBack('1.32', [{ type: 'VersionUpdate', to: '1.32', createdAt: MOVED_AT }], now) };
    },
    awaitUpdate: async () => ({ status: 'Successful', errors: [], createdAt: MOVED_AT }),
    ...change,
  });
}

const clockOf = ({ workflowId }: RunningUpgrade) => env.client.workflow.getHandle(rollbackWindowId(workflowId));
const rollbacks = (): string[] => there.keys().filter((key) => key.startsWith('rollback/'));
const mailed = (): string[] => there.subjects().filter((subject) => subject.includes('control plane'));

test('that the window closes, and has closed, is told once; mails have what people can still act on', async () => {
  await withUpgrade(env, movedUp(NO_SLACK, 5.5), async (run) => {
    await run.finish();
    expect(await clockOf(run).result()).toBe('closed');
    await eventually('the last event', () => rollbacks().length === 3);
    expect(rollbacks()).toEqual(['rollback/1.32/closing/one-more-day', 'rollback/1.32/closing/one-more-hour', 'rollback/1.32/closed']);
    const [day] = there.received.filter(({ type }) => type === 'dev.belay.rollback.closing');
    expect(day?.data).toMatchObject({
      cluster: { name: 'prod' },
      run: { workflowId: run.workflowId, from: '1.31', to: '1.32', requestedBy: { id: 'U0ALEX' } },
      links: { temporal: expect.stringContaining('rollback-window') },
      rollback: { at: '1.32', backTo: '1.31', until: '2026-11-09T09:00:00.000Z', left: 'one more day' },
    });
    // Without Slack there is no command of Slack's.
    expect(day?.data.rollback?.text).toBe(
      'One more day: EKS can still roll prod back from 1.32 to 1.31 until 2026-11-09 09:00 UTC, once no node is newer than 1.31. `belay rollback prod --dry-run` shows the plan. After that time EKS cannot roll it back.',
    );
    expect(mailed()).toEqual([
      'prod: one more day to roll the control plane back from 1.32 to 1.31',
      'prod: one more hour to roll the control plane back from 1.32 to 1.31',
    ]);
    const logged: string[] = [];
    const cluster = { ...CLUSTER, name: run.workflowId.split('/').at(-1) ?? '' };
    for await (const { notification } of readThread(env.client, cluster)) logged.push(JSON.stringify(notification));
    for (const words of ['One more day: EKS can still roll', 'One more hour: EKS can still roll', 'prod stays at 1.32'])
      expect(logged.filter((each) => each.includes(words))).toHaveLength(1);
  });
});

test('a rollback that nobody requested is an event and a mail', async () => {
  const descent = { updateId: 'u-stale', to: '1.31', ended: false };
  const awaitUnrequestedRollback: BelayActivities['awaitUnrequestedRollback'] = async ({ known }) =>
    known.length === 0 ? descent : Promise.reject(failureOf('Unavailable', 'nobody else'));
  await withUpgrade(env, movedUp(NO_SLACK, 1, { awaitUnrequestedRollback }), async (run) => {
    await run.finish();
    await eventually('the mail', () => mailed().length > 0);
    expect(mailed()).toEqual(['prod: the control plane is rolled back to 1.31, and no run of Belay requested it']);
    expect(rollbacks()).toEqual(['rollback/1.32/unrequested/u-stale']);
    const { rollback } = there.received.find(({ type }) => type === 'dev.belay.rollback.unrequested')?.data ?? {};
    expect(rollback).toMatchObject({
      at: '1.32',
      backTo: '1.31',
      updateId: 'u-stale',
      text: expect.stringContaining('`belay rollback prod` adopts it'),
    });
    await clockOf(run).terminate('end of test');
  });
});

test('a Slack that is away for longer than the clock has holds up nobody, and what it has missed of each is told later', async () => {
  let isAway = true;
  const told: string[] = [];
  const publish: BelayActivities['publish'] = async ({ messages }) => {
    if (isAway) throw failureOf('Unavailable', 'posting to C1: Slack is away');
    told.push(...messages.map(({ notification }) => JSON.stringify(notification)));
    return messages.map(({ key }) => ({ key }));
  };
  await withUpgrade(env, movedUp('C1', 5.5, { publish }), async (run) => {
    await run.until(({ endedAt }) => endedAt !== undefined, approveAll);
    expect(await clockOf(run).result()).toBe('closed');
    expect(rollbacks()).toEqual(['rollback/1.32/closing/one-more-day', 'rollback/1.32/closed']);
    isAway = false;
    for (const words of ['One more day: EKS can still roll', 'prod stays at 1.32'])
      await eventually(words, () => told.some((each) => each.includes(words)));
  });
});
