/**
 * `npm run test:mutants [-- --seed S --count 100 --only 3,14 --list --unreached]`: takes guards of domain/, slack/ and activities/ away, one at a time, in a copy of the
 * checkout, and runs those files of `npm test` that reach the guard, which a first run finds out. A guard that nothing misses is printed. Exit code 1 if
 * more than one in twenty is not missed, 2 if tests fail without any change. `--unreached` names those of all guards that no test file reaches.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Guard, guardsOf, mutated, sampled } from './mutants/guards.ts';
import { isMissed, record, type Recorded, replaced } from './mutants/runs.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const WINGS = ['domain', 'slack', 'activities'];
/** Of a hundred. */
const ENOUGH = 95;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: 'guards' },
    count: { type: 'string', default: '100' },
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
    unreached: { type: 'boolean', default: false },
  },
});
const count = Number(values.count);
if (!Number.isInteger(count) || count < 1) throw new RangeError('--count takes a whole number from 1 on.');

const files = WINGS.flatMap((wing) =>
  readdirSync(join(ROOT, wing), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${wing}/${file}`)
    .toSorted(),
);
const all = files.flatMap((file) => guardsOf(file, readFileSync(join(ROOT, file), 'utf8')));
const sample = sampled(all, count, values.seed);
const numbered = sample.map((guard, index) => ({ guard, number: index + 1 }));
const only = values.only?.split(',').map(Number);
const chosen = numbered.filter(({ number }) => only?.includes(number) ?? true);
const name = ({ file, line, condition, change }: Guard): string =>
  `${file}:${line} ${change}: ${condition.replace(/\s+/g, ' ').slice(0, 100)}`;
console.log(`${all.length} guards, ${sample.length} of them by seed ${values.seed}.`);
if (values.list) {
  for (const { guard, number } of numbered) console.log(`#${number} ${name(guard)}`);
  process.exit(0);
}

const copy = realpathSync(mkdtempSync(join(tmpdir(), 'belay-mutants-')));
const survivors: string[] = [];
try {
  for (const entry of readdirSync(ROOT)) {
    if (entry === 'node_modules' || entry === '.git' || entry === 'dist') continue;
    cpSync(join(ROOT, entry), join(copy, entry), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir');
  const startedAtMs = Date.now();
  const recorded = record(copy, values.unreached ? all : chosen.map(({ guard }) => guard));
  console.log(`Recorded which of ${recorded.tookMs.size} test files reach them in ${secondsSince(startedAtMs)} s.`);
  if (recorded.failing.length > 0) {
    console.error(`Tests fail as they are, so they prove nothing: ${recorded.failing.map((path) => relative(copy, path)).join(' ')}`);
    process.exitCode = 2;
  } else if (values.unreached) {
    const unreached = all.filter((guard) => recorded.reaching.get(guard)?.length === 0);
    for (const guard of unreached) console.log(name(guard));
    console.log(`\n${unreached.length} of ${all.length} guards are reached by no test file.`);
  } else {
    for (const { guard, number } of chosen) tryWithout(guard, number, recorded);
    report();
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function tryWithout(guard: Guard, number: number, recorded: Recorded): void {
  const startedAtMs = Date.now();
  const restore = replaced(join(copy, guard.file), (text) => mutated(text, guard));
  const missed = isMissed(copy, guard, recorded);
  restore();
  if (!missed) survivors.push(name(guard));
  const reached = recorded.reaching.get(guard)?.length;
  console.log(`#${number} ${missed ? 'killed' : 'SURVIVED'} ${secondsSince(startedAtMs)} s, ${reached} test files  ${name(guard)}`);
}

function report(): void {
  const killed = chosen.length - survivors.length;
  console.log(`\n${killed} of ${chosen.length} killed${survivors.length === 0 ? '.' : '; survivors:'}`);
  for (const survivor of survivors) console.log(`  ${survivor}`);
  process.exitCode = killed * 100 >= chosen.length * ENOUGH ? 0 : 1;
}

function secondsSince(fromMs: number): number {
  return Math.round((Date.now() - fromMs) / 1000);
}
