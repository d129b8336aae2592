/** Progress of belay check: for eyes and for logs. */
import { afterEach, beforeEach, expect, vi, test } from 'vitest';
import { type ProgressStream, showProgress } from '../../../cli/render/check-progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function stream(isTTY: boolean): { written: string[]; on: ProgressStream } {
  const written: string[] = [];
  return { written, on: { isTTY, write: (text: unknown) => written.push(String(text)) > 0 } };
}

test('a terminal has one line, which is gone at the end', () => {
  const { written, on } = stream(true);
  const progress = showProgress(on, ['nodes', 'pods', 'insights']);
  progress.read('nodes');
  progress.read('pods');
  vi.advanceTimersByTime(60_000);
  progress.end();
  expect(written).toEqual([
    '\r\u001b[KRead 1 of 3; still reading pods, insights',
    '\r\u001b[KRead 2 of 3; still reading insights',
    '\r\u001b[K',
  ]);
});

test('a log has a line now and then, and none where all is read at once', () => {
  const { written, on } = stream(false);
  const progress = showProgress(on, ['nodes', 'pods', 'insights']);
  vi.advanceTimersByTime(5_000);
  progress.read('nodes');
  progress.read('pods');
  vi.advanceTimersByTime(5_000);
  progress.end();
  vi.advanceTimersByTime(60_000);
  expect(written).toEqual(['Read 0 of 3; still reading nodes, pods and 1 more\n', 'Read 2 of 3; still reading insights\n']);

  const quick = stream(false);
  const read = showProgress(quick.on, ['nodes']);
  read.read('nodes');
  read.end();
  expect(quick.written).toEqual([]);
});
