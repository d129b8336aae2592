/** Chaos: upgrades under faults and kills that a seed draws. `npm run test:chaos -- --seed S --count 50 --only N --speed 60` */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { quietRuntime } from '../support/temporal.ts';
import { draw } from './draw.ts';
import { play } from './play.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string', default: '50' },
    only: { type: 'string' },
    speed: { type: 'string', default: '60' },
    verbose: { type: 'boolean', default: false },
  },
});
const seed = values.seed ?? randomBytes(4).toString('hex');
const speed = Number(values.speed);
const runs = values.only === undefined ? Array.from({ length: Number(values.count) }, (_, index) => index + 1) : [Number(values.only)];
if (runs.length === 0 || runs.some((index) => !Number.isInteger(index) || index < 1) || !(speed > 0)) {
  throw new RangeError('--count and --only take whole numbers from 1 on, --speed a number above 0.');
}

quietRuntime();
const failed: number[] = [];
const print = (line: string): void => void process.stdout.write(`${line}\n`);
print(`Seed ${seed}, ${runs.length} of seed-000 at ${speed}×.`);
for (const index of runs) {
  const drawn = draw(seed, index);
  print(`\n#${index}  ${drawn.faults.join('  ')}  |  kill ${drawn.kills.join(', ')}`);
  const { outcome, wallSeconds, problems, story } = await play(drawn, speed);
  print(`    ${problems.length === 0 ? 'ok' : 'BROKEN'}  ${wallSeconds} s  ${outcome}`);
  for (const problem of problems) print(`    - ${problem}`);
  if (problems.length > 0 || values.verbose) print(story.map((line) => `      ${line}`).join('\n'));
  if (problems.length === 0) continue;
  failed.push(index);
  print(`    Again: npm run test:chaos -- --seed ${seed} --only ${index}`);
}
print(
  `\n${runs.length - failed.length} of ${runs.length} held${failed.length === 0 ? '.' : `; broken: ${failed.join(', ')} of seed ${seed}.`}`,
);
process.exit(failed.length === 0 ? 0 : 1);
