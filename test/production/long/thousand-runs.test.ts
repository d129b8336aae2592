/**
 * A thousand runs at their gates on PostgreSQL when the server dies: each of them answers afterwards, about as fast as before, and the worker stays within
 * the chart's memory. How long they take is measured by `npm run bench -- production`.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client, Connection } from '@temporalio/client';
import { Workers } from '../../bench/gates/workers.ts';
import { peakMbOf } from '../../bench/processes.ts';
import { answersAroundKill } from '../../bench/production/answers.ts';
import { standing } from '../../bench/production/main.ts';
import { podsOf, rendered } from '../../deploy/helm.ts';
import { describeOnPostgreSql } from '../support/describe.ts';
import { ProductionTemporal } from '../support/temporal.ts';

const ALL = 1_000;
/** Than before the kill, in the same minutes: machines differ. */
const SLOWER_AT_MOST = 3;

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

  test('O39: after the server was killed, all answer about as fast as before, and the worker needs no more memory than the chart gives it', async () => {
    const runs = await standing(client, taskQueue, ALL);
    const { before, after } = await answersAroundKill(temporal, runs);
    expect([after.gates.size, ...new Set(after.gates.values())]).toEqual([ALL, 1]);
    expect(after.ms / before.ms).toBeLessThan(SLOWER_AT_MOST);
    expect(Math.max(...workers.pids.map(peakMbOf))).toBeLessThan(chart.memoryMb);
  });
});
