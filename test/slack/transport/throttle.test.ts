/** Nobody uses up what Slack answers to votes: membership is read once for what is shown, and each person asks only so often. */
import { describe, expect, test } from 'vitest';
import { cachedGroups } from '../../../slack/api/group-cache.ts';
import { type GroupReader, sharedReads } from '../../../slack/api/shared-reads.ts';
import { Throttle } from '../../../slack/transport/throttle.ts';
import type { Upgrades } from '../../../client/upgrades-client.ts';
import { field } from '../../../domain/core/unknown.ts';
import { eventually } from '../../support/eventually.ts';
import { CLUSTERS, withApp } from '../support.ts';

/** Counts its reads; fails while `down`. */
function counting(): { reader: GroupReader; state: { reads: number; down: boolean; members: string[] } } {
  const state = { reads: 0, down: false, members: ['U0SAM'] };
  const reader: GroupReader = {
    async members() {
      state.reads += 1;
      if (state.down) throw new Error('ratelimited');
      return [...state.members];
    },
  };
  return { reader, state };
}

describe('membership of a group', () => {
  test('RS8: for what is shown it is read once in three quarters of a minute, and failures are not kept', async () => {
    const { reader, state } = counting();
    let nowMs = 0;
    const shown = cachedGroups(reader, { nowMs: () => nowMs });
    for (let look = 0; look < 10; look += 1) expect(await shown.members('S0PLATFORM')).toEqual(['U0SAM']);
    expect(state.reads).toBe(1);
    nowMs = 60_000;
    state.down = true;
    await expect(shown.members('S0PLATFORM')).rejects.toThrow('ratelimited');
    state.down = false;
    expect(await shown.members('S0PLATFORM')).toEqual(['U0SAM']);
    expect(state.reads).toBe(3);
  });

  test('RS8: a vote reads it anew, and what was shown is no fallback; reads at the same time are one', async () => {
    const { reader, state } = counting();
    const fresh = sharedReads(reader);
    const shown = cachedGroups(fresh);
    await shown.members('S0PLATFORM');
    state.members = ['U0RIN'];
    expect(await fresh.members('S0PLATFORM')).toEqual(['U0RIN']);
    expect(await shown.members('S0PLATFORM')).toEqual(['U0SAM']);
    const before = state.reads;
    await Promise.all(Array.from({ length: 5 }, () => fresh.members('S0PLATFORM')));
    expect(state.reads).toBe(before + 1);
    state.down = true;
    await expect(fresh.members('S0PLATFORM')).rejects.toThrow('ratelimited');
  });
});

describe('a person who asks without end', () => {
  test('RS8: has twenty at once, then one in three seconds; others are not held up', () => {
    let nowMs = 1_000;
    const throttle = new Throttle({ burst: 20, everyMs: 3_000, nowMs: () => nowMs });
    const taken = Array.from({ length: 25 }, () => throttle.take('U0EVE')).filter((waitMs) => waitMs === 0);
    expect(taken).toHaveLength(20);
    expect(throttle.take('U0EVE')).toBe(3_000);
    expect(throttle.take('U0SAM')).toBe(0);
    nowMs += 3_000;
    expect([throttle.take('U0EVE'), throttle.take('U0EVE')]).toEqual([0, 3_000]);
  });

  test('RS8: an outsider who repeats pause reaches the run only so often, and is told; a vote of the same moment passes', async () => {
    await withApp({}, async (bench) => {
      for (let count = 0; count < 30; count += 1) await bench.slack.submitCommand('U0EVE', '/eks-upgrade pause staging');
      await eventually(() => bench.seenBy('U0EVE').some((text) => text.includes('Try again in')));
      expect(bench.asked.filter(({ what }) => what === 'pause').length).toBeLessThanOrEqual(22);
      await bench.slack.submitCommand('U0SAM', '/eks-upgrade pause staging');
      await eventually(() => bench.asked.some(({ request }) => JSON.stringify(request).includes('U0SAM')));
    });
  });
});

describe('a press in a view has no response url', () => {
  const OFFERED = ['1.33', '1.32'].map((version) => ({ version, status: 'STANDARD_SUPPORT' as const }));
  const versions: Upgrades['versions'] = (names) =>
    Promise.resolve({
      readAt: '2026-03-03T12:00:00Z',
      clusters: names.map((name) => ({ name, version: '1.31' })),
      offered: OFFERED,
    });
  const clusters = { ...CLUSTERS, names: () => ['staging', 'prod'], channelOf: () => '#eks-upgrades' };

  test('in a form too much is told over it, once in a while, and the form stays as it is', async () => {
    await withApp({ options: { clusters }, upgrades: { versions } }, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade');
      const form = await eventually(() => bench.slack.openViews('U0ALEX').at(-1));
      for (let count = 0; count < 30; count += 1)
        await bench.slack.pressInView('U0ALEX', form.id, 'form/cluster', { selected: count % 2 === 0 ? 'prod' : 'staging' });
      const [below, told] = await eventually(() => {
        const views = bench.slack.openViews('U0ALEX');
        return views.length > 1 ? views : undefined;
      });
      expect(told?.blocks.map(textOf)).toEqual([
        expect.stringMatching(/^⏳ Too many requests in a short time, so nothing was done\. Try again in \d s\.$/),
      ]);
      expect(below?.id).toBe(form.id);
      expect(JSON.stringify(below?.blocks)).toContain('"action_id":"form/cluster"');
    });
  });

  test('on the App Home it is told in a modal', async () => {
    await withApp({}, async (bench) => {
      await bench.slack.openHome('U0SAM');
      const home = await eventually(() => bench.slack.home('U0SAM'));
      for (let count = 0; count < 30; count += 1) await bench.slack.pressInView('U0SAM', home.id, 'home/refresh');
      const told = await eventually(() => bench.slack.openViews('U0SAM').at(-1));
      expect(textOf(told.blocks[0])).toMatch(/^⏳ Too many requests in a short time, so nothing was done\. Try again in \d s\.$/);
      expect(bench.slack.openViews('U0SAM').length).toBeLessThanOrEqual(3);
    });
  });
});

const textOf = (block: unknown): unknown => field(field(block, 'text'), 'text');
