/** A guard that outlives its run tells who has no Slack: webhook and mail by real servers, `belay logs` and `belay status` by a real Temporal. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { gateIn } from '../../../../client/reading/open-gate.ts';
import { listAll, readStatus } from '../../../../client/reading/status.ts';
import { readThread } from '../../../../client/reading/thread-log.ts';
import { NO_SLACK } from '../../../../domain/policy/policy.ts';
import { abortUpgrade, extendGate } from '../../../../workflows/contract/messages.ts';
import { eventually } from '../../../support/eventually.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { fakeActivities, quickPolicy, sleepBeating, withChange } from '../../../support/fake-activities.ts';
import { plan } from '../../../support/plan.ts';
import { elsewhere, TOLD_ELSEWHERE } from '../../../support/receivers.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { ALEX, approveAll, type Decider, type RunningUpgrade, SAM, withUpgrade } from '../../../support/upgrade.ts';

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

/** People are asked again so soon. */
const REMINDER_MS = 4_000;
const KEPT = 'kept:freeze-drift@1.32';
const notYet: Decider = (gate, seen) => (gate.id.startsWith('before:karpenter-drift') ? undefined : approveAll(gate, seen));

/** A run whose control plane has moved and whose nodes have not: aborted there, it keeps its freeze. */
function lagging(channel: string) {
  const policy = quickPolicy({ channel, deliveries: TOLD_ELSEWHERE, temporalUi: 'https://temporal.example' });
  const fake = fakeActivities({
    plan: plan(['freeze-drift', 'control-plane', 'karpenter-drift']),
    policy: { ...policy, timing: { ...policy.timing, freezeReminderMs: REMINDER_MS } },
  });
  fake.world.nodes = { '1.31': 5 };
  let isReverted = false;
  const activities = withChange(fake, {
    deliverEvents: there.deliverEvents,
    // Whoever looks sees it, a watcher too that has not heard yet that it is called back.
    watchFreeze: async () => {
      while (!isReverted) await sleepBeating(20);
      return { intact: false, reverted: ['default'], pools: ['default'] };
    },
    freezeDrift: (input) => {
      isReverted = false;
      return fake.activities.freezeDrift(input);
    },
  });
  return { activities, revert: () => void (isReverted = true) };
}

async function abort(run: RunningUpgrade): Promise<void> {
  await run.until(({ gates }) => gates.some(({ id }) => id.startsWith('before:karpenter-drift')), notYet);
  await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: ALEX, reason: 'another day' }] });
}

const guardOf = (run: RunningUpgrade) => env.client.workflow.getHandle(`${run.workflowId}/freeze-drift@1.32`);
const clusterOf = ({ workflowId }: RunningUpgrade) => ({ ...CLUSTER, name: workflowId.split('/').at(-1) ?? '' });

