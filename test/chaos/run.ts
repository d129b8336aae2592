/** Chaos: upgrades under faults and kills that a seed draws. `npm run test:chaos -- --seed S --count 50 --only N --speed 60 --at-once 1` */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { builtProgram } from '../support/build-program.ts';
import { PROGRAM_VARIABLE } from '../support/program.ts';
import { quietRuntime } from '../support/temporal.ts';
import { draw } from './draw.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string', default: '50' },
    only: { type: 'string' },
    speed: { type: 'string', default: '60' },
    // They wait more than they compute.
    'at-once': { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
});
const seed = values.seed ?? randomBytes(4).toString('hex');
const speed = Number(values.speed);
const atOnce = Number(values['at-once']);
const runs = values.only === undefined ? Array.from({ length: Number(values.count) }, (_, index) => index + 1) : [Number(values.only)];
if (runs.length === 0 || runs.some((index) => !Number.isInteger(index) || index < 1) || !(speed > 0) || !(atOnce >= 1)) {
  throw new RangeError('--count, --only and --at-once take whole numbers from 1 on, --speed a number above 0.');
}

quietRuntime();
// Before what reads it, and for the processes of plays.
process.env[PROGRAM_VARIABLE] ??= await builtProgram();
const { play } = await import('./play.ts');
const failed: number[] = [];
const print = (line: string): void => void process.stdout.write(`${line}\n`);
print(`Seed ${seed}, ${runs.length} of seed-000 at ${speed}×.`);
const waiting = [...runs];
const inTurn = async (): Promise<void> => {
  for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
    if (!(await (atOnce === 1 ? playedHere(index) : playedBeside(index)))) failed.push(index);
  }
};
await Promise.all(Array.from({ length: atOnce }, inTurn));
const broken = failed.toSorted((one, other) => one - other).join(', ');
print(`\n${runs.length - failed.length} of ${runs.length} held${broken === '' ? '.' : `; broken: ${broken} of seed ${seed}.`}`);
process.exit(failed.length === 0 ? 0 : 1);

/** Whether it held. */
async function playedHere(index: number): Promise<boolean> {
  const drawn = draw(seed, index);
  print(`\n#${index}  ${drawn.faults.join('  ')}  |  kill ${drawn.kills.join(', ')}`);
  const { outcome, wallSeconds, problems, story } = await play(drawn, speed);
  print(`    ${problems.length === 0 ? 'ok' : 'BROKEN'}  ${wallSeconds} s  ${outcome}`);
  for (const problem of problems) print(`    - ${problem}`);
  if (problems.length > 0 || values.verbose) print(story.map((line) => `      ${line}`).join('\n'));
  if (problems.length > 0) print(`    Again: npm run test:chaos -- --seed ${seed} --only ${index}`);
  return problems.length === 0;
}

/** The same in a process of its own, whose story is told when it has ended: all but its own head and sum. */
function playedBeside(index: number): Promise<boolean> {
  const own = ['--seed', seed, '--only', String(index), '--speed', String(speed), ...(values.verbose ? ['--verbose'] : [])];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--no-warnings', fileURLToPath(import.meta.url), ...own],
      { maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        const lines = (stdout + stderr).split('\n').filter((line) => !/^(Seed |\d+ of \d+ held)/.test(line));
        print(lines.join('\n').trimEnd());
        resolve(error === null);
      },
    );
  });
}
