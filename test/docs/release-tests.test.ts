/** What a run of the release suites is taken for. */
import { expect, test } from 'vitest';
import { summaryOf } from '../../scripts/docs/release-tests.ts';

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
