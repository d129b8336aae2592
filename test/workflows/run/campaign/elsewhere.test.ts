/** Who hears of a campaign beside Slack: a webhook and a mail server, over several runs of its workflow, each event once. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { createDeliverActivities } from '../../../../activities/run/people/deliver.ts';
import { ALL_EVENTS, type DeliveryTerms, type EventType, MAIL_EVENTS } from '../../../../domain/policy/deliveries.ts';
import { mailSink } from '../../../../worker/notifications/smtp.ts';
import { secretsIn } from '../../../../worker/notifications/standard-webhooks.ts';
import { webhookSink } from '../../../../worker/notifications/webhook.ts';
import { eventually } from '../../../support/eventually.ts';
import { mailReceiver, WEBHOOK_SECRET, webhookReceiver } from '../../../support/receivers.ts';
import { type DevServer, startDevServer } from '../../../support/temporal-server.ts';
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

const OPS: DeliveryTerms = { name: 'ops', kind: 'webhook', events: ALL_EVENTS };
const TEAM: DeliveryTerms = { name: 'team', kind: 'email', events: [...MAIL_EVENTS] };
/** As a run before this release has recorded them. */
const OLD: EventType[] = ALL_EVENTS.filter((type) => !type.startsWith('campaign.'));

async function receivers() {
  const [hook, mail] = await Promise.all([webhookReceiver(), mailReceiver()]);
  const access = { host: '127.0.0.1', port: mail.port, tls: 'none', from: 'belay@example.com', to: ['team@example.com'] } as const;
  const sinks = {
    ops: webhookSink({ name: 'ops', url: new URL(hook.url), secrets: secretsIn(WEBHOOK_SECRET) }),
    team: mailSink({ access: { ...TEAM, kind: 'email', ...access, to: [...access.to] } }),
  };
  const { deliverEvents } = createDeliverActivities({ sinkOf: (name) => sinks[name as keyof typeof sinks] });
  return { hook, mail, deliverEvents, close: () => Promise.all([hook.close(), mail.close()]) };
}

test('its start, its gates, the lines of its thread and its end; a gate that stays open is told once', async () => {
  const campaign = campaignOf([ringOf('dev', ['a'])]);
  const there = await receivers();
  try {
    await withCampaign(
      env,
      campaign,
      [member('a')],
      async (played) => {
        const runNow = async (): Promise<string> => (await env.client.workflow.getHandle(played.handle.workflowId).describe()).runId;
        const first = await runNow();
        await played.gate('dev');
        await eventually('another run', async () => (await runNow()) !== first);
        await played.gate('dev');
        await played.decide('dev');
        await eventually('one starts', () => played.fleet.open.length === 1);
        played.fleet.end('a');
        await played.handle.result();
        const gate = 'ring:dev@1.32#1';
        const types = there.hook.received.map(({ type }) => type.slice('dev.belay.'.length));
        expect(types.filter((type) => !type.startsWith('campaign.note.'))).toEqual([
          'campaign.started',
          'campaign.gate.opened',
          'campaign.gate.decided',
          'campaign.finished',
        ]);
        expect(new Set(there.hook.received.map(({ data }) => data.campaign?.runId))).toEqual(new Set([first]));
        const [, opened] = there.hook.received;
        expect(opened?.data.gate).toMatchObject({ id: gate, command: `belay campaign promote ${campaign.name} --reason "…"` });
        const said = there.hook.received.flatMap(({ data }) => (data.note === undefined ? [] : [data.note.text]));
        expect(said).toContain(`Campaign ${campaign.name} is complete.`);
        expect(there.mail.mails.map((text) => text.split('\n')[0])).toEqual([
          `campaign ${campaign.name}: to 1.32 started, requested by Alex`,
          `campaign ${campaign.name}: decision needed: Start ring dev of campaign ${campaign.name} to 1.32?`,
          expect.stringMatching(/: Approve by .*: Start ring dev/),
          `campaign ${campaign.name}: to 1.32 complete, 1 of 1 cluster done: Every ring is complete.`,
        ]);
      },
      { change: ({ loadCampaign }) => ({ loadCampaign: telling(loadCampaign, [OPS, TEAM]), deliverEvents: there.deliverEvents }) },
    );
  } finally {
    await there.close();
  }
});

test('a campaign that recorded no such types begins nothing for them', async () => {
  const told: string[] = [];
  await withCampaign(
    env,
    campaignOf([ringOf('dev', ['a'])]),
    [member('a')],
    async (played) => {
      await played.gate('dev');
      await played.decide('dev', 'reject', { reason: 'not now' });
      await played.handle.result();
    },
    {
      change: ({ loadCampaign }) => ({
        loadCampaign: telling(loadCampaign, [{ ...OPS, events: OLD }]),
        deliverEvents: ({ events }) => {
          told.push(...events.map(({ key }) => key));
          return Promise.resolve([]);
        },
      }),
    },
  );
  expect(told).toEqual([]);
});

type Load = Parameters<NonNullable<NonNullable<Parameters<typeof withCampaign>[4]>['change']>>[0]['loadCampaign'];

const telling =
  (load: Load, deliveries: DeliveryTerms[]): Load =>
  async (input) => {
    const loaded = await load(input);
    return { ...loaded, policy: { ...loaded.policy, deliveries } };
  };
