/** docs/release-tests.md: what came of the suites that are run before a release. */

export interface SuiteResult {
  name: string;
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

export function releaseDocument({ commit, day, results }: { commit: string; day: string; results: readonly SuiteResult[] }): string {
  const rows = results.map(({ name, passed, failed, skipped, minutes }) => `| ${name} | ${passed} | ${failed} | ${skipped} | ${minutes} |`);
  return `# Tests before a release

For whoever releases Belay, or wants to know what was tested. \`npm run test:release\` runs what takes too long for every change, and writes this page.

Last run: commit ${commit}, ${day}.

| Suite | Passed | Failed | Skipped | Minutes |
|---|---|---|---|---|
${rows.join('\n')}

Next: [Contributing](../CONTRIBUTING.md).
`;
}
