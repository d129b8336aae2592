/** Trouble: what was there before, what lasts, what is over, and what only looks like it. */
import { describe, expect, test } from 'vitest';
import {
  type ClusterLook,
  judgeAway,
  judgeLook,
  openTroubles,
  type Sighting,
  type TroubleKindName,
  type TroubleState,
} from '../../../domain/health/cluster-trouble.ts';

const MINUTE = 60_000;
const START = Date.parse('2025-04-29T09:00:00Z');
const see = (kind: TroubleKindName, owner = 'Deployment shop/web'): Sighting => ({
  kind,
  owner,
  title: `${owner}: ${kind}`,
  line: `${owner}: ${kind}, in full`,
});

/** Looks minute by minute; what people were told at each. */
function watch(looks: (Sighting[] | { unseen: string[] })[], begun?: TroubleState) {
  let state = begun;
  const told = looks.map((look, minute) => {
    const { sightings, unseen } = Array.isArray(look) ? { sightings: look, unseen: [] } : { sightings: [], unseen: look.unseen };
    const judged = judgeLook(state, { sightings, unseen, nowMs: START + minute * MINUTE });
    state = judged.state;
    const { fresh, solved } = judged.news;
    return [...fresh, ...solved.map((title) => `over ${title}`), ...judged.news.unseen.map((why) => `unknown ${why}`)];
  });
  return { told, state };
}
const times = <T>(n: number, item: T): T[] => Array.from({ length: n }, () => item);

describe('trouble', () => {
  test('what was there at the first look is never said, nor that it is over', () => {
    expect(watch([...times(20, [see('crash-loop')]), ...times(15, [])]).told.flat()).toEqual([]);
  });

  test('what comes later and lasts is said once, and once that it is over', () => {
    const { told } = watch([[], ...times(8, [see('multi-attach')]), ...times(5, [])]);
    expect(told.flat()).toEqual(['Deployment shop/web: multi-attach, in full', 'over Deployment shop/web: multi-attach']);
    expect(told.findIndex((lines) => lines.length > 0)).toBe(4);
  });

  test('what was there before, went, and comes again is said', () => {
    const { told } = watch([[see('image')], [], [], ...times(6, [see('image')])]);
    expect(told.flat()).toEqual(['Deployment shop/web: image, in full']);
  });

  test('what is old and seen for the first time may be gone at the next look', () => {
    const old = { ...see('pending'), sinceMs: START - 60 * MINUTE };
    expect(watch([[], [old], [old], [], [old], [old], []]).told.flat()).toEqual([]);
    expect(watch([[], [old], [old], [old]]).told.flat()).toEqual(['Deployment shop/web: pending, in full']);
  });

  test('what comes and goes as nodes roll is not said, however often', () => {
    const looks = times(20, [[see('scheduling')], [see('scheduling')], []]).flat();
    expect(watch([[], ...looks]).told.flat()).toEqual([]);
  });

  test('a container that runs between two crashes has not been mended', () => {
    const looks = times(5, [...times(3, [see('crash-loop')]), ...times(4, [])]).flat();
    expect(watch([[], ...looks]).told.flat()).toEqual(['Deployment shop/web: crash-loop, in full']);
  });

  test('what follows from something else of the same owner is not said beside it; of another owner it is', () => {
    const both = [see('multi-attach'), see('below'), see('below', 'Deployment shop/cart')];
    const { told } = watch([[], ...times(20, both), ...times(3, [see('below')])]);
    expect(told.flat()).toEqual([
      'Deployment shop/web: multi-attach, in full',
      'Deployment shop/cart: below, in full',
      'Deployment shop/web: below, in full',
      'over Deployment shop/web: multi-attach',
      'over Deployment shop/cart: below',
    ]);
  });

  test('what cannot be looked at is said once as unknown, and is not over', () => {
    const { told, state } = watch([[], ...times(5, [see('attach')]), ...times(3, [see('attach')]), ...times(9, { unseen: ['pods'] })]);
    expect(told.flat()).toEqual(['Deployment shop/web: attach, in full', 'unknown pods']);
    expect(state === undefined ? [] : openTroubles(state)).toEqual(['Deployment shop/web: attach, in full', 'UNKNOWN: pods']);
  });

  test('more than is told apart is said, and never taken for nothing', () => {
    const many = Array.from({ length: 400 }, (_, n) => see('pending', `Pod shop/p${n}`));
    const { told, state } = watch([many, many]);
    expect(told.flat()).toEqual([expect.stringMatching(/^More than 100 things are wrong at once: what else is, is UNKNOWN/)]);
    expect(JSON.stringify(state).length).toBeLessThan(32_000);
  });
});

describe('an API server that does not answer', () => {
  const at = (state: TroubleState | undefined, minute: number) =>
    judgeAway(state, 'connection refused', {
      wallMs: START + minute * MINUTE,
      transientMs: 15 * MINUTE,
      lasts: (ms) => `${ms / MINUTE} min`,
    });

  test('is transient for a while, is said once when it lasts, and said again when it answers', () => {
    const known: TroubleState = { known: {}, unseen: [] };
    const first = at(known, 0);
    expect(first.news.fresh).toEqual([]);
    expect(at({ ...known, away: first.away }, 14).news.fresh).toEqual([]);
    const late = at({ ...known, away: first.away }, 16);
    expect(late.news.fresh).toEqual(['The API server has not answered for 16 min: connection refused']);
    expect(at({ ...known, away: late.away }, 17).news.fresh).toEqual([]);
    const back = judgeLook({ ...known, away: late.away }, { sightings: [], unseen: [], nowMs: START });
    expect([back.news.solved, back.state.away]).toEqual([['the API server does not answer'], undefined]);
  });

  test('short ones are never heard of, and a first look that fails is no look: what was there before is still not said', () => {
    const blank: TroubleState = { known: {}, unseen: [], blank: true, away: at(undefined, 0).away };
    expect(watch(times(20, [see('pending')]), blank).told.flat()).toEqual([]);
  });
});

describe('RA16: nodes that join one after the other', () => {
  const NODES = 'NodePool default: nodes were launched and have not joined';
  const joining = (sinceMs: number, nowMs: number): ClusterLook => ({
    sightings: [
      { kind: 'node-never-joined', owner: 'NodePool default', title: NODES, sinceMs, line: `${NODES} for ${(nowMs - sinceMs) / 1000} s` },
    ],
    unseen: [],
    nowMs,
  });
  const told = (looks: ClusterLook[]): string[] => {
    let state: TroubleState | undefined = judgeLook(undefined, { sightings: [], unseen: [], nowMs: 0 }).state;
    return looks.flatMap((look) => {
      const judged = judgeLook(state, look);
      state = judged.state;
      return judged.news.fresh;
    });
  };

  test('are no trouble, however long the roll lasts', () => {
    const minutes = Array.from({ length: 40 }, (_, minute) => minute * 60_000 + 60_000);
    expect(told(minutes.map((nowMs) => joining(nowMs - 46_000, nowMs)))).toEqual([]);
  });

  test('one that does not join is, after ten minutes', () => {
    const minutes = Array.from({ length: 12 }, (_, minute) => minute * 60_000 + 60_000);
    expect(told(minutes.map((nowMs) => joining(30_000, nowMs)))).toEqual([expect.stringMatching(/have not joined for 630 s$/)]);
  });
});
