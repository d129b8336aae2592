/** Who hears of a run beside Slack: webhook and mail by real servers, real Temporal; one that is away neither holds up nor repeats the others. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { SMTPServer } from 'smtp-server';
import { createDeliverActivities } from '../../../activities/run/people/deliver.ts';
import { failureOf } from '../../../activities/runtime/translate-errors.ts';
import { ALL_EVENTS, type DeliveryTerms, MAIL_EVENTS } from '../../../domain/policy/deliveries.ts';
import { mailSink } from '../../../worker/notifications/smtp.ts';
import { secretsIn } from '../../../worker/notifications/standard-webhooks.ts';
import { webhookSink } from '../../../worker/notifications/webhook.ts';
import { eventually } from '../../support/eventually.ts';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const OPS: DeliveryTerms = { name: 'ops', kind: 'webhook', events: ALL_EVENTS };
const MAIL: DeliveryTerms = { name: 'stakeholders', kind: 'email', events: [...MAIL_EVENTS] };

/** Words of a header as RFC 2047 encodes them. */
const decoded = (header: string): string =>
  header
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/\s+/g, ' ')
    .replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_word, how: string, text: string) =>
      how.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString()
        : decodeURIComponent(
            text
              .replaceAll('_', ' ')
              .replaceAll('%', '%25')
              .replace(/=([0-9A-F]{2})/gi, '%$1'),
          ),
    );

/** Receivers; `answers` are those of the webhook, in order, 204 after the last. `putOff`: a recipient who is put off so often. */
async function receivers(answers: number[], putOff?: { address: string; count: number }) {
  const [events, subjects, mailed]: [string[], string[], string[]] = [[], [], []];
  let puttingOff = putOff?.count ?? 0;
  const web = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const status = answers.shift() ?? 204;
      if (status < 300) events.push((JSON.parse(body) as { data: { key: string } }).data.key);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const smtp = new SMTPServer({
    authOptional: true,
    logger: false,
    disableReverseLookup: true,
    onRcptTo: ({ address }, _session, done) => {
      const isPutOff = address === putOff?.address && puttingOff > 0;
      if (isPutOff) puttingOff -= 1;
      done(isPutOff ? Object.assign(new Error('greylisted'), { responseCode: 451 }) : undefined);
    },
    onData: (stream, session, done) => {
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => {
        const subject = decoded(/^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(text)?.[1] ?? '');
        subjects.push(subject);
        mailed.push(...session.envelope.rcptTo.map(({ address }) => `${address}: ${subject}`));
        done();
      });
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', () => resolve()));
  const url = new URL(`http://127.0.0.1:${(web.address() as AddressInfo).port}/`);
  const { port } = smtp.server.address() as AddressInfo;
  const ops = webhookSink({ name: 'ops', url, secrets: secretsIn(Buffer.alloc(32).toString('base64')) });
  const from = {
    host: '127.0.0.1',
    port,
    tls: 'none' as const,
    from: 'belay@example.com',
    to: ['team@example.com', ...(putOff === undefined ? [] : [putOff.address])],
  };
  const mail = mailSink({ access: { ...MAIL, kind: 'email', ...from } });
  const { deliverEvents } = createDeliverActivities({ sinkOf: (name) => ({ ops, stakeholders: mail })[name] });
  const close = async (): Promise<void> => {
    await new Promise((resolve) => web.close(resolve));
    await new Promise<void>((resolve) => smtp.close(() => resolve()));
  };
  return { events, subjects, mailed, deliverEvents, close };
}

const TOLD = ['upgrade/started', 'step/pre-checks@1.32/started/1', 'step/pre-checks@1.32/completed/1', 'upgrade/finished'];

test('an upgrade is told by webhook and mail, each event once, while Slack is away and the webhook answers 500 twice', async () => {
  const there = await receivers([500, 500]);
  const { activities } = fakeActivities({
    policy: quickPolicy({ channel: 'C1', deliveries: [OPS, MAIL] }),
    plan: plan(['pre-checks']),
  });
  let slackAttempts = 0;
  const all = {
    ...activities,
    deliverEvents: there.deliverEvents,
    publish: () => {
      slackAttempts += 1;
      return Promise.reject(failureOf('Unavailable', 'posting board to C1: Slack is away'));
    },
  };
  try {
    await withUpgrade(env, all, async (run) => {
      await run.until(({ state }) => state === 'completed', approveAll);
      // Slack's last words are still being waited for; the others have heard it all.
      await eventually(() => there.subjects.some((subject) => subject.includes('1.31 → 1.32 completed')));
      await eventually(() => TOLD.every((key) => there.events.includes(key)));
    });
    expect(slackAttempts).toBeGreaterThan(1);
    expect(there.events).toEqual([...new Set(there.events)]);
    const order = there.events.filter((key) => TOLD.includes(key));
    expect(order).toEqual(TOLD);
    expect(there.subjects[0]).toContain('1.31 → 1.32 started, requested by Alex');
    expect(there.subjects).toEqual([...new Set(there.subjects)]);
  } finally {
    await there.close();
  }
});

test('of two recipients, one whom the mail server puts off gets each mail in the end, and the other gets it once', async () => {
  const there = await receivers([], { address: 'lead@example.com', count: 2 });
  const { activities } = fakeActivities({ policy: quickPolicy({ channel: 'C1', deliveries: [MAIL] }), plan: plan(['pre-checks']) });
  try {
    await withUpgrade(env, { ...activities, deliverEvents: there.deliverEvents }, async (run) => {
      await run.until(
        () => there.mailed.some((mail) => mail.startsWith('lead')),
        () => undefined,
      );
      await run.finish(approveAll);
    });
    expect(there.mailed.slice(0, 2)).toEqual([
      expect.stringMatching(/^team@example\.com: .*started/),
      expect.stringMatching(/^lead@example\.com: .*started/),
    ]);
    expect(there.mailed).toEqual([...new Set(there.mailed)]);
  } finally {
    await there.close();
  }
});

test('a run that records no delivery schedules nothing for one', async () => {
  const { activities, world } = fakeActivities({ policy: quickPolicy({ channel: 'C1' }), plan: plan(['pre-checks']) });
  await withUpgrade(env, activities, (run) => run.finish(approveAll));
  expect(world.calls.filter(({ name }) => name === 'deliverEvents')).toEqual([]);
});
