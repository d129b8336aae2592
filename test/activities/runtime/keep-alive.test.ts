/** Activities that are busy and do not loop: that they are alive is said for them, and what they have kept goes along. */
import { setTimeout as sleep } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { beat } from '../../../activities/runtime/context.ts';
import { keepAliveInterceptor } from '../../../activities/runtime/keep-alive.ts';

const BUSY = { heartbeatTimeoutMs: 40, startToCloseTimeoutMs: 60_000, heartbeatDetails: 'of the attempt before' };

/** Details of the heartbeats while it is busy for a tenth of a second. */
async function beatsOf(info: Partial<MockActivityEnvironment['context']['info']>, first: () => void = () => {}): Promise<unknown[]> {
  const env = new MockActivityEnvironment({ ...BUSY, ...info }, { interceptors: [keepAliveInterceptor] });
  const beats: unknown[] = [];
  env.on('heartbeat', (details: unknown) => beats.push(details));
  await env.run(async () => {
    first();
    await sleep(100);
  });
  return beats;
}

test.each<[string, () => void, unknown]>([
  ['it has kept nothing itself', () => {}, 'of the attempt before'],
  ['it has kept something', () => beat('of this one'), 'of this one'],
])('where %s, that goes along with each heartbeat', async (_what, first, details) => {
  const beats = await beatsOf({}, first);
  expect(beats.length).toBeGreaterThan(1);
  expect([...new Set(beats)]).toEqual([details]);
});

test.each([
  ['without a heartbeat time-out', { heartbeatTimeoutMs: undefined }],
  ['with one of zero', { heartbeatTimeoutMs: 0 }],
  ['that may take an hour: it is a loop, and one that hangs has to be noticed', { startToCloseTimeoutMs: 3_600_000 }],
])('nothing is said for an activity %s', async (_what, info) => {
  expect(await beatsOf(info)).toEqual([]);
});
