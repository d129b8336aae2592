/** Runs of `npm test` in a copy of the checkout: one that records which test files reach which guards, and one for each mutant. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Guard, marked, OUT_OF_SIGHT } from './guards.ts';

export interface Recorded {
  /** Test files by guard. */
  reaching: Map<Guard, string[]>;
  /** Test files that run code which cannot be recorded: of workflows, or in other processes. */
  outOfSight: string[];
  /** Test files that fail although nothing is changed, alone as well. */
  failing: string[];
  tookMs: Map<string, number>;
}

/** Paths of test files are absolute. */
export function record(copy: string, guards: readonly Guard[]): Recorded {
  const log = join(copy, '.mutants.log');
  const summary = join(copy, '.mutants.json');
  writeFileSync(log, '');
  const restores = [...Map.groupBy(guards.entries(), ([, guard]) => guard.file)].map(([file, theirs]) =>
    replaced(join(copy, file), (text) => marked(text, new Map(theirs))),
  );
  const env = { MUTANTS_LOG: log };
  vitest(copy, ['related', '--reporter=json', `--outputFile=${summary}`, ...new Set(guards.map(({ file }) => file))], env);
  const { testResults } = JSON.parse(readFileSync(summary, 'utf8')) as Summary;
  const failed = testResults.filter(({ status }) => status !== 'passed').map(({ name }) => name);
  // As in CI: what passes alone has met a busy machine.
  const failing = failed.filter((path) => !vitest(copy, ['run', path], env));
  for (const restore of restores) restore();

  const notes = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { what: string; testPath: string });
  const noting = (what: string): string[] => [...new Set(notes.filter((note) => note.what === what).map(({ testPath }) => testPath))];
  return {
    reaching: new Map(guards.map((guard, index) => [guard, noting(String(index))])),
    outOfSight: noting(OUT_OF_SIGHT),
    failing,
    tookMs: new Map(testResults.map(({ name, startTime, endTime }) => [name, endTime - startTime])),
  };
}

/** What Vitest writes as JSON, as far as it is read. */
interface Summary {
  testResults: { name: string; status: string; startTime: number; endTime: number }[];
}

/** Whether a test file misses the guard. What cannot be recorded is asked last. */
export function isMissed(copy: string, guard: Guard, { reaching, outOfSight, tookMs }: Recorded): boolean {
  const reached = reaching.get(guard) ?? [];
  const room = join(copy, 'test', dirname(guard.file), '/');
  const took = (path: string): number => tookMs.get(path) ?? 0;
  const nearestFirst = (one: string, other: string): number =>
    Number(other.startsWith(room)) - Number(one.startsWith(room)) || took(one) - took(other);
  return [reached, outOfSight.filter((path) => !reached.includes(path))].some((paths) => {
    if (paths.length === 0) return false;
    const limitMs = Math.ceil(60_000 + 3 * paths.reduce((sum, path) => sum + took(path), 0));
    return !vitest(copy, ['run', '--bail=1', ...paths.toSorted(nearestFirst)], {}, limitMs);
  });
}

/** Gives the file other text; what it returns gives the old one back. */
export function replaced(path: string, change: (text: string) => string): () => void {
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, change(text));
  return () => writeFileSync(path, text);
}

/** Whether tests pass. One that outlasts the limit has failed. */
function vitest(copy: string, [command = '', ...what]: string[], env: NodeJS.ProcessEnv, timeout?: number): boolean {
  const ours = [command, '--run', '--config', join(copy, 'scripts/mutants/vitest.config.mjs'), '--silent', '--passWithNoTests'];
  const { status } = spawnSync(join(copy, 'node_modules/.bin/vitest'), [...ours, ...what], {
    cwd: copy,
    stdio: 'ignore',
    timeout,
    env: { ...process.env, ...env },
  });
  return status === 0;
}
