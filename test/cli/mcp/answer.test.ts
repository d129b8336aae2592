/** Answers have a size and are clean, and say what they lack. */
import { expect, test } from 'vitest';
import { boundedData, boundedText, MOST_DATA, MOST_TEXT } from '../../../cli/mcp/answer.ts';
import { createTurns } from '../../../cli/mcp/turns.ts';

test('a text that is too long says where it was cut, and of how much', () => {
  expect(boundedText('short\nlines\t.')).toBe('short\nlines\t.');
  const long = boundedText('x'.repeat(MOST_TEXT + 5));
  expect(long.slice(MOST_TEXT)).toBe(
    `\n(Cut off after ${MOST_TEXT} of ${MOST_TEXT + 5} characters: ask for less, or run the command in a terminal.)`,
  );
});

test('what moves a cursor or turns text around is left out, and so are secrets', () => {
  expect(boundedText('\u001b[31mred\u001b[0m \u202eevil\u0007 password: hunter2hunter2')).toBe('red evil password: [redacted]');
  expect(boundedData({ 'a\u0007': ['\u001b[31mred', 1, { b: '\u202ex' }] })).toEqual({ a: ['red', 1, { b: 'x' }] });
  expect(boundedData({ token: 'abcdefgh12345678', message: 'AKIAABCDEFGHIJKLMNOP' })).toEqual({
    token: '[redacted]',
    message: '[redacted]',
  });
});

test('neither a control character nor a cut hides a secret', () => {
  expect(boundedText('AKIA\u0007ABCDEFGHIJKLMNOP')).toBe('[redacted]');
  expect(boundedData({ key: 'AKIA\u0007ABCDEFGHIJKLMNOP' })).toEqual({ key: '[redacted]' });
  const cut = boundedData({ notes: Array.from({ length: 400 }, () => `${'x '.repeat(243)}AKIAABCDEFGHIJKLMNOP and ${'y'.repeat(100)}`) });
  expect(cut).toHaveProperty('shortened');
  expect(JSON.stringify(cut)).not.toContain('AKIA');
});

test('data that is too large keeps its counts and its first items, and says so', () => {
  const pods = Array.from({ length: 5_000 }, (_, n) => ({ name: `pod-${n}`, note: 'y'.repeat(600) }));
  const data = boundedData({ counts: { required: 5_000 }, pods });
  expect(data).toMatchObject({
    shortened:
      'Lists are cut off after 50 items, and long texts are cut; what is left out is not "none". Ask for less, or run the command in a terminal.',
    counts: { required: 5_000 },
  });
  expect(data['pods']).toHaveLength(50);
  expect(JSON.stringify(data).length).toBeLessThanOrEqual(MOST_DATA);
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`key-${n}`, 'z'.repeat(300)]));
  expect(boundedData(many)).toEqual({ shortened: 'The data is too large for an answer and was left out; the text has the summary.' });
});

test('so many run at once, the others in their order, also after one that failed', async () => {
  const inTurn = createTurns(1);
  const order: string[] = [];
  const one = (name: string, fails = false): Promise<void> =>
    inTurn(async () => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
      if (fails) throw new Error('no');
    });
  await Promise.allSettled([one('a', true), one('b'), one('c')]);
  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});
