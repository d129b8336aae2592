/** What a run of the release suites is taken for, and what the page says of all of them. */
import { expect, test } from 'vitest';
import { releaseDocument, resultsIn, summaryOf } from '../../scripts/docs/release-tests.ts';

test.each<[string, string, number | null, object]>([
  ['Vitest', '      Tests  1 failed | 30 passed | 2 skipped (33)\n', 1, { passed: 30, failed: 1, skipped: 2 }],
  ['its last summary', '      Tests  1 failed (1)\n      Tests  5 passed (5)\n', 0, { passed: 5, failed: 0, skipped: 0 }],
  ['chaos', '\n98 of 100 held; broken: 3, 7 of seed ab.\n', 1, { passed: 98, failed: 2, skipped: 0 }],
  ['an end without a summary', 'npm error\n', 1, { passed: 0, failed: 1, skipped: 0 }],
  ['silence, although the code is 0', '', 0, { passed: 0, failed: 1, skipped: 0 }],
  ['a summary without failures of a process that was killed', '      Tests  5 passed (5)\n', null, { passed: 5, failed: 1, skipped: 0 }],
])('%s', (_what, said, code, summary) => {
  expect(summaryOf(said, code)).toEqual(summary);
});

const done = { commit: '1a2b3c4', day: '2026-05-04', passed: 30, failed: 0, skipped: 0, minutes: 12 };
const verdict = (...results: Parameters<typeof releaseDocument>[1]): string | undefined =>
  releaseDocument(['long', 'chaos'], results).split('\n')[4];

test.each([
  [
    'all on one commit',
    [
      { ...done, name: 'long' },
      { ...done, name: 'chaos' },
    ],
    'All suites passed on commit 1a2b3c4.',
  ],
  ['none', [], 'Not ready for a release: not run yet: long, chaos.'],
  ['one is missing', [{ ...done, name: 'long' }], 'Not ready for a release: not run yet: chaos.'],
  [
    'one failed, on another commit',
    [
      { ...done, name: 'long', commit: '9f8e7d6' },
      { ...done, name: 'chaos', failed: 1 },
    ],
    'Not ready for a release: not whole: chaos; the suites were run on different commits.',
  ],
  [
    'one skipped tests',
    [
      { ...done, name: 'long', skipped: 2 },
      { ...done, name: 'chaos' },
    ],
    'Not ready for a release: not whole: long.',
  ],
])('the page: %s', (_what, results, says) => {
  expect(verdict(...results)).toBe(says);
});

test('a run of one suite keeps what the page says of the others; the newest result of a suite counts, and a suite that is gone goes', () => {
  const page = releaseDocument(
    ['long', 'chaos', 'old'],
    ['long', 'chaos', 'old'].map((name) => ({ ...done, name })),
  );
  const next = { ...done, name: 'chaos', passed: 100, minutes: 60 };
  expect(resultsIn(releaseDocument(['long', 'chaos'], [next, ...resultsIn(page)]))).toEqual([{ ...done, name: 'long' }, next]);
});
