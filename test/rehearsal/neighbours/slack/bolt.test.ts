/** Unmodified Bolt apps, in socket mode and over signed HTTP requests, cannot tell the stand-in from Slack. */
import { connect, createServer, type Socket } from 'node:net';
import { App, type BlockAction } from '@slack/bolt';
import { describe, expect, test } from 'vitest';
import { freePorts } from '../../../../rehearsal/processes/free-port.ts';
import { WORKSPACE } from '../../../../rehearsal/neighbours/slack/workspace.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Bench, CHANNEL, gateBlocks, SILENT, startBolt, withSlack } from './support.ts';

const plain = (text: string) => ({ type: 'plain_text' as const, text });

const REASON_VIEW = {
  type: 'modal' as const,
  callback_id: 'reason',
  private_metadata: '{"gateId":"g"}',
  title: plain('Reject'),
  submit: plain('Reject'),
  close: plain('Cancel'),
  blocks: [
    {
      type: 'input' as const,
      block_id: 'reason',
      label: plain('Reason'),
      element: { type: 'plain_text_input' as const, action_id: 'text', max_length: 20 },
    },
    {
      type: 'input' as const,
      block_id: 'kind',
      optional: true,
      label: plain('Kind'),
      element: { type: 'static_select' as const, action_id: 'kind', options: [{ text: plain('Too early'), value: 'early' }] },
    },
  ],
};

const lastEphemeral = ({ slack }: Bench, user: string): string | undefined =>
  slack.messages().findLast(({ ephemeralTo }) => ephemeralTo === user)?.text;

