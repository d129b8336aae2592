/** RT3: no history of a release is recorded over. */
import { expect, test } from 'vitest';
import { refusalToRecord } from './overwrite.ts';

const OPEN = '# Changelog\n\n## [0.2.0] - unreleased\n\n## [0.1.0] - 2026-12-01\n';
const existing = ['every-phase', 'expired'];

test.each<[string, string, string[], string | undefined]>([
  ['all of an unreleased version', '0.2.0', [], undefined],
  ['one of an unreleased version', '0.2.0', ['expired'], undefined],
  ['a new one of a release', '0.1.0', ['newcomer'], undefined],
  [
    'all of a release',
    '0.1.0',
    [],
    '0.1.0 is released (CHANGELOG.md: "[0.1.0] - 2026-12-01"), so its histories stay as they are: every-phase, expired. Raise the version in package.json and record for that one, or name stories that are new.',
  ],
  [
    'one of a release by name',
    '0.1.0',
    ['newcomer', 'expired'],
    '0.1.0 is released (CHANGELOG.md: "[0.1.0] - 2026-12-01"), so its histories stay as they are: expired. Raise the version in package.json and record for that one, or name stories that are new.',
  ],
  ['a version that the changelog does not know', '0.3.0', [], 'CHANGELOG.md has no heading for 0.3.0: add "## [0.3.0] - unreleased" first'],
])('recording %s', (_what, version, wanted, refusal) => {
  expect(refusalToRecord({ version, changelog: OPEN, wanted, existing })).toBe(refusal);
});
