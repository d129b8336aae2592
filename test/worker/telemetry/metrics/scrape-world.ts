/** What the real worker's page is to show: runs, a campaign, a freeze, a rollback window and a message that Slack refuses, in Temporal; and a record beside belay.yaml. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, type NativeConnection, Worker } from '@temporalio/worker';
import { TASK_QUEUE } from '../../../../workflows/contract/ids.ts';
import { WORKFLOWS } from '../../../../workflows/contract/messages.ts';
import { SOAKING } from '../../../domain/run/fleet-view/campaign.ts';
import { startWithActivity } from '../../../support/one-activity.ts';

const PLACE = '111122223333/eu-west-1';
const NOBODY = 'nobody-works-here';

export async function fillTemporal(client: Client): Promise<void> {
  // Nobody works on this queue: a run that waits at a gate for ever, and one that stands in its phase.
  const run = (name: string, attributes: Record<string, string[]>) =>
    client.workflow.start('upgradeCluster', {
      workflowId: `eks-upgrade/${PLACE}/${name}`,
      taskQueue: NOBODY,
      searchAttributes: { BelayTarget: ['1.34'], ...attributes },
    });
  await run('prod', { BelayPhase: ['control-plane'], BelayWaitingFor: ['before:control-plane@1.34#1'] });
  await run('staging', { BelayPhase: ['bake'] });
  // And one that no worker can do, whose tasks fail.
  await client.workflow.start('noSuchWorkflow', { workflowId: 'unknown', taskQueue: TASK_QUEUE });
  // One whose activity fails, since AWS does not answer.
  await client.workflow.start(WORKFLOWS.versions, {
    workflowId: 'versions',
    taskQueue: TASK_QUEUE,
    args: [{ clusters: [{ account: '111122223333', region: 'eu-west-1', name: 'prod' }] }],
  });
  const now = new Date().toISOString();
  await startWithActivity(client, NOBODY, {
    workflowType: 'freezeDrift',
    workflowId: `eks-upgrade/${PLACE}/prod/freeze-drift@1.34`,
    activityType: 'watchFreeze',
    outcome: { heartbeats: { kind: 'waiting', details: { lookedAt: now } } },
  });
  const closesAt = new Date(Date.now() + 3_600_000).toISOString();
  await startWithActivity(client, NOBODY, {
    workflowType: WORKFLOWS.rollbackWindow,
    workflowId: `eks-rollback-window/${PLACE}/prod`,
    activityType: 'readRollbackWindow',
    outcome: { gives: { now, back: { kind: 'open', window: { at: '1.34', backTo: '1.33', movedAt: now, closesAt } } } },
  });
  await startWithActivity(client, NOBODY, {
    workflowType: 'tellLater',
    workflowId: `eks-upgrade/${PLACE}/prod/last-words/1`,
    activityType: 'publish',
    outcome: { fails: 'Slack is away' },
  });
}

const CAMPAIGNS = 'campaigns-of-the-test';

/** A campaign with a ring that has stopped and one that soaks; whoever works here answers for it. */
export async function startCampaign(client: Client, connection: NativeConnection): Promise<Worker> {
  const [first, ...others] = SOAKING.state.rings;
  const status = { ...SOAKING, state: { ...SOAKING.state, rings: [{ ...first, state: 'stopped' }, ...others] } };
  await client.workflow.start(WORKFLOWS.campaign, { workflowId: SOAKING.workflowId, taskQueue: CAMPAIGNS, args: [status] });
  const workflowsPath = fileURLToPath(new URL('./campaign-workflow.ts', import.meta.url));
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  return await Worker.create({ connection, taskQueue: CAMPAIGNS, workflowBundle });
}

/** Of a run that has ended. */
export function writeRecord(directory: string): void {
  const step = (id: string) => ({ id, state: 'completed', startedAt: '2026-11-02T09:00:00.000Z', endedAt: '2026-11-02T09:12:00.000Z' });
  const gate = { id: 'before:control-plane@1.33#1' };
  const decision = { choice: 'approve', actor: { kind: 'slack', id: 'U1' } };
  const report = {
    outcome: 'completed',
    decisions: [{ kind: 'decided', gate, votes: [], decision }],
    leftBehind: [],
    status: {
      cluster: { account: '111122223333', region: 'eu-west-1', name: 'prod' },
      from: '1.32',
      to: '1.33',
      endedAt: '2026-11-02T09:12:00.000Z',
      steps: [step('control-plane@1.33'), step('bake@1.33')],
    },
  };
  mkdirSync(join(directory, 'records'));
  writeFileSync(join(directory, 'records', 'one.json'), JSON.stringify({ format: 1, report }));
}

export const BELAY_YAML = ['prod', 'staging']
  .map((name) => `  ${name}: { region: eu-west-1, account: "111122223333", environment: production }\n`)
  .concat('  shop: { region: eu-west-1, account: "111122223333", network: dmz }\n')
  .concat('approvals: { users: [U0PLATFORM] }\n')
  .concat(`campaigns: { to-1-34: { target: "1.34", rings: [${SOAKING.plan.rings.map(({ name }) => `{ name: ${name} }`).join(', ')}] } }\n`)
  .join('');
