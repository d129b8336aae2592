/** What Slack's text looks like in a terminal. */
import { expect, test } from 'vitest';
import { plainText } from '../../../../rehearsal/neighbours/slack/block-kit/plain-text.ts';
import { WORKSPACE } from '../../../../rehearsal/neighbours/slack/workspace.ts';

test.each([
  ['<!subteam^S0PLATFORM> Decision needed: continue?', '@platform Decision needed: continue?'],
  [
    '*Approve* by <@U0SAM>, <!date^1772539200^{time} {date_short_pretty}|2026-03-03 12:00 UTC>',
    'Approve by Sam Rivera, 2026-03-03 12:00 UTC',
  ],
  ['<http://127.0.0.1:8233/a|Open in Temporal UI>', 'Open in Temporal UI (http://127.0.0.1:8233/a)'],
  ['10 &lt; 12 &amp; <@U9GONE>', '10 < 12 & U9GONE'],
  ['schedule 0 9 * * mon-fri', 'schedule 0 9 * * mon-fri'],
])('%s', (text, expected) => expect(plainText(text, WORKSPACE)).toBe(expected));
