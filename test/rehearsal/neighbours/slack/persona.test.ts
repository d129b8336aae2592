/** The persona presses what a person would press, and again when the press was lost. */
import { describe, expect, test } from 'vitest';
import type { App } from '@slack/bolt';
import { startPersona } from '../../../../rehearsal/neighbours/slack/persona.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Bench, CHANNEL, gateBlocks, startBolt, withSlack } from './support.ts';

const plain = (text: string) => ({ type: 'plain_text' as const, text });

/** Edits the gate message when a button is pressed; `hears` may refuse to do so. */
function deciding(app: App, pressed: string[], hears: () => boolean = () => true): void {
  app.action(/^gate\//, async ({ body, action, ack, client }) => {
    await ack();
    pressed.push('action_id' in action ? action.action_id : action.type);
    if (!hears() || body.type !== 'block_actions') return;
    await client.chat.update({ channel: CHANNEL, ts: body.message?.ts ?? '', text: 'decided' });
  });
}

const post = (bench: Bench, choices: string[], gateId?: string) =>
  bench.client.chat.postMessage({ channel: CHANNEL, text: 'gate', blocks: gateBlocks(choices, gateId) });

const persona = (bench: Bench, options: Partial<Parameters<typeof startPersona>[0]> = {}): void => {
  const started = startPersona({ slack: bench.slack, user: 'U0SAM', mode: 'approve', thinkMs: 10, pressAgainMs: 300, ...options });
  bench.after.push(() => started.close());
};

const decidedCount = (bench: Bench): number => bench.slack.messages().filter(({ text }) => text === 'decided').length;

