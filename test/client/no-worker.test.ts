/** Upgrades against a real Temporal server on which nobody works, and against none. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { freePorts } from '../../rehearsal/processes/free-port.ts';
import { connectUpgrades, createUpgrades, type Upgrades, type UpgradesSettings } from '../../client/upgrades-client.ts';
import { eventually } from '../support/eventually.ts';
import { startTemporal } from '../support/temporal.ts';
import { CLUSTER, status, WORKFLOW_ID } from '../slack/fixtures.ts';

const SAM = { kind: 'slack', id: 'U0SAM', name: 'sam' } as const;
const GATE = { gateId: 'before:control-plane@1.32#1', choice: 'approve', actor: SAM, revision: 3 };
const KEPT = {
  reply: { accepted: true, message: 'Recorded; no worker has answered yet, and it is applied as soon as one does.' },
  how: 'kept',
};

let env: TestWorkflowEnvironment;
let upgrades: Upgrades;

const SETTINGS: UpgradesSettings = {
  resolveCluster(name) {
    if (name === 'unknown') throw new Error('belay.yaml: no cluster "unknown"; there are: staging');
    return { ...CLUSTER, name };
  },
  checkStart(name) {
    if (name === 'nobody') throw new Error('belay.yaml: approvals: names nobody who may decide');
  },
  taskQueue: 'nobody-works-here',
  planWithinMs: 600,
  withinMs: 400,
};

function over(client: Client): Upgrades {
  return createUpgrades({ client, ...SETTINGS });
}

async function started(workflowId: string): Promise<string> {
  const handle = await env.client.workflow.start('upgradeCluster', { workflowId, taskQueue: 'nobody-works-here', args: [] });
  return handle.firstExecutionRunId;
}

/** A run that has ended, by a worker that is gone since. */
async function endedWith(workflowId: string, result: unknown, type = 'upgradeCluster'): Promise<void> {
  const taskQueue = `ends-${workflowId}-${type}`;
  await env.client.workflow.start(type, { workflowId, taskQueue, args: [] });
  const { workflowService, options } = env.client;
  const { namespace } = options;
  const poll = () => workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: taskQueue } });
  const { taskToken } = await env.client.withDeadline(Date.now() + 20_000, poll);
  const payloads = [defaultPayloadConverter.toPayload(result)];
  const commandType = proto.temporal.api.enums.v1.CommandType.COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION;
  const commands = [{ commandType, completeWorkflowExecutionCommandAttributes: { result: { payloads } } }];
  await workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, commands });
}

/** Names and payloads of the signals that the server holds. */
async function signals(workflowId: string): Promise<{ name: string; input: unknown }[]> {
  const { events } = await env.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) => {
    const data = signal?.input?.payloads?.[0]?.data;
    return signal?.signalName == null || data == null ? [] : [{ name: signal.signalName, input: JSON.parse(Buffer.from(data).toString()) }];
  });
}

async function took<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const before = performance.now();
  const result = await work();
  return { result, ms: performance.now() - before };
}

beforeAll(async () => {
  env = await startTemporal();
  upgrades = over(env.client);
});

afterAll(async () => {
  await env.teardown();
});

