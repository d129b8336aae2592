/** RT4: lists that are longer than Slack takes end with how many lines are missing, and never in the middle of one. */
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

  test('a first line that fits nowhere is counted, too', () => {
    expect(packLines(['x'.repeat(61), 'short'], 60, 2)).toEqual(['… and 2 more']);
  });
});
