/** Lines of an answer that is never held whole. */
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { linesOfStream } from '../../../activities/runtime/text-of-stream.ts';

async function linesOf(chunks: readonly Buffer[]): Promise<string[]> {
  const lines: string[] = [];
  await linesOfStream(Readable.from(chunks), (line) => lines.push(line));
  return lines;
}

test('wherever it is cut, in a line, a letter or between two', async () => {
  const whole = Buffer.from('up{zone="Zürich"} 1\n\n# größer\nlast 2');
  const lines = ['up{zone="Zürich"} 1', '', '# größer', 'last 2'];
  for (let size = 1; size <= whole.length; size += 1) {
    const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) => whole.subarray(at * size, (at + 1) * size));
    expect(await linesOf(chunks)).toEqual(lines);
  }
  expect(await linesOf([])).toEqual([]);
});

test('a line without an end is given up', async () => {
  const endless = Array.from({ length: 20 }, () => Buffer.alloc(100_000, 'x'));
  await expect(linesOf(endless)).rejects.toThrow(new RangeError('the answer has no end'));
});
