/** RT4: lists that are longer than Slack takes end with how many lines are missing; only a line that is longer than a text is cut. */
import { describe, expect, test } from 'vitest';
import { packLines } from '../../../../slack/blocks/kit/text.ts';

const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index} of a list`);

describe('lines in texts of 60 characters', () => {
  test.each<[string, string[], string[]]>([
    ['nothing', [], []],
    ['what fits', lines(3), ['line 0 of a list\nline 1 of a list\nline 2 of a list']],
    ['a second text', lines(4), ['line 0 of a list\nline 1 of a list\nline 2 of a list', 'line 3 of a list']],
    [
      'more than two texts hold',
      lines(9),
      ['line 0 of a list\nline 1 of a list\nline 2 of a list', 'line 3 of a list\nline 4 of a list\n… and 4 more'],
    ],
  ])('%s', (_what, given, texts) => {
    expect(packLines(given, 60, 2)).toEqual(texts);
  });

  const kept = 'x'.repeat(58);
  test.each<[string, string[], string[]]>([
    ['is cut', ['x'.repeat(61), 'short'], [`${'x'.repeat(59)}…`, 'short']],
    ['is taken apart at its line breaks', [`${kept}\n${'y'.repeat(61)}`, 'short'], [kept, `${'y'.repeat(38)}…\n… and 1 more`]],
    ['is cut before an entity', [`${kept}&lt;`], [`${kept}…`]],
    ['is cut before a link', [`${kept}<https://example.com|x>`], [`${kept}…`]],
    ['is cut before what takes two units of text', [`${kept}x\u{1f600}`], [`${kept}x…`]],
  ])('a line that is longer than a text %s', (_what, given, texts) => {
    expect(packLines(given, 60, 2)).toEqual(texts);
  });
});
