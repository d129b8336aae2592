/** World time of many worlds on one machine: what blocks the process holds up their time as well. */
import { expect, test } from 'vitest';
import { PacedClock } from '../../../rehearsal/world/paced-clock.ts';
import { eventually } from '../../support/eventually.ts';

/** Nothing else of this process runs meanwhile. */
function block(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

test('time passes at the clock’s speed, never back, and hardly while the process is blocked', async () => {
  const clock = new PacedClock({ startsAt: '2026-03-02T09:00:00Z', speed: 600 });
  try {
    await eventually('a minute has passed', () => clock.elapsedMs() > 60_000);
    const before = clock.elapsedMs();
    block(300);
    const after = clock.elapsedMs();
    expect(after).toBeGreaterThanOrEqual(before);
    // 25 ms of 300 count: 15 s of three minutes.
    expect(after - before).toBeLessThanOrEqual(15_001);
    await eventually('time goes on', () => clock.elapsedMs() > after + 60_000);
    expect(clock.now().getTime()).toBeGreaterThan(Date.parse('2026-03-02T09:02:00Z'));
  } finally {
    clock.close();
  }
});
