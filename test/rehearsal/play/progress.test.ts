/** What a rehearsal prints: every line with the time at which it happened, in order. */
import { expect, test } from 'vitest';
import { Progress } from '../../../rehearsal/play/progress.ts';

const START = '2026-03-02T09:00:00.000Z';
const at = (seconds: number): string => new Date(Date.parse(START) + seconds * 1000).toISOString();

function start() {
  const lines: string[] = [];
  const world = { elapsedMs: 0, events: [] as { at: string; text: string }[] };
  const progress = new Progress({ write: (line) => lines.push(line), elapsedMs: () => world.elapsedMs });
  progress.follow(() => world.events, Date.parse(START));
  return { lines, world, progress };
}

test('what the world did is told with its own time, before what came after it', () => {
  const { lines, world, progress } = start();
  world.events.push({ at: at(61), text: 'Karpenter launches node-7' });
  world.elapsedMs = 600_000;
  progress.line('slack says so');
  world.events.push({ at: at(601), text: 'node-7 is Ready' });
  progress.close();
  expect(lines).toEqual([
    '[00:01:01]   world      Karpenter launches node-7',
    '[00:10:00] slack says so',
    '[00:10:01]   world      node-7 is Ready',
  ]);
});

test('many at once are cut short with the time of the last', () => {
  const { lines, world, progress } = start();
  for (let index = 1; index <= 7; index += 1) world.events.push({ at: at(index), text: `event ${index}` });
  progress.close();
  expect(lines).toHaveLength(5);
  expect(lines.at(-1)).toBe('[00:00:07]   world      … and 3 more');
});
