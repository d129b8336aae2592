/** The census of open runs on a real Temporal server: what visibility and histories say, whether or not anybody works. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, vi, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { createCensus, type OpenRun } from '../../../client/reading/census.ts';
import { connectUpgrades } from '../../../client/upgrades-client.ts';
import { freePorts } from '../../../rehearsal/processes/free-port.ts';
import { startTemporal } from '../../support/temporal.ts';
import { eventually } from '../../support/eventually.ts';

const QUEUE = 'census';
const PROD = 'eks-upgrade/111122223333/eu-west-1/prod';
const GATE = 'before:control-plane@1.34#1';

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const start = (workflowId: string, options: { type?: string; attributes?: Record<string, string[]> } = {}) =>
  env.client.workflow.start(options.type ?? 'upgradeCluster', {
    workflowId,
    taskQueue: QUEUE,
    args: ['control-plane'],
    searchAttributes: options.attributes ?? {},
  });

/** Visibility follows within a moment. */
const until = (census: () => Promise<OpenRun[]>, seen: (runs: OpenRun[]) => boolean): Promise<OpenRun[]> =>
  eventually(String(seen), async () => {
    const runs = await census();
    return seen(runs) && runs;
  });

const named = (runs: OpenRun[], name: string): OpenRun | undefined => runs.find(({ cluster }) => cluster.name === name);

test('a gate is as old as the event that opened it, which is read once, and nobody has to work for that', async () => {
  const workflowsPath = fileURLToPath(new URL('census-workflow.ts', import.meta.url));
  const worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue: QUEUE,
    workflowBundle: await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') }),
  });
  const census = createCensus(env.client);
  await worker.runUntil(async () => {
    const run = await start(PROD, { attributes: { BelayTarget: ['1.34'] } });
    await run.signal('asked', GATE);
    await until(census, (runs) => named(runs, 'prod')?.gates.length === 1);
  });
  const read = vi.spyOn(env.client.workflowService, 'getWorkflowExecutionHistoryReverse');
  try {
    const { events } = await env.client.workflow.getHandle(PROD).fetchHistory();
    // By what each event sets: where the signal comes before the first task, both are set in that one, and the gate first.
    const setAt = (attribute: string): string => {
      const time = (events ?? []).find(
        ({ upsertWorkflowSearchAttributesEventAttributes: set }) => set?.searchAttributes?.indexedFields?.[attribute] != null,
      )?.eventTime;
      return new Date(Number(String(time?.seconds)) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6)).toISOString();
    };
    const [openedAt, phaseSince] = [setAt('BelayWaitingFor'), setAt('BelayPhase')];
    const { runId } = await env.client.workflow.getHandle(PROD).describe();
    const cluster = { account: '111122223333', region: 'eu-west-1', name: 'prod' };
    const expected = { cluster, runId, target: '1.34', phase: 'control-plane', phaseSince, gates: [{ kind: 'before', openedAt }] };
    expect(named(await census(), 'prod')).toEqual(expected);
    expect(read).not.toHaveBeenCalled();
    // Another process reads it for itself, and sees the same.
    expect(named(await createCensus(env.client)(), 'prod')).toEqual(expected);
    // The gate, and the phase.
    expect(read).toHaveBeenCalledTimes(2);
  } finally {
    read.mockRestore();
  }
});

test('gates of steps are their run’s; what is no gate, no run or no longer open is not counted', async () => {
  const parent = 'eks-upgrade/111122223333/eu-west-1/waves';
  await start(parent);
  await start(`${parent}/istio@1.34`, { type: 'istio', attributes: { BelayWaitingFor: ['wave:istio@1.34/1#1'] } });
  await start('eks-upgrade/111122223333/eu-west-1/forged', { attributes: { BelayWaitingFor: ['let me in'] } });
  await start('somebody-elses');
  await (await start('eks-upgrade/111122223333/eu-west-1/over')).terminate();
  const census = createCensus(env.client);
  const runs = await until(census, (all) => named(all, 'waves')?.gates.length === 1 && named(all, 'over') === undefined);
  expect(named(runs, 'waves')?.gates).toEqual([{ kind: 'wave', openedAt: expect.stringMatching(/^2\d{3}-/) }]);
  expect(named(runs, 'forged')?.gates).toEqual([]);
  expect(runs.map(({ cluster }) => cluster.name).toSorted()).toEqual(['forged', 'prod', 'waves']);
});

test('Temporal out of reach is an error in our words', async () => {
  const [port] = await freePorts(1);
  const connected = connectUpgrades({ resolveCluster: () => ({ account: '', region: '', name: '' }), address: `127.0.0.1:${port}` });
  await expect(connected.census()).rejects.toMatchObject({ code: 'unreachable' });
  await connected.close();
}, 180_000);