test('a kept freeze: each question, alarm, decision and its end is told once, and can be read and decided without Slack', async () => {
  const { activities, revert } = lagging(NO_SLACK);
  await withUpgrade(env, activities, async (run) => {
    const listed = async () => (await listAll(env.client)).keptFreezes.filter(({ workflowId }) => workflowId === run.workflowId);
    await run.until(({ gates }) => gates.some(({ id }) => id.startsWith('before:karpenter-drift')), notYet);
    // As long as the run goes on, it answers for its freeze.
    expect(await listed()).toEqual([]);
    await abort(run);
    expect((await run.finish(notYet)).leftBehind).toMatchObject([{ what: 'Karpenter drift freeze', kept: true }]);
    const key = (what: string): boolean => there.keys().includes(`gate/${KEPT}${what}`);
    await eventually('that it is asked', () => key('#1/opened'));
    await guardOf(run).executeUpdate(extendGate, { args: [{ gateId: `${KEPT}#1`, byMs: 1_000, actor: SAM, reason: 'so late' }] });
    revert();
    await eventually('more time', () => there.keys().some((each) => each.startsWith(`gate/${KEPT}#1/extended/`)));
    // Asked again, which the run, over by now, never hears.
    await eventually('the second question', () => key('#1/expired') && key('#2/opened'));
    // A gate that is decided before its mail is sent is told as decided alone.
    await eventually(
      'its mail',
      () => there.subjects().filter((subject) => subject.includes('decision needed: Karpenter drift')).length === 2,
    );

    // What `belay status` lists without a cluster.
    await eventually('the kept freeze in the list', async () => (await listed()).length > 0);
    const { runId } = await run.handle.describe();
    expect(await listed()).toMatchObject([{ runId, target: '1.32', waitingFor: expect.stringContaining(KEPT) }]);

    const answer = await eventually('the gate in the status', async () => {
      const found = await readStatus(env.client, { resolveCluster: () => clusterOf(run) }, clusterOf(run));
      return found.source === 'workflow' && found.status.gates.some(({ id }) => id === `${KEPT}#2`) && found;
    });
    expect(answer.source === 'workflow' ? answer.status.gates.map(({ id }) => id) : []).toEqual([`${KEPT}#2`]);
    // As the event says: belay decide CLUSTER 'GATE' CHOICE.
    expect(gateIn(answer, `${KEPT}#2`, 'lift-and-roll')).toMatchObject({ workflowId: `${run.workflowId}/freeze-drift@1.32`, revision: 1 });
    await run.decide(`${KEPT}#2`, 'lift-and-roll', { reason: 'nobody is on the old nodes' });
    await guardOf(run).result();
    await eventually('nothing is kept any more', async () => (await listed()).length === 0);
    await eventually(
      'its end',
      () => key('#2/decided') && there.received.some(({ data }) => data.note?.text.includes('The freeze is lifted')),
    );
    await eventually('the mail of its end', () => there.subjects().some((subject) => subject.includes('Lift and roll by Sam')));

    const last = there.received.find(({ data }) => data.key === `gate/${KEPT}#2/opened`);
    expect(last?.data).toMatchObject({
      cluster: { name: 'prod' },
      run: { workflowId: run.workflowId, from: '1.31', to: '1.32', requestedBy: { id: 'U0ALEX' } },
      links: { temporal: expect.stringContaining('freeze-drift') },
      gate: { command: `belay decide prod '${KEPT}#2' CHOICE --reason "…"` },
    });
    const alarm = await eventually('the alarm', () => there.received.find(({ type }) => type === 'dev.belay.note.alarm'));
    expect(alarm.data.note?.text).toContain('the drift freeze was reverted on default');
    // Nothing twice, whether the run told it or the guard did.
    expect(there.keys()).toEqual([...new Set(there.keys())]);
    const mailed = there.subjects().filter((subject) => subject.includes('Karpenter drift is frozen') || subject.includes('ALARM'));
    expect(mailed).toEqual([
      'prod: decision needed: Karpenter drift is frozen on prod: keep it frozen?',
      expect.stringMatching(/^prod: ALARM: the drift freeze was reverted on default/),
      'prod: nobody decided in time: Karpenter drift is frozen on prod: keep it frozen?',
      'prod: decision needed: Karpenter drift is frozen on prod: keep it frozen?',
      'prod: Lift and roll by Sam: Karpenter drift is frozen on prod: keep it frozen?',
    ]);

    // What `belay logs` shows.
    const logged: string[] = [];
    for await (const { notification } of readThread(env.client, clusterOf(run))) logged.push(JSON.stringify(notification));
    for (const words of ['the drift freeze was reverted', `${KEPT}#2`, 'The freeze is lifted (Lift and roll was chosen)'])
      expect(logged.some((each) => each.includes(words))).toBe(true);
  });
});

test('what the guard tells while the run waits for a Slack that is away is an event as well', async () => {
  const { activities } = lagging('C1');
  const away = { ...activities, publish: () => Promise.reject(failureOf('Unavailable', 'posting board to C1: Slack is away')) };
  await withUpgrade(env, away, async (run) => {
    await abort(run);
    await run.until(({ endedAt }) => endedAt !== undefined, notYet);
    await eventually('the report', () => there.keys().includes('upgrade/finished'));
    // The run is not over: it waits for Slack, and hears what the guard says.
    expect((await run.handle.describe()).status.name).toBe('RUNNING');
    await eventually('the second question', () => there.keys().includes(`gate/${KEPT}#2/opened`));
    expect((await run.handle.describe()).status.name).toBe('RUNNING');
    await guardOf(run).terminate('end of test');
  });
});
