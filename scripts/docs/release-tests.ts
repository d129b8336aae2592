/** docs/release-tests.md: what came of the suites that are run before a release. */

export interface SuiteResult {
  name: string;
  /** Short id of the commit that was tested. */
  commit: string;
  /** 2026-05-04 */
  day: string;
  passed: number;
  failed: number;
  skipped: number;
  minutes: number;
}

/** By Vitest's last summary, or the last line of the chaos runs. What ends badly without a count is one failure. */
export function summaryOf(said: string, code: number | null): Pick<SuiteResult, 'passed' | 'failed' | 'skipped'> {
  const tests = [...said.matchAll(/^ *Tests  .*$/gm)].at(-1)?.[0] ?? '';
  const of = (what: string): number => Number(new RegExp(`(\\d+) ${what}`).exec(tests)?.[1] ?? 0);
  const runs = /^(\d+) of (\d+) held/m.exec(said);
  const counted =
    runs === null
      ? { passed: of('passed'), failed: of('failed'), skipped: of('skipped') }
      : { passed: Number(runs[1]), failed: Number(runs[2]) - Number(runs[1]), skipped: 0 };
  const isCounted = runs !== null || tests !== '';
  return code === 0 && isCounted ? counted : { ...counted, failed: Math.max(1, counted.failed) };
}

const HEAD = ['| Suite | Commit | Day | Passed | Failed | Skipped | Minutes |', '|---|---|---|---|---|---|---|'];

/** The table of that page; empty for a page without one. */
export function resultsIn(page: string): SuiteResult[] {
  return [...page.matchAll(/^\| (.+?) \| ([0-9a-f]+) \| ([\d-]+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/gm)].map(
    ([, name = '', commit = '', day = '', ...counts]) => {
      const [passed = 0, failed = 0, skipped = 0, minutes = 0] = counts.map(Number);
      return { name, commit, day, passed, failed, skipped, minutes };
    },
  );
}

/** `suites`: the names of all there are, in order; `results`: of each the last run, if there was one. */
export function releaseDocument(suites: readonly string[], results: readonly SuiteResult[]): string {
  const known = suites.flatMap((name) => results.find((each) => each.name === name) ?? []);
  const rows = known.map(
    ({ name, commit, day, passed, failed, skipped, minutes }) =>
      `| ${name} | ${commit} | ${day} | ${passed} | ${failed} | ${skipped} | ${minutes} |`,
  );
  return `# Tests before a release

For whoever releases Belay, or wants to know what was tested. \`npm run test:release\` runs what takes too long for every change, and writes this page, suite by suite.

${verdictOf(suites, known)}
${rows.length === 0 ? '' : `\n${[...HEAD, ...rows].join('\n')}\n`}
Next: [Contributing](../CONTRIBUTING.md).
`;
}

/** Only what all suites have passed on one commit may be released. */
function verdictOf(suites: readonly string[], results: readonly SuiteResult[]): string {
  const missing = suites.filter((name) => !results.some((each) => each.name === name));
  const failing = results.filter(({ failed, skipped }) => failed + skipped > 0).map(({ name }) => name);
  const commits = new Set(results.map(({ commit }) => commit));
  const why = [
    ...(missing.length === 0 ? [] : [`not run yet: ${missing.join(', ')}`]),
    ...(failing.length === 0 ? [] : [`not whole: ${failing.join(', ')}`]),
    ...(commits.size <= 1 ? [] : ['the suites were run on different commits']),
  ];
  return why.length === 0 ? `All suites passed on commit ${[...commits].join('')}.` : `Not ready for a release: ${why.join('; ')}.`;
}
