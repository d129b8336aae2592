/**
 * `npm run test:release [-- --only SUITE]... [--lanes COUNT]`: the suites that take too long for every change, before a release, three at a time, as some
 * wait more than they compute. Writes what came of each to docs/release-tests.md as soon as it has ended. Exit code 1 if one fails, 2 for bad
 * arguments or files that are not committed.
 */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { count } from '../domain/core/text.ts';
import { releaseDocument, resultsIn, type SuiteResult, summaryOf } from './docs/release-tests.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const PAGE = `${ROOT}docs/release-tests.md`;
const CHAOS_RUNS = 100;

const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
const commit = git('rev-parse', '--short', 'HEAD');

/** npm scripts by what the document calls them, in the order in which lanes take them: what is long before what is short. */
const SUITES: Record<string, string[]> = {
  // Seeds that nobody chose beforehand.
  chaos: ['test:chaos', '--', '--seed', commit, '--count', String(CHAOS_RUNS), '--at-once', '3'],
  'forecasts on real parts': ['test:real', '--', 'forecast'],
  'longest runs on PostgreSQL': ['test:production:long'],
  'longest plays': ['test:e2e:long'],
  'people on real parts': ['test:real:people'],
  'records in a bucket': ['test:s3'],
  eksup: ['test:real:eksup'],
};

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true, default: [] }, lanes: { type: 'string', default: '3' } },
});
const unknown = values.only.filter((name) => !(name in SUITES));
if (unknown.length > 0) {
  console.error(`no suite is called ${unknown.join(', ')}; there are: ${Object.keys(SUITES).join(', ')}`);
  process.exit(2);
}
if (!/^[1-9]$/.test(values.lanes)) {
  console.error(`--lanes ${values.lanes}: write how many suites run at a time, 1 to 9`);
  process.exit(2);
}
// This page is written on the way.
if (git('status', '--porcelain', '--', '.', ':!docs/release-tests.md') !== '') {
  console.error('The result names a commit: commit what has changed first.');
  process.exit(2);
}

const results: SuiteResult[] = [];
const queue = Object.entries(SUITES).filter(([name]) => values.only.length === 0 || values.only.includes(name));
await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
for (const { name, passed, failed, skipped, minutes } of results) {
  console.log(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped, ${count(minutes, 'minute')}`);
}
process.exitCode = results.every(({ failed, skipped }) => failed === 0 && skipped === 0) ? 0 : 1;

async function lane(): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [name, script] = next;
    console.log(`\n=== ${name}: npm run ${script.join(' ')}`);
    const result = await played(name, script);
    results.push(result);
    // Only what has just ended: of the others, a later run may have written its own.
    writeFileSync(PAGE, releaseDocument(Object.keys(SUITES), [result, ...resultsIn(readFileSync(PAGE, 'utf8'))]));
  }
}

/** Lines of suites that run beside each other begin with the suite's name. */
async function played(name: string, script: string[]): Promise<SuiteResult> {
  const startedAtMs = Date.now();
  // As under CI: a tool that is missing is a failure. What is read has no colours.
  const child = spawn('npm', ['run', ...script], {
    cwd: ROOT,
    env: { ...process.env, CI: 'true', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const)
    createInterface({ input: from }).on('line', (line) => {
      said += `${line}\n`;
      to.write(`${name}: ${line}\n`);
    });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const minutes = Math.max(1, Math.round((Date.now() - startedAtMs) / 60_000));
  return { name, commit, day: new Date().toISOString().slice(0, 10), minutes, ...summaryOf(said, code) };
}
