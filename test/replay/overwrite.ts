/** Histories of a release are what its users' runs look like: once it is out, none is recorded over. */

export interface Recording {
  version: string;
  /** Text of CHANGELOG.md, whose heading of a version says `unreleased` or a date. */
  changelog: string;
  /** Names given on the command line; none: every story. */
  wanted: readonly string[];
  /** Stories of this version that are there. */
  existing: readonly string[];
}

/** Why these may not be recorded; undefined: they may. */
export function refusalToRecord({ version, changelog, wanted, existing }: Recording): string | undefined {
  const heading = changelog.split('\n').find((line) => line.startsWith(`## [${version}]`));
  if (heading === undefined) return `CHANGELOG.md has no heading for ${version}: add "## [${version}] - unreleased" first`;
  if (/ - unreleased$/i.test(heading)) return undefined;
  const over = wanted.length === 0 ? existing : wanted.filter((name) => existing.includes(name));
  if (over.length === 0) return undefined;
  return (
    `${version} is released (CHANGELOG.md: "${heading.slice(3)}"), so its histories stay as they are: ${over.join(', ')}. ` +
    'Raise the version in package.json and record for that one, or name stories that are new.'
  );
}