describe('socket mode', () => {
  test('a command comes with who, where and what; respond and ack payloads reach only the one who typed', () =>
    withSlack(async (bench) => {
      await startBolt(bench, (app) => {
        app.command('/eks-upgrade', async ({ command, ack, respond }) => {
          await ack({ text: `on it, ${command.user_name}` });
          await respond({ text: `${command.channel_name}: ${command.text}`, response_type: 'in_channel' });
        });
      });
      expect(await bench.slack.submitCommand('U0ALEX', '/eks-upgrade start staging 1.32')).toBe('acked');
      expect(lastEphemeral(bench, 'U0ALEX')).toBe('on it, alex');
      const said = await eventually(() => bench.slack.messages().find(({ ephemeralTo }) => ephemeralTo === undefined));
      expect(said).toMatchObject({ text: 'eks-upgrades: start staging 1.32', user: 'U0BELAY' });
    }));

  test('a button press carries its value, the message and the thread, and the answer can replace the message', () =>
    withSlack(async (bench) => {
      const seen: BlockAction[] = [];
      await startBolt(bench, (app) => {
        app.action<BlockAction>(/^gate\//, async ({ body, ack, respond }) => {
          await ack();
          seen.push(body);
          await respond({ replace_original: true, text: 'approved' });
        });
      });
      const board = await bench.client.chat.postMessage({ channel: CHANNEL, text: 'board' });
      const gate = await bench.client.chat.postMessage({
        channel: CHANNEL,
        text: 'gate',
        thread_ts: board.ts,
        blocks: gateBlocks(['approve', 'reject']),
      });
      const clicks: unknown[] = [];
      bench.slack.onClick(async (click) => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        clicks.push([click, seen.length]);
      });

      expect(await bench.slack.click('U0SAM', gate.ts ?? '', 'gate/approve')).toBe('acked');
      const [body] = seen;
      expect(clicks).toEqual([
        [{ actionId: 'gate/approve', value: expect.stringContaining('"choice":"approve"'), messageTs: gate.ts, user: 'U0SAM' }, 0],
      ]);
      expect(body).toMatchObject({
        user: { id: 'U0SAM' },
        channel: { id: CHANNEL },
        container: { type: 'message', message_ts: gate.ts, thread_ts: board.ts },
        message: { ts: gate.ts, thread_ts: board.ts },
        actions: [{ action_id: 'gate/approve', block_id: 'gate', type: 'button' }],
      });
      await eventually(() =>
        bench.slack.messages().some(({ ts, text, blocks }) => ts === gate.ts && text === 'approved' && blocks.length === 0),
      );
      expect(await bench.slack.click('U0SAM', gate.ts ?? '', 'gate/approve')).toBe('no-such-button');
    }));

  test('U3: modals are pushed over the one that is open, three at most, and each knows what it is over', () =>
    withSlack(async (bench) => {
      const refused: unknown[] = [];
      const pushed = (title: string) => ({
        type: 'modal' as const,
        title: { type: 'plain_text' as const, text: title },
        blocks: [
          {
            type: 'actions' as const,
            elements: [{ type: 'button' as const, action_id: 'push', text: { type: 'plain_text' as const, text: 'On' } }],
          },
        ],
      });
      await startBolt(bench, (app) => {
        app.action<BlockAction>('gate/reject', async ({ body, ack, client }) => {
          await ack();
          await client.views.push({ trigger_id: body.trigger_id, view: pushed('none') }).catch((error) => refused.push(error.data.error));
        });
        app.action<BlockAction>('gate/approve', async ({ body, ack, client }) => {
          await ack();
          await client.views.open({ trigger_id: body.trigger_id, view: pushed('root') });
        });
        app.action<BlockAction>('push', async ({ body, ack, client }) => {
          await ack();
          await client.views.push({ trigger_id: body.trigger_id, view: pushed('over') }).catch((error) => refused.push(error.data.error));
        });
      });
      const { ts = '' } = await bench.client.chat.postMessage({
        channel: CHANNEL,
        text: 'gate',
        blocks: gateBlocks(['approve', 'reject']),
      });
      await bench.slack.click('U0SAM', ts, 'gate/reject');
      await eventually(() => refused.length === 1);
      await bench.slack.click('U0SAM', ts, 'gate/approve');
      for (const count of [1, 2, 3]) {
        await eventually(() => bench.slack.openViews('U0SAM').length === count);
        await bench.slack.pressInView('U0SAM', bench.slack.openViews('U0SAM').at(-1)?.id ?? '', 'push');
      }
      await eventually(() => refused.length === 2);
      expect(refused).toEqual(['not_found', 'push_limit_reached']);
      const [root, over, third] = bench.slack.openViews('U0SAM');
      expect([root, over, third].map((view) => [view?.['root_view_id'], view?.['previous_view_id']])).toEqual([
        [root?.id, null],
        [root?.id, root?.id],
        [root?.id, over?.id],
      ]);
    }));

  test('a modal opens by trigger, refuses what Slack refuses, shows the app’s errors, and closes', () =>
    withSlack(async (bench) => {
      const reasons: unknown[] = [];
      await startBolt(bench, (app) => {
        app.action<BlockAction>('gate/reject', async ({ body, ack, client }) => {
          await ack();
          await client.views.open({ trigger_id: body.trigger_id, view: REASON_VIEW });
        });
        app.view('reason', async ({ ack, view, body }) => {
          const reason = view.state.values['reason']?.['text']?.value ?? '';
          if (reason === 'no') return ack({ response_action: 'errors', errors: { reason: 'Say more.' } });
          await ack();
          reasons.push([body.user.id, view.private_metadata, reason, view.state.values['kind']?.['kind']?.selected_option?.value]);
        });
      });
      const { ts = '' } = await bench.client.chat.postMessage({ channel: CHANNEL, text: 'gate', blocks: gateBlocks(['reject']) });
      await bench.slack.click('U0SAM', ts, 'gate/reject');
      const view = await eventually(() => bench.slack.openViews('U0SAM')[0]);
      expect(bench.slack.openViews('U0RIN')).toEqual([]);

      expect(await bench.slack.submitView('U0SAM', view.id, {})).toEqual({
        outcome: 'refused',
        closed: false,
        errors: { reason: 'Please complete this required field.' },
      });
      expect(await bench.slack.submitView('U0SAM', view.id, { reason: 'x'.repeat(21) })).toMatchObject({
        errors: { reason: 'Please use at most 20 characters.' },
      });
      expect(await bench.slack.submitView('U0SAM', view.id, { reason: 'no' })).toEqual({
        outcome: 'acked',
        closed: false,
        errors: { reason: 'Say more.' },
      });
      expect(await bench.slack.submitView('U0SAM', view.id, { reason: 'not on a Friday', kind: 'early' })).toEqual({
        outcome: 'acked',
        closed: true,
      });
      expect(reasons).toEqual([['U0SAM', '{"gateId":"g"}', 'not on a Friday', 'early']]);
      expect(bench.slack.openViews('U0SAM')).toEqual([]);
    }));

  test('of two processes each envelope reaches one', () =>
    withSlack(async (bench) => {
      const heard: string[] = [];
      for (const name of ['first', 'second'])
        await startBolt(bench, (app) => {
          app.command('/eks-upgrade', async ({ ack }) => {
            heard.push(name);
            await ack();
          });
        });
      expect(bench.slack.connected()).toBe(2);
      for (let turn = 0; turn < 4; turn += 1) await bench.slack.submitCommand('U0ALEX', '/eks-upgrade help');
      expect(heard).toHaveLength(4);
    }));

  test('an app comes back after Slack was down', () =>
    withSlack(async (bench) => {
      await startBolt(bench, (app) => app.command('/eks-upgrade', ({ ack }) => ack({ text: 'here' })));
      bench.slack.setDown(true);
      await eventually(() => bench.slack.connected() === 0);
      bench.slack.setDown(false);
      await eventually(() => bench.slack.connected() === 1);
      expect(await bench.slack.submitCommand('U0ALEX', '/eks-upgrade help')).toBe('acked');
    }));

  test('without an app the one who typed is told so, and a press is known to be lost', () =>
    withSlack(async (bench) => {
      expect(await bench.slack.submitCommand('U0ALEX', '/eks-upgrade help')).toBe('no-app');
      expect(lastEphemeral(bench, 'U0ALEX')).toBe('/eks-upgrade failed with the error "dispatch_failed"');
      await bench.slack.submitCommand('U0ALEX', '/eks-upgarde help');
      expect(lastEphemeral(bench, 'U0ALEX')).toBe('/eks-upgarde is not a valid command.');
      const { ts = '' } = await bench.client.chat.postMessage({ channel: CHANNEL, text: 'gate', blocks: gateBlocks(['approve']) });
      expect(await bench.slack.click('U0SAM', ts, 'gate/approve')).toBe('no-app');
    }));

  test('an app that does not acknowledge in time is reported to the one who typed', () =>
    withSlack(
      async (bench) => {
        await startBolt(bench, (app) => app.command('/eks-upgrade', async () => undefined));
        expect(await bench.slack.submitCommand('U0ALEX', '/eks-upgrade help')).toBe('unanswered');
        expect(lastEphemeral(bench, 'U0ALEX')).toBe('/eks-upgrade failed with the error "operation_timeout"');
      },
      { ackTimeoutMs: 100 },
    ));
});

