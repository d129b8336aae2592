/** EKS's clock is its own Date; where it says none, no other clock stands in for it. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readEksClock } from '../../../activities/eks/clock.ts';
import { CLUSTER } from '../../support/facts.ts';
import { type FakeEks, startFakeEks } from '../support/fake-eks.ts';

let eks: FakeEks;
beforeEach(async () => {
  eks = await startFakeEks();
});
afterEach(() => eks.close());

test('the Date of its answer', async () => {
  expect(await readEksClock(eks.aws, CLUSTER)).toBe(new Date(eks.nowSeconds * 1000).toISOString());
});

test('an answer without one: tried again', async () => {
  await expect(readEksClock({ ...eks.aws, eksDate: () => undefined }, CLUSTER)).rejects.toMatchObject({
    type: 'Unavailable',
    message: "reading EKS's clock: the answer for prod has no Date",
  });
});
