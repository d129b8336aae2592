/** Upgrades against a real Temporal server with a worker. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import type { PlanResult } from '../../domain/plan/model/types.ts';
import type { PlanWindows } from '../../domain/policy/windows.ts';
import { createUpgrades, type Upgrades } from '../../client/upgrades-client.ts';
import type { UpgradeInput } from '../../workflows/contract/messages.ts';
import { startTemporal } from '../support/temporal.ts';
import { CLUSTER, plan } from '../slack/fixtures.ts';

const SAM = { kind: 'slack', id: 'U0SAM', name: 'sam' } as const;
const GATE = { gateId: 'before:control-plane@1.32#1', choice: 'approve', actor: SAM, revision: 3 };
const QUEUE = 'slack-upgrades';

let env: TestWorkflowEnvironment;
let worker: Worker;
let running: Promise<void>;
let upgrades: Upgrades;
const planned: UpgradeInput[] = [];

/** What belay.yaml says about a start outside the windows, by cluster. */
const OUTSIDE: Record<string, PlanWindows['outside']> = { 'window-refuses': 'refuse', 'window-queues': 'queue' };
const CLOSED: PlanWindows['verdict'] = {
  kind: 'closed',
  why: 'it is Thu 13:00 UTC, outside the maintenance windows (Sat 22:00–04:00 UTC)',
  now: '2026-01-15T13:00:00.000Z',
  opensAt: '2026-01-17T22:00:00.000Z',
  opensText: 'Sat 2026-01-17 22:00 UTC',
};

function makePlan(input: UpgradeInput): Promise<PlanResult> {
  planned.push(input);
  if (input.cluster.name === 'broken') return Promise.reject(new Error('AWS credentials are missing'));
  if (input.cluster.name in OUTSIDE) {
    const windows = { text: 'Sat 22:00–04:00 UTC', verdict: CLOSED, outside: OUTSIDE[input.cluster.name] ?? 'refuse' };
    return Promise.resolve({ kind: 'plan', plan: plan({ cluster: input.cluster, to: input.target }), windows });
  }
  if (input.back === true)
    return Promise.resolve({ kind: 'plan', plan: plan({ cluster: input.cluster, kind: 'back', from: '1.32', to: '1.31' }) });
  if (input.target !== '1.34') return Promise.resolve({ kind: 'plan', plan: plan({ cluster: input.cluster, to: input.target }) });
  const violations = [{ rule: 'one-minor-per-hop', message: '1.33 is not offered.', remedy: 'Wait for EKS to offer it.' }];
  return Promise.resolve({ kind: 'refused', violations });
}

beforeAll(async () => {
  env = await startTemporal();
  const workflowsPath = fileURLToPath(new URL('../slack/workflows.ts', import.meta.url));
  worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue: QUEUE,
    workflowBundle: await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') }),
    activities: { makePlan },
  });
  running = worker.run();
  upgrades = createUpgrades({
    client: env.client,
    resolveCluster: (name) => ({ ...CLUSTER, name }),
    environmentOf: () => 'test',
    taskQueue: QUEUE,
  });
});

afterAll(async () => {
  worker.shutdown();
  await running;
  await env.teardown();
});

async function start(cluster: string) {
  return await upgrades.start({ cluster, target: '1.32', requestedBy: SAM });
}

