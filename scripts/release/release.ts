/** Is everything of one version, before anything is published? A version cannot be published twice. */
import { type Section, sectionOf } from './changelog.ts';

export interface Sources {
  /** "v0.1.0" */
  tag: string;
  /** "owner/name" on GitHub; undefined outside of a workflow there. */
  repository: string | undefined;
  manifest: { version: string; repository: { url: string } };
  chart: { version: string; appVersion: string };
  changelog: string;
}

export interface Release {
  version: string;
  /** npm's dist-tag: `npm install eks-belay` never brings a prerelease. */
  distTag: 'latest' | 'next';
  notes: string;
}

// https://semver.org, without build metadata: "+" is in no tag of an image.
const TAG = /^v((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(-[0-9A-Za-z.-]+)?)$/;

/** What is to be released, or a line for each thing that is of another version. */
export function releaseOf({ tag, repository, manifest, chart, changelog }: Sources): Release | { problems: string[] } {
  const [, version, prerelease] = TAG.exec(tag) ?? [];
  if (version === undefined) return { problems: [`Tag ${tag} is not a version such as v0.1.0.`] };
  const section = sectionOf(changelog, version);
  const problems = [
    ...differs('package.json: version', manifest.version, version),
    ...differs('deploy/chart/Chart.yaml: version', chart.version, version),
    ...differs('deploy/chart/Chart.yaml: appVersion', chart.appVersion, version),
    ...problemsOf(section, version),
    // npm refuses a provenance that names another repository than the package: docs.npmjs.com/generating-provenance-statements
    ...(repository === undefined
      ? []
      : differs('package.json: repository.url', manifest.repository.url, `git+https://github.com/${repository}.git`)),
  ];
  if (problems.length > 0) return { problems };
  return { version, distTag: prerelease === undefined ? 'latest' : 'next', notes: section?.text ?? '' };
}

function differs(what: string, is: string, wanted: string): string[] {
  return is === wanted ? [] : [`${what} is ${is}, and has to be ${wanted}.`];
}

function problemsOf(section: Section | undefined, version: string): string[] {
  if (section === undefined) return [`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD".`];
  if (!/^\d{4}-\d\d-\d\d$/.test(section.date)) return [`CHANGELOG.md: ${version} is "${section.date}", and needs its date.`];
  return section.text === '' ? [`CHANGELOG.md says nothing under ${version}.`] : [];
}
