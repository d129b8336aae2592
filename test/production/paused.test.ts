/** A run that somebody pauses in Temporal, which servers from 1.30 on allow, is still one that is open. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAll } from '../../client/reading/status.ts';
import { TASK_QUEUE, upgradeWorkflowId } from '../../workflows/contract/ids.ts';
import { WORKFLOWS } from '../../workflows/contract/messages.ts';
import { eventually } from '../support/eventually.ts';
import { CLUSTER } from '../support/facts.ts';
import { describeOnPostgreSql } from './support/describe.ts';
import { ProductionTemporal } from './support/temporal.ts';

describeOnPostgreSql('a run that is paused in Temporal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-paused-'));
  let temporal: ProductionTemporal;
  let connection: Connection;
  beforeAll(async () => {
    const config = join(folder, 'dynamic-config.yaml');
    writeFileSync(config, 'frontend.WorkflowPauseEnabled:\n  - value: true\n');
    temporal = await ProductionTemporal.open({ server: { DYNAMIC_CONFIG_FILE_PATH: config } });
    connection = await Connection.connect({ address: temporal.address });
  });
  afterAll(async () => {
    await connection?.close();
    await temporal?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('is listed: nobody takes its cluster for one on which nothing is going on', async () => {
    const client = new Client({ connection });
    const workflowId = upgradeWorkflowId(CLUSTER);
    const { firstExecutionRunId: runId } = await client.workflow.start(WORKFLOWS.upgrade, { workflowId, taskQueue: TASK_QUEUE });
    const open = async (): Promise<string[]> => (await listAll(client)).runs.map((run) => `${run.workflowId} ${run.execution}`);
    await eventually('it is listed', async () => (await open()).length === 1);
    await connection.workflowService.pauseWorkflowExecution({ namespace: 'default', workflowId, runId, reason: 'an incident' });
    await eventually('it is listed as paused', async () => (await open()).join() === `${workflowId} PAUSED`);
    await client.workflow.getHandle(workflowId).terminate();
    await eventually('it is over', async () => (await open()).length === 0);
    expect(await open()).toEqual([]);
  });
});