describe('with a worker', () => {
  test('start plans, then starts the run that Temporal UI can tell apart', async () => {
    const started = await start('told');
    expect(started).toMatchObject({ workflowId: 'eks-upgrade/111122223333/eu-west-1/told', plan: { to: '1.32' } });
    const description = await env.client.workflow.getHandle(started.workflowId, started.runId).describe();
    expect(await description.staticSummary()).toBe('Upgrade told from 1.31 to 1.32');
    expect(await description.staticDetails()).toContain('- Cluster: told (account 111122223333, eu-west-1)');
    expect(description.searchAttributes).toMatchObject({
      BelayCluster: ['told'],
      BelayTarget: ['1.32'],
      BelayRequestedBy: ['sam'],
      BelayEnvironment: ['test'],
    });
  });

  test('T17: a second start names the target, the state and who asked for the first', async () => {
    await start('busy');
    await expect(upgrades.start({ cluster: 'busy', target: '1.33', requestedBy: SAM })).rejects.toMatchObject({
      code: 'already-running',
      message: expect.stringMatching(
        /^busy is already being upgraded to 1\.32 \(Waits for a decision\), requested by sam at .*Z\. See "belay status busy"\.$/,
      ),
    });
  });

  test('U6: the newest run of a cluster is known without a worker: none, one that goes on, one that was ended', async () => {
    expect(await upgrades.newestRun('never')).toBeUndefined();
    const { workflowId, runId } = await start('newest');
    expect(await upgrades.newestRun('newest')).toEqual({ runId, isOpen: true });
    await env.client.workflow.getHandle(workflowId).terminate('by hand');
    expect(await upgrades.newestRun('newest')).toEqual({ runId, isOpen: false });
  });

  test('T17: two starts at the same moment: one runs, the other is told so', async () => {
    const both = await Promise.allSettled([start('raced'), start('raced')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'already-running' } });
  });

  test('a run that has told its end is no second one: it is waited for until it closes, however it ended', async () => {
    const { workflowId, runId } = await start('closes-soon');
    await upgrades.abort({ cluster: 'closes-soon', actor: SAM });
    expect((await env.client.workflow.getHandle(workflowId, runId).describe()).status.name).toBe('RUNNING');
    const next = await start('closes-soon');
    expect(next.runId).not.toBe(runId);
    expect((await env.client.workflow.getHandle(workflowId, runId).describe()).status.name).toBe('FAILED');
  });

  test('a run that has told its end and does not close holds the cluster', async () => {
    await start('never-closes');
    await upgrades.abort({ cluster: 'never-closes', actor: SAM });
    await expect(start('never-closes')).rejects.toMatchObject({ code: 'already-running' });
  }, 60_000);

  test('A16: a way back asks EKS for its target, holds the same lock, and is refused while an upgrade runs', async () => {
    const request = { cluster: 'went-up', requestedBy: SAM };
    expect(await upgrades.planRollback(request)).toMatchObject({ plan: { kind: 'back', to: '1.31' } });
    const started = await upgrades.startBack(request);
    expect(started.workflowId).toBe('eks-upgrade/111122223333/eu-west-1/went-up');
    const description = await env.client.workflow.getHandle(started.workflowId, started.runId).describe();
    expect(await description.staticSummary()).toBe('Take went-up back from 1.32 to 1.31');
    expect(description.searchAttributes).toMatchObject({ BelayTarget: ['1.31'] });
    await expect(start('went-up')).rejects.toMatchObject({ code: 'already-running' });
    await start('goes-up');
    await expect(upgrades.startBack({ ...request, cluster: 'goes-up' })).rejects.toMatchObject({ code: 'already-running' });
  });

  test('one step of the last run: another question than the whole way back, the same lock', async () => {
    const request = { cluster: 'undoes', requestedBy: SAM, undo: 'add-ons' };
    const started = await upgrades.startBack(request);
    expect(started.workflowId).toBe('eks-upgrade/111122223333/eu-west-1/undoes');
    const description = await env.client.workflow.getHandle(started.workflowId, started.runId).describe();
    expect(await description.staticSummary()).toBe('Undo add-ons of undoes');
    await expect(upgrades.startBack({ ...request, undo: 'rm -rf /' })).rejects.toMatchObject({
      code: 'invalid',
      message: '"rm -rf /" is not a step name such as add-ons.',
    });
    const plan = env.client.workflow.getHandle('eks-plan/111122223333/eu-west-1/undoes/undo/add-ons');
    expect((await plan.describe()).status.name).toBe('COMPLETED');
  });

  test('what can be undone is a question of its own, which holds no lock', async () => {
    expect(await upgrades.undoOptions('listed')).toEqual([{ step: 'add-ons', possible: true, why: [] }]);
    const asked = env.client.workflow.getHandle('eks-undo-list/111122223333/eu-west-1/listed');
    expect((await asked.describe()).status.name).toBe('COMPLETED');
    await expect(upgrades.undoOptions('unread')).rejects.toMatchObject({
      code: 'failed',
      message: 'reading the record of the last run of unread: EACCES',
    });
  });

  test('a refused plan names the rule and the remedy, and starts nothing', async () => {
    const request = { cluster: 'refused', target: '1.34', requestedBy: SAM };
    await expect(upgrades.start(request)).rejects.toMatchObject({
      code: 'refused',
      message:
        'refused cannot be upgraded to 1.34 yet. Nothing was started.\n- one-minor-per-hop: 1.33 is not offered. Wait for EKS to offer it.',
      violations: [{ rule: 'one-minor-per-hop' }],
    });
    await expect(upgrades.status('refused')).rejects.toMatchObject({ code: 'not-running' });
    expect(await upgrades.plan(request)).toMatchObject({ kind: 'refused' });
  });

  test('P1: a start outside the windows is refused and says when the next one opens; a plan is not', async () => {
    const request = { cluster: 'window-refuses', target: '1.32', requestedBy: SAM };
    await expect(upgrades.start(request)).rejects.toMatchObject({
      code: 'refused',
      message:
        'window-refuses is not upgraded now: it is Thu 13:00 UTC, outside the maintenance windows (Sat 22:00–04:00 UTC). ' +
        'The next window opens Sat 2026-01-17 22:00 UTC. Nothing was started. With "outside: queue" in belay.yaml a run waits for its window.',
    });
    await expect(upgrades.status('window-refuses')).rejects.toMatchObject({ code: 'not-running' });
    expect(await upgrades.plan(request)).toMatchObject({ kind: 'plan', windows: { outside: 'refuse' } });
  });

  test('P1: where belay.yaml says queue it starts, and says that it waits', async () => {
    const started = await upgrades.start({ cluster: 'window-queues', target: '1.32', requestedBy: SAM });
    expect(started.windows?.verdict).toEqual(CLOSED);
    expect(await upgrades.status('window-queues')).toMatchObject({ source: 'workflow' });
  });

  test('another target is another question, never the answer to the first', async () => {
    const ask = (target: string) => upgrades.plan({ cluster: 'asked', target, requestedBy: SAM });
    const answers = await Promise.all([ask('1.32'), ask('1.33'), ask('v1.32')]);
    expect(answers.map((answer) => (answer.kind === 'plan' ? answer.plan.to : answer.kind))).toEqual(['1.32', '1.33', '1.32']);
  });

  test('a plan that cannot be made says why', async () => {
    await expect(upgrades.plan({ cluster: 'broken', target: '1.32', requestedBy: SAM })).rejects.toMatchObject({
      code: 'failed',
      message: 'Could not make the plan: AWS credentials are missing',
    });
  });

  test('a decision is answered by the workflow; the same press twice counts once; a closed gate is said to be closed', async () => {
    const { workflowId, runId } = await start('decided');
    const press = { ...GATE, workflowId, run: runId };
    const expected = { reply: { accepted: true, message: 'approve by sam' }, how: 'answered' };
    expect(await upgrades.decide(press)).toEqual(expected);
    expect(await upgrades.decide(press)).toEqual(expected);
    expect(await upgrades.decide({ ...press, gateId: 'before:bake@1.32#1' })).toEqual({
      reply: { accepted: false, message: 'This gate is closed already.' },
      how: 'answered',
    });
    const control = { cluster: 'decided', actor: SAM, requestId: 'one press' };
    expect((await upgrades.pause(control)).reply.message).toBe('Paused 1 times.');
    expect((await upgrades.pause(control)).reply.message).toBe('Paused 1 times.');
    expect((await upgrades.pause({ ...control, requestId: 'another press' })).reply.message).toBe('Paused 2 times.');
    expect(await upgrades.abort({ cluster: 'decided', actor: SAM, run: runId })).toMatchObject({ how: 'answered' });
    expect(await env.client.workflow.getHandle(workflowId).result()).toEqual(['approve by U0SAM', 'paused', 'paused']);
    expect(await upgrades.decide(press)).toEqual(expected);
    await expect(upgrades.decide({ ...press, revision: 4 })).rejects.toMatchObject({ code: 'not-running' });
  });

  test('a decision that takes long to check is answered all the same, and only once', async () => {
    const { workflowId } = await start('slow');
    expect(await upgrades.decide({ ...GATE, choice: 'slow', cluster: 'slow' })).toMatchObject({ how: 'answered' });
    await upgrades.abort({ cluster: 'slow', actor: SAM });
    expect(await env.client.workflow.getHandle(workflowId).result()).toEqual(['slow by U0SAM']);
  });

  test('status is the workflow’s own; the list has those that run', async () => {
    await start('listed');
    expect(await upgrades.status('listed')).toMatchObject({
      source: 'workflow',
      status: { headline: 'Waits for a decision.', to: '1.32' },
    });
    // Visibility is eventually consistent.
    for (let turn = 0; turn < 50 && !(await upgrades.list()).some(({ cluster }) => cluster === 'listed'); turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await upgrades.list()).toContainEqual(
      expect.objectContaining({ cluster: 'listed', target: '1.32', requestedBy: 'sam', phase: 'control-plane@1.32', execution: 'RUNNING' }),
    );
  });
});
