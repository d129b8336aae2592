/** A campaign outlives the history of one run: what is under way then goes on in the next. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { createOpenCampaigns } from '../../../../client/campaigns/open-campaigns.ts';
import { eventually } from '../../../support/eventually.ts';
import { type DevServer, startDevServer } from '../../../support/temporal-server.ts';
import { SAM } from '../../../support/upgrade.ts';
import { campaignOf, member, ringOf, withCampaign } from './support.ts';

let server: DevServer;
let env: TestWorkflowEnvironment;
beforeAll(async () => {
  // Temporal suggests another run after four thousand events.
  server = await startDevServer({ settings: ['limit.historyCount.suggestContinueAsNew=60'] });
  env = await TestWorkflowEnvironment.createFromExistingServer({ address: server.address });
});
afterAll(async () => {
  await env.teardown();
  await server.stop();
});

test('F31 F44: votes that have come before count once in the next run, clusters that run are followed there, and finishBy is said once', async () => {
  const approvals = { ...campaignOf([]).approvals, users: [SAM.id, 'U0RIN'], quorum: 2 };
  const campaign = campaignOf([ringOf('dev', ['a', 'b'], { parallel: { kind: 'count', value: 1 } })], {
    approvals,
    finishBy: '2026-01-31',
  });
  await withCampaign(env, campaign, [member('a'), member('b')], async (played) => {
    const { fleet, world } = played;
    const runNow = async (): Promise<string> => (await env.client.workflow.getHandle(played.handle.workflowId).describe()).runId;
    const nextRun = async (): Promise<void> => {
      const before = await runNow();
      await eventually('another run', async () => (await runNow()) !== before);
    };
    const gate = (await played.gate('dev')).gates[0];
    expect(await played.decide('dev')).toMatchObject({ message: 'Recorded: Approve, 1 of 2 approvals.' });
    await nextRun();
    const carried = (await played.gate('dev')).gates[0];
    expect(carried).toMatchObject({ openedAt: gate?.openedAt, expiresAt: gate?.expiresAt, progress: '1 of 2 approvals' });
    // An overview has it once, as the run that is open now says it.
    const [open, ...others] = await createOpenCampaigns(env.client)([campaign.name]);
    expect(others).toEqual([]);
    expect(open).toMatchObject({ name: campaign.name, status: { plan: { campaign: campaign.name }, gates: [{ id: gate?.id }] } });
    // The same press, delivered once more, is no second vote.
    expect(await played.decide('dev')).toMatchObject({ accepted: true });
    expect(fleet.started).toEqual([]);
    expect(await played.decide('dev', 'approve', { actor: { kind: 'slack', id: 'U0RIN' } })).toMatchObject({
      message: 'Recorded: Approve.',
    });
    await eventually('one starts', () => fleet.open.length === 1);
    await nextRun();
    fleet.end('a');
    await eventually('the other starts', () => fleet.started.length === 2);
    await nextRun();
    fleet.end('b');
    expect((await played.handle.result()).state).toMatchObject({ phase: 'complete', rings: [{ state: 'complete' }] });
    expect(fleet.startedNames).toEqual(['a', 'b']);
    const said = world.published.flatMap(({ notification }) => (notification.kind === 'note' ? [notification.text] : []));
    expect(said.filter((text) => text.includes('was due to finish by'))).toEqual([
      `Campaign ${campaign.name} was due to finish by 2026-01-31, and has not. It continues as planned: Belay skips no gate to catch up.`,
    ]);
  });
});