describe('persona', () => {
  test.each([
    ['approves', ['reject', 'approve'], {}, 'gate/approve'],
    ['scales a blocked service', ['wait', 'scale', 'delete', 'skip'], {}, 'gate/scale'],
    ['retries', ['abort', 'skip', 'retry'], {}, 'gate/retry'],
    ['takes what else goes on', ['abort', 'keep', 'lift'], {}, 'gate/keep'],
    ['prefers what it was told', ['approve', 'reject'], { prefer: ['reject'] }, 'gate/reject'],
    ['decides this gate as told', ['approve', 'reject'], { decide: () => 'reject' }, 'gate/reject'],
  ])('%s', (_name, choices, options, expected) =>
    withSlack(async (bench) => {
      const pressed: string[] = [];
      await startBolt(bench, (app) => deciding(app, pressed));
      persona(bench, options);
      await post(bench, choices);
      await eventually(() => decidedCount(bench) === 1);
      expect(pressed).toEqual([expected]);
    }),
  );

  test('leaves gates alone that it must ignore, never rejects or aborts by itself, and stands by in mode ask', () =>
    withSlack(async (bench) => {
      const pressed: string[] = [];
      await startBolt(bench, (app) => deciding(app, pressed));
      persona(bench, { decide: (gateId) => (gateId.startsWith('before:bake') ? 'ignore' : undefined) });
      persona(bench, { user: 'U0RIN', mode: 'ask' });
      await post(bench, ['approve'], 'before:bake@1.33#1');
      await post(bench, ['reject', 'abort'], 'before:node-groups@1.33#1');
      await post(bench, ['approve'], 'before:karpenter-drift@1.33#1');
      await eventually(() => decidedCount(bench) === 1);
      expect(pressed).toEqual(['gate/approve']);
    }));

  test('a replica more is tried at two gates; whoever is asked again deletes the pod, or leaves the node', () =>
    withSlack(async (bench) => {
      const pressed: string[] = [];
      await startBolt(bench, (app) => deciding(app, pressed));
      persona(bench);
      for (const [index, round] of [1, 2, 3].entries()) {
        await post(bench, ['scale', 'skip-node'], `blocked:karpenter-drift@1.33#${round}`);
        await eventually(() => decidedCount(bench) === index + 1);
      }
      // Validation names the node: that is known.
      await post(bench, ['retry', 'skip', 'abort'], 'failed:validation@1.33#1');
      await eventually(() => decidedCount(bench) === 4);
      await post(bench, ['scale', 'skip-node', 'delete-pod'], 'blocked:karpenter-drift@1.33#4');
      await eventually(() => decidedCount(bench) === 5);
      expect(pressed).toEqual(['gate/scale', 'gate/scale', 'gate/skip-node', 'gate/skip', 'gate/delete-pod']);
    }));

  test('where the gate says that no replica more would help, the pod is deleted at once', () =>
    withSlack(async (bench) => {
      const pressed: string[] = [];
      await startBolt(bench, (app) => deciding(app, pressed));
      persona(bench);
      const [text, buttons] = gateBlocks(['wait', 'delete-pod', 'skip-node'], 'blocked:karpenter-drift@1.33#1');
      const says = { type: 'section' as const, text: plain('One more replica would not help: the budget has to change') };
      await bench.client.chat.postMessage({
        channel: CHANNEL,
        text: 'gate',
        blocks: [text, says, buttons].filter((each) => each !== undefined),
      });
      await eventually(() => decidedCount(bench) === 1);
      expect(pressed).toEqual(['gate/delete-pod']);
    }));

  test('answers the same gate of two clusters apart, each as it was told for it', () =>
    withSlack(async (bench) => {
      const pressed: string[] = [];
      await startBolt(bench, (app) => deciding(app, pressed));
      persona(bench, { decide: (_gate, workflowId) => (workflowId.endsWith('/bad') ? 'abort' : undefined) });
      for (const cluster of ['good', 'bad'])
        await bench.client.chat.postMessage({
          channel: CHANNEL,
          text: 'gate',
          blocks: gateBlocks(['retry', 'abort'], 'failed:control-plane@1.33#1', `eks-upgrade/1/r/${cluster}`),
        });
      await eventually(() => decidedCount(bench) === 2);
      expect(pressed.toSorted()).toEqual(['gate/abort', 'gate/retry']);
    }));

  test('presses again when the app took the press and died', () =>
    withSlack(async (bench) => {
      const pressed: string[] = [];
      await startBolt(bench, (app) => deciding(app, pressed, () => pressed.length > 1));
      persona(bench);
      await post(bench, ['approve']);
      await eventually(() => decidedCount(bench) === 1);
      expect(pressed).toEqual(['gate/approve', 'gate/approve']);
    }));

  test('presses again as soon as an app is there, when the press found none', () =>
    withSlack(async (bench) => {
      const pressed: string[] = [];
      let clicks = 0;
      bench.slack.onClick(() => void (clicks += 1));
      persona(bench);
      await post(bench, ['approve']);
      await eventually(() => clicks === 1);
      await startBolt(bench, (app) => deciding(app, pressed));
      await eventually(() => decidedCount(bench) === 1);
      expect(pressed).toEqual(['gate/approve']);
    }));

  test('gives a reason when it is asked for one', () =>
    withSlack(async (bench) => {
      const reasons: (string | null | undefined)[] = [];
      await startBolt(bench, (app) => {
        app.action('gate/skip', async ({ body, ack, client }) => {
          await ack();
          if (body.type !== 'block_actions') return;
          const input = {
            type: 'input' as const,
            block_id: 'reason',
            label: plain('Reason'),
            element: { type: 'plain_text_input' as const, action_id: 'text' },
          };
          await client.views.open({
            trigger_id: body.trigger_id,
            view: {
              type: 'modal',
              callback_id: 'reason',
              private_metadata: body.message?.ts,
              title: plain('Skip'),
              submit: plain('Skip'),
              blocks: [input],
            },
          });
        });
        app.view('reason', async ({ ack, view, client }) => {
          await ack();
          reasons.push(view.state.values['reason']?.['text']?.value);
          await client.chat.update({ channel: CHANNEL, ts: view.private_metadata, text: 'decided' });
        });
      });
      persona(bench);
      await post(bench, ['skip', 'abort']);
      await eventually(() => decidedCount(bench) === 1);
      expect(reasons).toEqual(['rehearsal: skip by the persona']);
    }));
});
