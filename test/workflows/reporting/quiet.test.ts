/** What a run of a campaign says outside of its thread. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Notification } from '../../../domain/run/notifications.ts';
import { quieted } from '../../../workflows/reporting/quiet.ts';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const ASK = { component: 'control-plane', name: 'prod', version: '1.34', managedBy: 'terraform' } as const;

test.each<[string, Notification, boolean]>([
  ['a warning', { kind: 'note', level: 'warning', text: 'A step is slow.', broadcast: true }, false],
  ['what is only told', { kind: 'note', level: 'info', text: 'Planned.', broadcast: true }, false],
  ['an alarm', { kind: 'note', level: 'alarm', text: 'The freeze was reverted.', broadcast: true }, true],
  ['a change that somebody is to make', { kind: 'note', level: 'info', text: 'Merge it.', ask: ASK, broadcast: true }, true],
])('%s', (_what, notification, isBroadcast) => {
  expect('broadcast' in quieted(notification)).toBe(isBroadcast);
});

test('a run of a campaign asks for the settings of its campaign, and is told as quiet from its board to its good end; gates stay as they are', async () => {
  const policy = quickPolicy({ channel: 'C1', stakeholders: 'C2' });
  const { activities } = fakeActivities({ policy, plan: plan(['pre-checks']) });
  const asked: unknown[] = [];
  const told: Notification[] = [];
  const all = {
    ...activities,
    loadPolicy: async (input: Parameters<typeof activities.loadPolicy>[0]) => {
      asked.push(input.campaign);
      return { ...(await activities.loadPolicy(input)), quiet: true as const };
    },
    publish: async (input: Parameters<typeof activities.publish>[0]) => {
      told.push(...input.messages.map(({ notification }) => notification));
      return await activities.publish(input);
    },
  };
  await withUpgrade(env, all, (run) => run.finish(approveAll), { campaign: { name: 'to-1-32', ring: 'dev' } });
  expect(asked).toEqual(['to-1-32']);
  const ofKind = (kind: Notification['kind']): Notification[] => told.filter((each) => each.kind === kind);
  expect(ofKind('board').length).toBeGreaterThan(0);
  for (const each of [...ofKind('board'), ...ofKind('report')]) expect(each).toMatchObject({ quiet: true });
  expect(ofKind('gate').length).toBeGreaterThan(0);
  expect(ofKind('report')).toHaveLength(1);
});
