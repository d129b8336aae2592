/** A thousand runs at their gates on PostgreSQL when the server dies: each of them answers soon after, and the worker stays within the chart's memory. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client, Connection } from '@temporalio/client';
import { Workers } from '../../bench/gates/workers.ts';
import { peakMbOf } from '../../bench/processes.ts';
import { standing } from '../../bench/production/main.ts';
import { podsOf, rendered } from '../../deploy/helm.ts';
import type { RunningUpgrade } from '../../support/upgrade.ts';
import { describeOnPostgreSql } from '../support/describe.ts';
import { ProductionTemporal } from '../support/temporal.ts';

const ALL = 1_000;
/** People look at a few boards at a time. */
const AT_ONCE = 20;
const ANSWERED_WITHIN_MS = 60_000;

/** What the chart gives the worker. */
function ofChart(): { nodeOptions: string[]; memoryMb: number } {
  const [container] = podsOf(rendered())['worker']?.containers ?? [];
  const gibibytes = /^(\d+)Gi$/.exec(container?.resources.limits.memory ?? '')?.[1];
  const nodeOptions = container?.env.find(({ name }) => name === 'NODE_OPTIONS')?.value;
  if (nodeOptions === undefined || gibibytes === undefined) throw new Error('The chart sets no heap, or no limit in Gi');
  return { nodeOptions: nodeOptions.split(' '), memoryMb: Number(gibibytes) * 1_074 };
}

describeOnPostgreSql('a thousand runs', () => {
  const chart = ofChart();
  let temporal: ProductionTemporal;
  let client: Client;
  let workers: Workers;
  const taskQueue = `many-${randomUUID()}`;
  beforeAll(async () => {
    temporal = await ProductionTemporal.open();
    client = new Client({ connection: await Connection.connect({ address: temporal.address }) });
    workers = new Workers(temporal.address, taskQueue, chart.nodeOptions);
    await workers.add();
  });
  afterAll(async () => {
    await workers?.stop();
    await client?.connection.close();
    await temporal?.close();
  });

  test('O39: after the server was killed, all answer within a minute, and the worker needs no more memory than the chart gives it', async () => {
    const runs = await standing(client, taskQueue, ALL);
    await temporal.kill();
    await temporal.start();
    const startMs = performance.now();
    const left = [...runs];
    const gates = new Map<string, number>();
    const ask = async (): Promise<void> => {
      for (let run = left.pop(); run !== undefined; run = left.pop()) gates.set(run.workflowId, await openGates(run));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, ask));
    expect(performance.now() - startMs).toBeLessThan(ANSWERED_WITHIN_MS);
    expect([gates.size, ...new Set(gates.values())]).toEqual([ALL, 1]);
    expect(Math.max(...workers.pids.map(peakMbOf))).toBeLessThan(chart.memoryMb);
  });
});

/** The server comes back while it is asked: who is refused asks again, as people do. */
async function openGates(run: RunningUpgrade): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    try {
      return (await run.status()).gates.length;
    } catch (error) {
      if (tries === 10) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}