describe('no worker', () => {
  test('T4 S25: a decision is kept as a signal with the same payload, and the clicker is told, not left waiting', async () => {
    const run = await started(WORKFLOW_ID);
    const patient = createUpgrades({ client: env.client, ...SETTINGS, withinMs: undefined });
    const { result, ms } = await took(() => patient.decide({ ...GATE, workflowId: WORKFLOW_ID, run, reason: 'fine' }));
    expect(result).toEqual(KEPT);
    expect(ms).toBeLessThan(10_000);
    const { gateId, choice } = GATE;
    const input = { gateId, decisionId: 'before:control-plane@1.32#1:U0SAM:approve:3', actor: SAM, choice, reason: 'fine', run };
    expect(await signals(WORKFLOW_ID)).toEqual([{ name: 'gateDecision', input }]);
  });

  test('a cluster and a gate are enough to find the workflow that waits: the parent’s, or the step’s own', async () => {
    const parent = 'eks-upgrade/111122223333/eu-west-1/derived';
    await started(parent);
    await started(`${parent}/istio@1.32`);
    expect(await upgrades.decide({ ...GATE, cluster: 'derived' })).toEqual(KEPT);
    expect(await upgrades.decide({ ...GATE, cluster: 'derived', gateId: 'wave:istio@1.32/1#1' })).toEqual(KEPT);
    expect((await signals(parent)).length).toBe(1);
    expect((await signals(`${parent}/istio@1.32`)).length).toBe(1);
    await expect(upgrades.decide({ ...GATE, cluster: 'derived', gateId: 'nonsense' })).rejects.toMatchObject({ code: 'invalid' });
  });

  test('pause, resume, abort and a pace are kept likewise', async () => {
    const workflowId = 'eks-upgrade/111122223333/eu-west-1/controlled';
    await started(workflowId);
    for (const verb of ['pause', 'resume', 'abort'] as const) {
      expect(await upgrades[verb]({ cluster: 'controlled', actor: SAM, reason: 'why', requestId: 'x' })).toEqual(KEPT);
    }
    expect(await upgrades.pace({ cluster: 'controlled', pace: 'freeze', actor: SAM, reason: 'why', requestId: 'x' })).toEqual(KEPT);
    expect((await signals(workflowId)).map(({ name, input }) => [name, input])).toEqual([
      ['pauseRequested', { actor: SAM, reason: 'why' }],
      ['resumeRequested', { actor: SAM, reason: 'why' }],
      ['abortRequested', { actor: SAM, reason: 'why' }],
      ['paceRequested', { actor: SAM, reason: 'why', pace: 'freeze' }],
    ]);
  });

  test('S14: a button of an earlier run changes nothing', async () => {
    const workflowId = 'eks-upgrade/111122223333/eu-west-1/again';
    const earlier = await started(workflowId);
    await env.client.workflow.getHandle(workflowId).terminate('over');
    await started(workflowId);
    expect(await upgrades.decide({ ...GATE, workflowId, run: earlier })).toEqual({
      reply: { accepted: false, message: 'This button belongs to an earlier run that has ended, so nothing was changed.' },
      how: 'answered',
    });
    expect(await signals(workflowId)).toEqual([]);
  });

  test('a workflow that is gone is said to be', async () => {
    await expect(upgrades.decide({ ...GATE, cluster: 'never-started' })).rejects.toMatchObject({
      code: 'not-running',
      message: 'This gate is closed: its step has ended, so nothing was changed.',
    });
    await expect(upgrades.pause({ cluster: 'never-started', actor: SAM })).rejects.toMatchObject({
      code: 'not-running',
      message: 'No upgrade of never-started is running, so there is nothing to pause.',
    });
    const workflowId = 'eks-upgrade/111122223333/eu-west-1/ended';
    const run = await started(workflowId);
    await env.client.workflow.getHandle(workflowId).terminate('over');
    await expect(upgrades.decide({ ...GATE, workflowId, run })).rejects.toMatchObject({ code: 'not-running' });
  });

  test('status is what Temporal knows, and says why only that', async () => {
    await env.client.workflow.start('upgradeCluster', {
      workflowId: 'eks-upgrade/111122223333/eu-west-1/known',
      taskQueue: 'nobody-works-here',
      args: [],
      searchAttributes: { BelayTarget: ['1.32'], BelayRequestedBy: ['alex'], BelayPhase: ['control-plane@1.32'] },
    });
    const answer = await upgrades.status('known');
    expect(answer).toMatchObject({
      source: 'visibility',
      why: 'No worker on task queue nobody-works-here answered within 0.4 s, so only what Temporal knows is available. Start one with "belay worker".',
      status: { cluster: 'known', target: '1.32', phase: 'control-plane@1.32', requestedBy: 'alex', execution: 'RUNNING' },
    });
    await expect(upgrades.status('never-started')).rejects.toMatchObject({ code: 'not-running' });
  });

  test('how a run ended is its result, which no worker is needed for', async () => {
    const report = { outcome: 'completed', status: status({ state: 'completed', endedAt: '2026-03-03T13:00:00.000Z' }) };
    await endedWith('eks-upgrade/111122223333/eu-west-1/over', report);
    expect(await upgrades.status('over')).toEqual({ source: 'workflow', status: report.status });
    await endedWith('eks-upgrade/111122223333/eu-west-1/odd', 'no report');
    expect(await upgrades.status('odd')).toMatchObject({ source: 'visibility', status: { execution: 'COMPLETED' } });
  });

  test('a repair that has run under the same id since hides neither the upgrade before it nor that there was none', async () => {
    const report = { outcome: 'completed', status: status({ state: 'completed', endedAt: '2026-03-03T13:00:00.000Z' }) };
    const [repaired, alone] = ['repaired', 'alone'].map((name) => `eks-upgrade/111122223333/eu-west-1/${name}`);
    await endedWith(repaired ?? '', report);
    for (const id of [repaired, alone]) await endedWith(id ?? '', { applied: true, items: [], unseen: [] }, 'reconcileCluster');
    const answer = await eventually('Temporal lists the upgrade', async () => await upgrades.status('repaired').catch(() => undefined));
    expect(answer).toEqual({ source: 'workflow', status: report.status });
    await expect(upgrades.status('alone')).rejects.toMatchObject({ code: 'not-running' });
  });

  test('a gate of a step’s own is what the run waits for', async () => {
    const workflowId = 'eks-upgrade/111122223333/eu-west-1/waves';
    await started(workflowId);
    await env.client.workflow.start('istio', {
      workflowId: `${workflowId}/istio@1.32`,
      taskQueue: 'nobody-works-here',
      args: [],
      searchAttributes: { BelayWaitingFor: ['wave:istio@1.32/1-28.1#1'] },
    });
    const listed = async (): Promise<string | undefined> =>
      (await upgrades.list()).find((run) => run.workflowId === workflowId)?.waitingFor;
    // Visibility follows within a moment.
    for (let tries = 0; tries < 40 && (await listed()) === undefined; tries += 1) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await listed()).toBe('wave:istio@1.32/1-28.1#1');
    expect((await upgrades.status('waves')).status).toMatchObject({ waitingFor: 'wave:istio@1.32/1-28.1#1' });
  });

  test('a plan says that nobody works, and nothing is started', async () => {
    const request = { cluster: 'unplanned', target: '1.32', requestedBy: SAM };
    const expected = { code: 'no-worker', message: 'No worker answers on task queue nobody-works-here: start one with "belay worker".' };
    await expect(upgrades.plan(request)).rejects.toMatchObject(expected);
    await expect(upgrades.start(request)).rejects.toMatchObject(expected);
    await expect(upgrades.status('unplanned')).rejects.toMatchObject({ code: 'not-running' });
  });

  test('T17: a second start names the target, the state and who asked for the first', async () => {
    await env.client.workflow.start('upgradeCluster', {
      workflowId: 'eks-upgrade/111122223333/eu-west-1/busy',
      taskQueue: 'nobody-works-here',
      args: [],
      searchAttributes: { BelayTarget: ['1.32'], BelayRequestedBy: ['alex'], BelayWaitingFor: ['before:bake@1.32#1'] },
    });
    await expect(upgrades.start({ cluster: 'busy', target: '1.33', requestedBy: SAM })).rejects.toMatchObject({
      code: 'already-running',
      message: expect.stringMatching(
        /^busy is already being upgraded to 1\.32 \(before:bake@1\.32#1\), requested by alex at \d{4}-.*Z\. See "belay status busy"\.$/,
      ),
    });
  });

  test.each([
    [{ cluster: 'staging', target: 'latest', requestedBy: SAM }, '"latest" is not a Kubernetes minor version. Write one such as 1.33.'],
    [{ cluster: 'unknown', target: '1.33', requestedBy: SAM }, 'belay.yaml: no cluster "unknown"; there are: staging'],
    [{ cluster: 'nobody', target: '1.33', requestedBy: SAM }, 'belay.yaml: approvals: names nobody who may decide'],
  ])('bad input is refused before anything is asked: %j', async (request, message) => {
    await expect(upgrades.start(request)).rejects.toMatchObject({ code: 'invalid', message });
  });
});