test('the socket goes the way that the app took to the Web API: what cuts one cuts the other', () =>
  withSlack(async (bench) => {
    const upstream = new URL(bench.slack.apiUrl);
    const sockets = new Set<Socket>();
    const relay = createServer((inward) => {
      const outward = connect(Number(upstream.port), upstream.hostname);
      for (const socket of [inward, outward]) {
        sockets.add(socket.on('error', () => undefined));
        socket.once('close', () => [inward, outward].forEach((each) => each.destroy()));
      }
      inward.pipe(outward).pipe(inward);
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    bench.after.push(() => relay.close());
    const address = relay.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await startBolt({ ...bench, slack: { ...bench.slack, apiUrl: `http://127.0.0.1:${port}/api/` } }, () => undefined, false);
    await eventually(() => bench.slack.connected() === 1);
    relay.close();
    for (const socket of sockets) socket.destroy();
    await eventually(() => bench.slack.connected() === 0);
  }));

describe('HTTP mode', () => {
  async function withHttpApp(signingSecret: string, run: (bench: Bench, heard: string[]) => Promise<void>): Promise<void> {
    const [port = 0] = await freePorts(1);
    await withSlack(
      async (bench) => {
        const app = new App({
          token: WORKSPACE.botToken,
          signingSecret,
          logger: SILENT,
          clientOptions: { slackApiUrl: bench.slack.apiUrl },
        });
        const heard: string[] = [];
        app.command('/eks-upgrade', async ({ command, ack }) => {
          heard.push(command.text);
          await ack(`heard ${command.text}`);
        });
        app.action('gate/approve', async ({ action, ack }) => {
          await ack();
          heard.push(action.type === 'button' ? (action.value ?? '') : action.type);
        });
        await app.start(port);
        bench.after.push(() => app.stop());
        await run(bench, heard);
      },
      { httpRequestUrl: `http://127.0.0.1:${port}/slack/events` },
    );
  }

  test('commands and presses arrive signed', () =>
    withHttpApp(WORKSPACE.signingSecret, async (bench, heard) => {
      expect(await bench.slack.submitCommand('U0ALEX', '/eks-upgrade plan staging 1.32')).toBe('acked');
      expect(lastEphemeral(bench, 'U0ALEX')).toBe('heard plan staging 1.32');
      const { ts = '' } = await bench.client.chat.postMessage({ channel: CHANNEL, text: 'gate', blocks: gateBlocks(['approve']) });
      expect(await bench.slack.click('U0SAM', ts, 'gate/approve')).toBe('acked');
      expect(heard).toEqual(['plan staging 1.32', expect.stringContaining('"choice":"approve"')]);
    }));

  test('an app with another signing secret refuses them', () =>
    withHttpApp('another-secret', async (bench, heard) => {
      expect(await bench.slack.submitCommand('U0ALEX', '/eks-upgrade help')).toBe('unanswered');
      expect(heard).toEqual([]);
    }));
});
