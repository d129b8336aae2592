/**
 * Somebody who reaches Temporal's gRPC port and has no keys starts workflows, has activities done, completes them, and resets runs, by what he can write
 * and by what was recorded. Nothing is changed or assumed by it.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Payload } from '@temporalio/common';
import { twoRoles } from '../../rehearsal/scenarios/two-roles.ts';
import { EFFECTS } from '../../workflows/runtime/activity-effects.ts';
import { RUN_HEADER, TASK_QUEUE } from '../../workflows/contract/ids.ts';
import type { Play } from '../end-to-end/support/play.ts';
import { eventually } from '../support/eventually.ts';
import { hex, plain } from './support/attacker.ts';
import { forged } from './support/forging.ts';
import { done, EVIL_QUEUE, Stage } from './support/stage.ts';
import { WORKFLOW_TYPES } from './support/targets.ts';

const BEFORE_ROLL = 'before:karpenter-drift@1.32#1';

let stage: Stage;
let play: Play;
let isOpen = false;

beforeAll(async () => {
  stage = await Stage.open({ 'small-1': { scenario: twoRoles } });
  await stage.letHimWork();
  play = await stage.theatre.play('small-1', { decide: (gate) => (gate === BEFORE_ROLL && !isOpen ? 'ignore' : undefined) });
  await play.start();
}, 360_000);
afterAll(async () => {
  await play.end();
  await stage.close();
});

test('RS1: no workflow type starts by a payload that anybody without keys can write', async () => {
  const { attacker } = stage;
  const payloads = await forged({ cluster: { name: 'small-1', account: '1', region: 'eu-central-1' } });
  await Promise.all(
    WORKFLOW_TYPES.flatMap((type) => payloads.map(([how, input]): [string, string, Payload[]] => [type, how, input])).map(
      async ([type, how, input]) => {
        const id = `eks-upgrade/1/eu-central-1/forged/${type}/${how}`;
        const runId = await attacker.start(type, id, input, { taskQueue: TASK_QUEUE });
        // It reads nothing that comes with a start, and ends when nothing more has come.
        const expected = ['recordRefusals', 'claimRequest'].includes(type) && how === 'nothing' ? 'COMPLETED' : 'FAILED';
        expect([type, how, await attacker.ending(id, runId)]).toEqual([type, how, expected]);
      },
    ),
  );
  expect(stage.refusals()).toContain('start of upgradeCluster as eks-upgrade/1/eu-central-1/forged/upgradeCluster/plain was refused');
});

test('RS1: an activity that is under way is completed by nothing that was recorded, and the run ends right', async () => {
  const { attacker } = stage;
  await play.gate(BEFORE_ROLL, 90_000);
  const guard = `${play.workflowId}/freeze-drift@1.32`;
  const refusedCount = () => stage.refusals('freeze-drift@1.32').split('result of watchFreeze was refused').length - 1;
  const captured = (await attacker.capture(guard)).map(({ payload }) => payload);
  for (const [index, what] of (['input', 'heartbeat', 'another'] as const).entries()) {
    await eventually('Temporal takes it for the result of a look', async () => {
      const look = (await attacker.underWay(guard)).find(({ type, heartbeat }) => type === 'watchFreeze' && heartbeat.length > 0);
      const payloads = what === 'another' ? captured.slice(-1) : (look?.[what] ?? []);
      return (look !== undefined && (await attacker.complete(guard, look.id, payloads))) || undefined;
    });
    await eventually('it is in the audit record', async () => refusedCount() === index + 1 || undefined);
  }
  isOpen = true;
  expect(await play.closed()).toBe('COMPLETED');
  expect(play.record().outcome).toBe('completed');
  expect(play.controlPlaneUpdates()).toHaveLength(1);
});

test('RS1: recorded starts of its steps start nothing, with no parent and with one of its own id', async () => {
  const { attacker } = stage;
  const before = done(play);
  const steps = (await attacker.history(play.workflowId)).flatMap(
    (event) => event.startChildWorkflowExecutionInitiatedEventAttributes ?? [],
  );
  expect(steps.map(({ workflowType }) => workflowType?.name)).toEqual(expect.arrayContaining(['controlPlane', 'freezeDrift']));
  for (const { workflowType, workflowId, input, header } of steps) {
    const [type, id, [payload]] = [workflowType?.name ?? '', workflowId ?? '', input?.payloads ?? []];
    if (payload == null || type === 'rollbackWindow') continue;
    const fields = header?.fields ?? {};
    const runId = await attacker.start(type, id, [payload], { taskQueue: TASK_QUEUE, fields });
    expect([type, await attacker.ending(id, runId)]).toEqual([type, 'FAILED']);
    const parent = await attacker.start('startStep', play.workflowId, [plain({ type, workflowId: id, input: hex(payload) })], {
      taskQueue: EVIL_QUEUE,
      fields,
    });
    expect([type, await attacker.ending(play.workflowId, parent)]).toEqual([type, 'COMPLETED']);
    expect([type, await attacker.resultOf(play.workflowId, parent)]).toEqual([type, 'refused']);
  }
  expect(done(play)).toEqual(before);
  const alone = `start of controlPlane as ${play.workflowId}/control-plane@1.32 was refused`;
  expect(stage.refusals()).toContain(`${alone}: it was sent in run `);
  expect(stage.refusals()).toMatch(/start of controlPlane as \S+ was refused: it is a step of \S+, and \S+ \(\S+\) has started it\./);
});

test('RS1: an activity of somebody’s own workflow changes nothing, with recorded input and a recorded grant', async () => {
  const { attacker } = stage;
  const before = done(play);
  const step = `${play.workflowId}/control-plane@1.32`;
  const scheduled = (await attacker.history(step, await attacker.firstRun(step))).flatMap(
    (event) => event.activityTaskScheduledEventAttributes ?? [],
  );
  const changing = scheduled.filter(({ activityType }) => Object(EFFECTS)[activityType?.name ?? ''] !== 'reads');
  expect(changing.map(({ activityType }) => activityType?.name)).toContain('startControlPlaneUpdate');
  for (const { activityType, activityId, input, header } of changing) {
    const [payload] = input?.payloads ?? [];
    const { [RUN_HEADER]: _run, ...grantAlone } = header?.fields ?? {};
    // Without the run's header the session would be another one, which no role was assumed for yet.
    for (const [fields, why] of [
      [header?.fields ?? {}, 'which has not started it'],
      [grantAlone, 'which has not started it'],
      [{}, 'it carries no grant'],
    ] as const) {
      const of = { type: activityType?.name ?? '', activityId: activityId ?? '', input: hex(payload ?? {}) };
      const runId = await attacker.start('runActivity', step, [plain(of)], { taskQueue: EVIL_QUEUE, fields });
      expect([of.type, await attacker.ending(step, runId), await attacker.resultOf(step, runId)]).toEqual([
        of.type,
        'COMPLETED',
        'refused',
      ]);
      expect(await stage.whyFailed(step, runId)).toContain(`${of.type} was refused in ${step}: `);
      expect(await stage.whyFailed(step, runId)).toContain(why);
    }
  }
  expect(done(play)).toEqual(before);
});

test('RS1: a run that is reset to before its changes makes none of them again by what was decided before', async () => {
  const { attacker } = stage;
  const before = done(play);
  const run = await attacker.firstRun(play.workflowId);
  const [first] = (await attacker.history(play.workflowId, run)).filter((event) => event.workflowTaskCompletedEventAttributes != null);
  if (first === undefined) throw new Error('a run has tasks');
  const again = await attacker.reset(play.workflowId, run, first);
  expect(['COMPLETED', 'FAILED']).toContain(await attacker.ending(play.workflowId, again));
  expect(done(play)).toEqual(before);
});
