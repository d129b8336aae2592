/** The Slack process in socket mode: what it needs to start, when it gives up, whom it lets in. */
import { describe, expect, test } from 'vitest';
import { gateBlocks } from '../../slack/blocks/gate.ts';
import { open } from './fixtures.ts';
import { eventually } from '../support/eventually.ts';
import { BASE, post, withApp } from './support.ts';

describe('the process', () => {
  test('says which setting is missing or refused', async () => {
    await expect(withApp({ settings: { botToken: undefined } }, () => Promise.resolve())).rejects.toThrow('SLACK_BOT_TOKEN is not set.');
    await expect(withApp({ settings: { appToken: undefined } }, () => Promise.resolve())).rejects.toThrow('Set SLACK_APP_TOKEN');
    await expect(withApp({ settings: { botToken: 'nonsense' } }, () => Promise.resolve())).rejects.toThrow(
      'checking SLACK_BOT_TOKEN: Slack answered invalid_auth. Check the token.',
    );
    await expect(withApp({ settings: { appToken: 'xoxb-wrong-kind' } }, () => Promise.resolve())).rejects.toThrow(
      'opening the socket with SLACK_APP_TOKEN: Slack answered not_allowed_token_type.',
    );
  });

  test('S21: gives up, with a clear message, when the socket stays away', async () => {
    await withApp({ options: { disconnectedLimitMs: 3_000 } }, async ({ slack, running }) => {
      slack.setDown(true);
      expect(await running.lost).toContain('no connection to Slack for 3 s: exiting');
      // It tries until its process ends; here it is let in again, so that no try outlives the test and fails in another.
      slack.setDown(false);
      await eventually(() => slack.connected() === 1);
    });
  });

  test('S7: people of another organisation decide nothing', async () => {
    const team = { id: 'T0OTHER', name: 'Other', domain: 'other' };
    await withApp({}, async (bench) => {
      const ts = await post(bench, gateBlocks({ state: open(), ...BASE }));
      Object.assign(bench.slack.workspace, { team });
      try {
        await bench.slack.click('U0EVE', ts, 'gate/approve');
        await eventually(() => bench.seenBy('U0EVE').find((text) => text.startsWith('Nothing was done: only members of the workspace')));
        expect(bench.asked).toEqual([
          {
            what: 'refused',
            request: { what: 'A request from another organisation, team T0OTHER', actor: { kind: 'slack', id: 'U0EVE' } },
          },
        ]);
      } finally {
        Object.assign(bench.slack.workspace, { team: { id: 'T0BELAY', name: 'Belay rehearsal', domain: 'belay-rehearsal' } });
      }
    });
  });
});
