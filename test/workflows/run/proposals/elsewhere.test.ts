/** Who hears of proposals beside Slack: a webhook by its own server; mail where it asks for them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { createDeliverActivities } from '../../../../activities/run/people/deliver.ts';
import { ALL_EVENTS, type DeliveryTerms, MAIL_EVENTS } from '../../../../domain/policy/deliveries.ts';
import { secretsIn } from '../../../../worker/notifications/standard-webhooks.ts';
import { webhookSink } from '../../../../worker/notifications/webhook.ts';
import { eventually } from '../../../support/eventually.ts';
import { WEBHOOK_SECRET, webhookReceiver } from '../../../support/receivers.ts';
import { type DevServer, startDevServer } from '../../../support/temporal-server.ts';
import { withProposals } from './support.ts';

// Of its own: there is one such workflow to a namespace.
let server: DevServer;
let env: TestWorkflowEnvironment;
beforeAll(async () => {
  server = await startDevServer();
  env = await TestWorkflowEnvironment.createFromExistingServer({ address: server.address });
});
afterAll(async () => {
  await env.teardown();
  await server.stop();
});

const OPS: DeliveryTerms = { name: 'ops', kind: 'webhook', events: ALL_EVENTS };
/** By default people who only look on hear of no proposals. */
const TEAM: DeliveryTerms = { name: 'team', kind: 'email', events: [...MAIL_EVENTS] };

test('one that is made, dismissed, and that nothing can be read: each once, to whom it concerns', async () => {
  const hook = await webhookReceiver();
  const sink = webhookSink({ name: 'ops', url: new URL(hook.url), secrets: secretsIn(WEBHOOK_SECRET) });
  const asked: string[] = [];
  const { deliverEvents } = createDeliverActivities({
    sinkOf: (name) => {
      asked.push(name);
      return sink;
    },
  });
  try {
    await withProposals(
      env,
      {},
      async (played) => {
        await played.look();
        await played.look();
        await played.command({ verb: 'dismiss', target: '1.35', reason: 'later' });
        played.world.clusters = [{ name: 'a', why: 'AWS refuses the role' }];
        await played.look();
        await eventually('three are told', () => hook.received.length === 3);
        expect(hook.received.map(({ type }) => type)).toEqual([
          'dev.belay.proposal.made',
          'dev.belay.proposal.dismissed',
          'dev.belay.proposal.unread',
        ]);
        expect(hook.received.map(({ data }) => data.summary)).toEqual([
          'campaigns: proposed to 1.35 for 2 clusters at 1.34',
          expect.stringMatching(/^campaigns: the one to 1\.35 was dismissed by /),
          expect.stringMatching(/^campaigns: Belay could not read what it needs to know whether a campaign is due/),
        ]);
        expect(new Set(asked)).toEqual(new Set(['ops']));
      },
      { deliveries: [OPS, TEAM], activities: { deliverEvents } },
    );
  } finally {
    await hook.close();
  }
});