describe('no Temporal', () => {
  test('T6: every call names the address and the fix, within three seconds', async () => {
    const [port] = await freePorts(1);
    const address = `127.0.0.1:${port}`;
    const connected = connectUpgrades({ ...SETTINGS, address });
    const patient = connectUpgrades({ ...SETTINGS, withinMs: undefined, address });
    const away = connected.upgrades;
    const expected = {
      code: 'unreachable',
      message: `Temporal at 127.0.0.1:${port} does not answer. Start it, or set TEMPORAL_ADDRESS to a running server.`,
    };
    try {
      const calls = [
        () => patient.upgrades.decide({ ...GATE, cluster: 'staging' }),
        () => away.decide({ ...GATE, cluster: 'staging', run: 'r' }),
        () => away.abort({ cluster: 'staging', actor: SAM }),
      ];
      for (const call of calls) {
        const { result, ms } = await took(() => call().catch((error: unknown) => error));
        expect(result).toMatchObject(expected);
        expect(ms).toBeLessThan(10_000);
      }
      await expect(away.status('staging')).rejects.toMatchObject(expected);
      await expect(away.plan({ cluster: 'staging', target: '1.32', requestedBy: SAM })).rejects.toMatchObject(expected);
    } finally {
      await Promise.all([connected.close(), patient.close()]);
    }
  });

  test('a namespace that does not exist is named', async () => {
    const client = new Client({ connection: env.connection, namespace: 'nowhere' });
    await expect(over(client).list()).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('has no namespace "nowhere"'),
    });
  });
});
