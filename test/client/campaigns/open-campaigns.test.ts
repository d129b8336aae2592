/** Which campaigns are open, on a real Temporal server on which nobody works, and on none. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { freePorts } from '../../../rehearsal/processes/free-port.ts';
import { createOpenCampaigns } from '../../../client/campaigns/open-campaigns.ts';
import { connectUpgrades } from '../../../client/upgrades-client.ts';
import { WORKFLOWS } from '../../../workflows/contract/messages.ts';
import { eventually } from '../../support/eventually.ts';
import { startTemporal } from '../../support/temporal.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const start = (workflowId: string) =>
  env.client.workflow.start(WORKFLOWS.campaign, { workflowId, taskQueue: 'nobody-works-here', args: [{}] });

test('without a worker each open one is named, with the reason; those of belay.yaml and what takes their rings back are asked before whatever else was started', async () => {
  expect(await createOpenCampaigns(env.client)([])).toEqual([]);
  await start('eks-campaign/zuletzt');
  for (let index = 10; index < 31; index += 1) await start(`eks-campaign/forged-${index}`);
  await start('eks-campaign/zuletzt.rollback.prod');
  await start('something else');
  const open = await eventually('all are listed', async () => {
    const found = await createOpenCampaigns(env.client)(['zuletzt']);
    return found.length === 23 && found;
  });
  expect(open[0]).toEqual({
    name: 'zuletzt',
    since: expect.stringMatching(/^2\d{3}-/),
    why: 'no worker answers; start one with "belay worker"',
  });
  expect(open[1]).toMatchObject({ name: 'zuletzt.rollback.prod', why: 'no worker answers; start one with "belay worker"' });
  expect(open.slice(20)).toMatchObject([
    { name: 'forged-28', why: 'only 20 campaigns are asked at a time' },
    { name: 'forged-29', why: 'only 20 campaigns are asked at a time' },
    { name: 'forged-30', why: 'only 20 campaigns are asked at a time' },
  ]);
});

test('without Temporal nothing is none: it fails as the client says', async () => {
  const [port = 0] = await freePorts(1);
  const connected = connectUpgrades({
    resolveCluster: () => {
      throw new Error('no cluster is named here');
    },
    address: `127.0.0.1:${port}`,
  });
  try {
    await expect(connected.openCampaigns([])).rejects.toMatchObject({ code: 'unreachable' });
  } finally {
    await connected.close();
  }
});
