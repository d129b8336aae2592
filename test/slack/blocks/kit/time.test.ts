import { expect, test } from 'vitest';
import { gateBlocks } from '../../../../slack/blocks/gate.ts';
import { code, codeLines, link, mrkdwn, mrkdwnLines } from '../../../../slack/blocks/kit/text.ts';
import { noteBlocks } from '../../../../slack/blocks/note.ts';
import { inReadersTime } from '../../../../slack/blocks/kit/time.ts';
import { open, RUN_ID, WORKFLOW_ID } from '../../fixtures.ts';

const NOON = '<!date^1772539200^{time} {date_short_pretty}|2026-03-03 12:00 UTC>';

test.each<[string, string]>([
  ['until 2026-03-03T12:00:00Z.', `until ${NOON}.`],
  ['until 2026-03-03T12:00:00.000Z (EKS)', `until ${NOON} (EKS)`],
  ['looks at 2026-03-03 12:00 UTC', `looks at ${NOON}`],
  ['a day alone, 2026-03-03, and a local time, 2026-03-03 12:00', 'a day alone, 2026-03-03, and a local time, 2026-03-03 12:00'],
  ['opens Tue 2026-03-03 12:00 UTC', `opens ${NOON}`],
  ['opens Tue 2026-03-03 13:00 Europe/Berlin (UTC+01:00), in 37 h', `opens ${NOON}, in 37 h`],
  ['it is Tue 2026-03-03 13:00 Europe/Berlin, outside', 'it is Tue 2026-03-03 13:00 Europe/Berlin, outside'],
  ['copy `2026-03-03T12:00:00Z`, by 2026-03-03T12:00:00Z', `copy \`2026-03-03T12:00:00Z\`, by ${NOON}`],
  ['no time: 2026-13-03T12:00:00Z', 'no time: 2026-13-03T12:00:00Z'],
  ['pod web-2026-03-03T12:00:00Z', 'pod web-2026-03-03T12:00:00Z'],
  [NOON, NOON],
])('%s', (text, expected) => {
  expect(inReadersTime(text)).toBe(expected);
});

test('a note in the thread says when in the time of whoever reads it', () => {
  const { text, blocks } = noteBlocks({ kind: 'note', level: 'info', text: 'The window closes at 2026-03-03T12:00:00Z.' });
  expect(text).toBe(`ℹ The window closes at ${NOON}.`);
  expect(JSON.stringify(blocks)).toContain(NOON);
});

const AT = '2026-03-03T12:00:00Z';

test.each<[string, string, string]>([
  ['mrkdwn', mrkdwn(`the window closes ${AT}`, 200), `the window closes ${NOON}`],
  ['mrkdwnLines', mrkdwnLines(`one\nuntil ${AT}`, 200), `one\nuntil ${NOON}`],
  ['a time that is cut is no time', mrkdwn(`until ${AT}`, 20), 'until 2026-03-03T12…'],
  ['somebody else’s token stays text', mrkdwn('<!date^1^{time}|x> <!channel>', 200), '&lt;!date^1^{time}|x&gt; &lt;!channel&gt;'],
  ['code is for copying', code(AT, 60), `\`${AT}\``],
  ['so are code blocks', codeLines(`at: ${AT}`, 200), `at: ${AT}`],
  ['Slack shows no times in labels of links', link('https://example.com', `run of ${AT}`), `<https://example.com|run of ${AT}>`],
])('every text for Slack: %s', (_what, text, expected) => {
  expect(text).toBe(expected);
});

test('a gate says its evidence and what can be undone in the time of whoever reads it', () => {
  const evidence = [{ title: 'Window', lines: [`EKS can roll it back until ${AT}`] }];
  const state = open({ evidence, undo: 'Until 2026-03-03 12:00 UTC.' });
  const { blocks } = gateBlocks({ state, workflowId: WORKFLOW_ID, revision: 1, mention: { users: [], groups: [] }, run: RUN_ID });
  const texts = JSON.stringify(blocks);
  expect(texts).toContain(`EKS can roll it back until ${NOON}`);
  expect(texts).toContain(`Until ${NOON}.`);
});
