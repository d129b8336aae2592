/** What comes at one moment goes out together: a history has its limits, and people read one message rather than three. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultPayloadConverter } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import type { PublishManyInput } from '../../../domain/run/notifications.ts';
import type { ChildProgress } from '../../../workflows/contract/messages.ts';
import { fakeActivities, inputs, quickPolicy } from '../../support/fake-activities.ts';
import { plan, step } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const WAVE = 'wave:istio@1.32/1-28.1#1';

/** Two waves of Istio, and what comes of them: events of all histories, what steps told the run, what went to Slack. */
async function told(change: Partial<UpgradePolicy>) {
  const base = plan(['istio', 'add-ons-target']);
  const steps = base.steps.map((each) =>
    each.params.phase === 'istio' ? step('istio', { params: { ...each.params, judgedBy: 'prometheus' } }) : each,
  );
  const { world, activities } = fakeActivities({ plan: { ...base, steps }, policy: quickPolicy(change) });
  return await withUpgrade(env, activities, async (run) => {
    expect((await run.finish()).outcome).toBe('completed');
    const histories = await Promise.all(
      ['', '/istio@1.32', '/add-ons-target@1.32'].map((id) => env.client.workflow.getHandle(`${run.workflowId}${id}`).fetchHistory()),
    );
    const signals = (histories[0]?.events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) =>
      signal?.signalName === 'childProgress' && signal.input?.payloads?.[0] != null
        ? [defaultPayloadConverter.fromPayload<ChildProgress>(signal.input.payloads[0])]
        : [],
    );
    return {
      eventCount: histories.reduce((sum, { events }) => sum + (events?.length ?? 0), 0),
      signals,
      audit: world.audit,
      published: inputs(world, 'publish') as PublishManyInput[],
    };
  });
}

describe('a run', () => {
  test('hears in one signal what people decide at a gate of a step and what the step does next', async () => {
    const { signals } = await told({});
    const closed = signals.filter(({ gateClosed }) => gateClosed?.gate.id === WAVE);
    expect(closed).toHaveLength(1);
    expect(closed[0]).toMatchObject({ state: 'running', note: 'Moving wave 2 of 2 to 1-28: pay, web.' });
    expect(closed[0]?.audit?.map(({ kind }) => kind).toSorted()).toEqual(['closed', 'vote']);
    expect(closed[0]?.say?.map(({ key }) => key)).toEqual([`gate/${WAVE}`]);
  });

  test('tells people in one activity: the gate that is closed, and the board as it is by then', async () => {
    const { published } = await told({});
    const first = published.find(({ messages }) =>
      messages.some(
        ({ notification }) => notification.kind === 'gate' && notification.state.kind === 'decided' && notification.state.gate.id === WAVE,
      ),
    );
    expect(first?.messages.map(({ key }) => key)).toEqual(expect.arrayContaining([`gate/${WAVE}`, 'board']));
    const board = first?.messages.find(({ key }) => key === 'board')?.notification;
    expect(JSON.stringify(board)).toContain('Moving wave 2 of 2 to 1-28: pay, web.');
  });

  test('hears with the result what a step had left to tell; nothing of it is lost', async () => {
    const { signals, audit } = await told({});
    expect(signals.filter(({ step: of }) => of === 'add-ons-target@1.32')).toEqual([]);
    expect(audit.filter(({ kind, step: of }) => kind === 'change' && of === 'add-ons-target@1.32')).not.toEqual([]);
  });
});
