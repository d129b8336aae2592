import { expect, test } from 'vitest';
import { noteBlocks } from '../../../../slack/blocks/note.ts';
import { inReadersTime } from '../../../../slack/blocks/kit/time.ts';

const NOON = '<!date^1772539200^{date_short_pretty} {time}|2026-03-03 12:00 UTC>';

test.each<[string, string]>([
  ['until 2026-03-03T12:00:00Z.', `until ${NOON}.`],
  ['until 2026-03-03T12:00:00.000Z (EKS)', `until ${NOON} (EKS)`],
  ['looks at 2026-03-03 12:00 UTC', `looks at ${NOON}`],
  ['a day alone, 2026-03-03, and a local time, 2026-03-03 12:00', 'a day alone, 2026-03-03, and a local time, 2026-03-03 12:00'],
  ['opens Tue 2026-03-03 12:00 UTC', 'opens Tue 2026-03-03 12:00 UTC'],
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
