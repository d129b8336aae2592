/** A thousand runs at their gates on PostgreSQL when the server dies: each of them answers soon after, and the worker's memory does not grow with them. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { Workers } from '../../bench/gates/workers.ts';
import { peakMbOf } from '../../bench/processes.ts';
import { standing } from '../../bench/production/main.ts';
import type { RunningUpgrade } from '../../support/upgrade.ts';
import { describeOnPostgreSql } from '../support/describe.ts';
import { ProductionTemporal } from '../support/temporal.ts';

const FIRST = 300;
const ALL = 1_000;
/** People look at a few boards at a time. */
const AT_ONCE = 20;
const ANSWERED_WITHIN_MS = 60_000;

describeOnPostgreSql('a thousand runs', () => {
  let temporal: ProductionTemporal;
  let client: Client;
  let workers: Workers;
  const taskQueue = `many-${randomUUID()}`;
  beforeAll(async () => {
    temporal = await ProductionTemporal.open();
    client = new Client({ connection: await Connection.connect({ address: temporal.address }) });
    workers = new Workers(temporal.address, taskQueue);
    await workers.add();
  });
  afterAll(async () => {
    await workers?.stop();
    await client?.connection.close();
    await temporal?.close();
  });

  const peakMb = (): number => Math.max(...workers.pids.map(peakMbOf));

  test('O39: after the server was killed, all answer within a minute, and the worker keeps what it kept with three hundred', async () => {
    const runs = await standing(client, taskQueue, FIRST);
    const withFewMb = peakMb();
    runs.push(...(await standing(client, taskQueue, ALL - FIRST, FIRST)));
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
    expect(peakMb() / withFewMb).toBeLessThan(1.5);
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
