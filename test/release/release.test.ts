/** A release goes out only if tag, package, chart and changelog are of one version. */
import { describe, expect, test } from 'vitest';
import { sectionOf } from '../../scripts/release/changelog.ts';
import { releaseOf, type Sources } from '../../scripts/release/release.ts';

const changelog = `# Changelog

## [0.2.0] - 2026-12-01

### Added

- Two.

## [0.2.0-rc.1] - 2026-11-29

- One.

## [0.1.0] - unreleased

## [0.0.9] - 2026-01-02
`;
const healthy: Sources = {
  tag: 'v0.2.0',
  repository: 'example/eks-belay',
  manifest: { version: '0.2.0', repository: { url: 'git+https://github.com/example/eks-belay.git' } },
  chart: { version: '0.2.0', appVersion: '0.2.0' },
  changelog,
};
const at = (version: string, more: Partial<Sources> = {}): Sources => ({
  ...healthy,
  tag: `v${version}`,
  manifest: { ...healthy.manifest, version },
  chart: { version, appVersion: version },
  ...more,
});

test('a version is released with the notes of its section', () => {
  expect(releaseOf(healthy)).toEqual({ version: '0.2.0', distTag: 'latest', notes: '### Added\n\n- Two.' });
});

test('a prerelease is nobody’s latest', () => {
  expect(releaseOf(at('0.2.0-rc.1'))).toEqual({ version: '0.2.0-rc.1', distTag: 'next', notes: '- One.' });
});

test('outside of GitHub nothing is said of the repository', () => {
  expect(releaseOf({ ...healthy, repository: undefined })).toMatchObject({ version: '0.2.0' });
});

describe('it is refused', () => {
  test.each<[string, Sources, string[]]>([
    ['by a tag that is no version', { ...healthy, tag: '0.2.0' }, ['Tag 0.2.0 is not a version such as v0.1.0.']],
    ['by a tag with more in it', { ...healthy, tag: 'v0.2.0;id' }, ['Tag v0.2.0;id is not a version such as v0.1.0.']],
    [
      'where the package is of another version',
      { ...healthy, manifest: { ...healthy.manifest, version: '0.1.0' } },
      ['package.json: version is 0.1.0, and has to be 0.2.0.'],
    ],
    [
      'where the chart is',
      { ...healthy, chart: { version: '0.1.0', appVersion: '0.1.1' } },
      [
        'deploy/chart/Chart.yaml: version is 0.1.0, and has to be 0.2.0.',
        'deploy/chart/Chart.yaml: appVersion is 0.1.1, and has to be 0.2.0.',
      ],
    ],
    ['without a section', at('0.3.0'), ['CHANGELOG.md has no section "## [0.3.0] - YYYY-MM-DD".']],
    ['before its day', at('0.1.0'), ['CHANGELOG.md: 0.1.0 is "unreleased", and needs its date.']],
    ['with nothing to say', at('0.0.9'), ['CHANGELOG.md says nothing under 0.0.9.']],
    [
      'in a repository that is not the package’s, for which npm takes no provenance',
      { ...healthy, repository: 'somebody/fork' },
      [
        'package.json: repository.url is git+https://github.com/example/eks-belay.git, and has to be git+https://github.com/somebody/fork.git.',
      ],
    ],
  ])('%s', (_, sources, problems) => {
    expect(releaseOf(sources)).toEqual({ problems });
  });
});

test('a section ends where the next begins', () => {
  expect(sectionOf(changelog, '0.2.0-rc.1')).toEqual({ date: '2026-11-29', text: '- One.' });
  expect(sectionOf(changelog, '0.2')).toBeUndefined();
});
