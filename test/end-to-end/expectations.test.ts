/** The second upgrade of a cluster knows from the first how long things take, and says when they do not. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { small } from '../../rehearsal/scenarios/small.ts';
import type { Scenario } from '../../rehearsal/scenarios/scenario.ts';
import { Theatre } from './support/theatre.ts';

const SPEED = 200;
/** Three seconds of wall time: the control plane's own time, not Belay's, is what the step takes; and AWS offers 1.33 by then. */
const scenario: Scenario = { ...small, startsAt: '2025-11-05T08:00:00Z', tempo: { ...small.tempo, controlPlaneUpdateMs: 600_000 } };

let theatre: Theatre;
beforeAll(async () => {
  theatre = await Theatre.open({ twice: { scenario } }, { speed: SPEED, learns: true });
}, 360_000);
afterAll(async () => {
  await theatre.close();
}, 180_000);

test('1.31 → 1.32, then 1.32 → 1.33 with a slow control plane: the plan says what is usual here, and the thread once what is not', async () => {
  const play = await theatre.play('twice');
  await play.start('1.32');
  expect(await play.closed(120_000)).toBe('COMPLETED');
  const first = play.record().status.steps.find(({ id }) => id === 'control-plane@1.32');
  const tookMs = Date.parse(first?.endedAt ?? '') - Date.parse(first?.startedAt ?? '');
  expect(tookMs).toBeGreaterThan(2_000);
  expect(play.thread().join('\n')).not.toMatch(/usually|slower than usual/);

  play.world.tempo.controlPlaneUpdateMs = tookMs * SPEED * 1.8;
  const earlier = play.thread().length;
  const planned = await theatre.belay('plan', 'twice', '--target', '1.33');
  expect(planned.stdout).toMatch(/control-plane@1\.33.+, usually \d+ s \(as in one upgrade of this cluster\)/);
  await play.start('1.33');
  await play.says(
    /Control plane 1\.32 → 1\.33 is slower than usual: \d+ s so far .+ usually \d+ s \(as in one upgrade of this cluster\)/,
    120_000,
  );
  const status = await theatre.belay('status', 'twice');
  expect(status.stdout).toMatch(/about \d+ (s|min) of work left, done .+ UTC at the earliest/);
  expect(await play.closed(120_000)).toBe('COMPLETED');
  const messages = play.thread().slice(earlier);
  expect(messages.filter((text) => text.includes('Control plane 1.32 → 1.33 is slower than usual'))).toHaveLength(1);
  const words = messages.join('\n');
  expect(words).not.toMatch(/Control plane 1\.32 → 1\.33 may be stuck/);
  expect(words).toMatch(/Control plane 1\.32 → 1\.33.+ · usually \d+ s \(as in one upgrade of this cluster\)/);
}, 1_260_000);
