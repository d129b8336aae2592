/**
 * `npm run test:mutants [-- --seed S --count 100 --only N --list]`: takes guards of domain/, slack/ and activities/ away, one at a time, in a copy of the
 * checkout, and runs of `npm test` what the file reaches. A guard that nothing misses is printed. Exit code 1 if more than one in twenty is not missed,
 * 2 if tests fail without any change.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Guard, guardsOf, mutated, sampled } from './mutants/guards.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const WINGS = ['domain', 'slack', 'activities'];
/** Where most that a file does is tested; a wider look follows where nothing is missed there. */
const LIMIT_MS = 300_000;
/** Of a hundred. */
const ENOUGH = 95;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: 'guards' },
    count: { type: 'string', default: '100' },
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
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
const chosen = values.only === undefined ? sample : sample.slice(Number(values.only) - 1, Number(values.only));
const name = ({ file, line, condition, change }: Guard): string =>
  `${file}:${line} ${change}: ${condition.replace(/\s+/g, ' ').slice(0, 100)}`;
console.log(`${all.length} guards, ${sample.length} of them by seed ${values.seed}.`);
if (values.list) {
  for (const [index, guard] of sample.entries()) console.log(`#${index + 1} ${name(guard)}`);
  process.exit(0);
}

const copy = mkdtempSync(join(tmpdir(), 'belay-mutants-'));
const survivors: string[] = [];
const sound = new Map<string, boolean>();
try {
  for (const entry of readdirSync(ROOT)) {
    if (entry === 'node_modules' || entry === '.git' || entry === 'dist') continue;
    cpSync(join(ROOT, entry), join(copy, entry), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir');
  for (const [index, guard] of chosen.entries()) {
    const path = join(copy, guard.file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, mutated(text, guard));
    const startedAtMs = Date.now();
    const killer = killerOf(guard.file);
    writeFileSync(path, text);
    const isMissed = killer !== undefined;
    if (isMissed && !passes(killer)) {
      console.error(`Tests fail as they are, so they prove nothing: ${killer.join(' ')}`);
      process.exit(2);
    }
    if (!isMissed) survivors.push(name(guard));
    const seconds = Math.round((Date.now() - startedAtMs) / 1000);
    console.log(`#${values.only ?? index + 1} ${isMissed ? 'killed' : 'SURVIVED'} ${seconds} s  ${name(guard)}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
const killed = chosen.length - survivors.length;
console.log(`\n${killed} of ${chosen.length} killed${survivors.length === 0 ? '.' : '; survivors:'}`);
for (const survivor of survivors) console.log(`  ${survivor}`);
process.exitCode = killed * 100 >= chosen.length * ENOUGH ? 0 : 1;

/** The tests that fail, if any do: first those of its own room. */
function killerOf(file: string): string[] | undefined {
  const own = `test/${dirname(file)}/`;
  const choices = [...(existsSync(join(copy, own)) ? [[own]] : []), ['--findRelatedTests', file]];
  return choices.find(fails);
}

/** As they are, with nothing changed; each is tried once. */
function passes(what: string[]): boolean {
  const known = sound.get(what.join(' ')) ?? !fails(what);
  sound.set(what.join(' '), known);
  return known;
}

function fails(what: string[]): boolean {
  const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', '--bail', '--silent', '--maxWorkers=2'];
  const { status } = spawnSync(process.execPath, [...jest, '--passWithNoTests', ...what], {
    cwd: copy,
    stdio: 'ignore',
    timeout: LIMIT_MS,
  });
  return status !== 0;
}
