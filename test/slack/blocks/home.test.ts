/** The App Home in the words that people read. */
import { expect, test } from 'vitest';
import { type Home, type HomeGate, homeView } from '../../../slack/blocks/home.ts';
import { read } from '../reading.ts';

const AT = '2026-03-03T12:10:00Z';
const EMPTY: Home = {
  campaigns: [],
  moreCampaignCount: 0,
  needCount: 0,
  mine: [],
  others: [],
  runs: [],
  versions: { clusters: [], offered: [], readAt: AT },
  problems: [],
  at: AT,
};
const GATE: HomeGate = { cluster: 'prod', title: 'Control plane 1.31 → 1.32', expiresAt: '2026-03-04T12:00:00Z' };
const THREAD = 'https://example.slack.com/archives/C0UPGRADES/p1';

/** As it is read, with times in UTC and links as their words. */
const words = (home: Partial<Home>): string =>
  read({ text: '', blocks: homeView({ ...EMPTY, ...home }).blocks as Parameters<typeof read>[0]['blocks'] })
    .text.replace(/<!date\^\d+\^[^|]*\|([^>]+)>/g, '$1')
    .replace(/<https:[^|]*\|([^>]+)>/g, '[$1]');

test.each<[string, Partial<HomeGate>, string]>([
  ['with its thread', { url: THREAD }, 'Decide by 2026-03-04 12:00 UTC · [Decide in the thread]'],
  ['whose message is not there yet', {}, 'Decide by 2026-03-04 12:00 UTC'],
  [
    'where the reader has voted',
    { url: THREAD, voted: true, progress: '1 of 2 approvals' },
    'Decide by 2026-03-04 12:00 UTC · 1 of 2 approvals · you have voted · [Open the thread]',
  ],
])('a gate %s', (_case, change, expected) => {
  expect(words({ mine: [{ ...GATE, ...change }] }).split('\n')).toEqual(
    expect.arrayContaining(['# Waiting for you (1)', '⏳ *prod*: Control plane 1.31 → 1.32', expected]),
  );
});

test.each([
  ['with its thread', { from: '1.31', to: '1.32', url: THREAD }, '▶ *prod* 1.31 → 1.32', ' · [Open the thread]'],
  ['that is being planned', { to: '1.32' }, '▶ *prod* → 1.32', ''],
  ['of which no version is known', {}, '▶ *prod*', ''],
])('a run %s', (_case, change, first, thread) => {
  const run = { cluster: 'prod', state: 'Node groups → 1.32', startedAt: '2026-03-03T10:00:00Z', ...change };
  expect(words({ runs: [run] }).split('\n')).toEqual(
    expect.arrayContaining(['# Running upgrades (1)', first, `Node groups → 1.32 · since 2026-03-03 10:00 UTC${thread}`]),
  );
});
