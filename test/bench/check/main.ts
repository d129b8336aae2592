/**
 * `npm run bench -- check`: what `belay check` costs on a large cluster, beside eksup on the same API in the same run. Machines differ and
 * are noisy: the three programs take turns, and their ratios count.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { table } from '../../../cli/render/words.ts';
import { eksup } from '../../real/aws/tools.ts';
import { BELAY, type CheckGround, openRealGround, openTwinGround } from '../../support/check-ground.ts';
import { WITHOUT_INSIGHTS } from '../../support/eksup-codes.ts';
import { populate } from './populate.ts';
import { type Program, run, type Run } from './run.ts';

/** Whose API server. */
const GROUNDS = ['twin', 'real'] as const;
type GroundName = (typeof GROUNDS)[number];
type Say = (line: string) => void;
/** Ready, findings, unknowns: the report was made. */
const REPORTED = [0, 2, 3];

interface Measured {
  ground: GroundName;
  program: string;
  wallMs: number[];
  peakMb: number[];
  medianWallMs: number;
  medianPeakMb: number;
  /** To eksup's medians; absent where eksup is not built. */
  ratio?: { wall: number; peak: number };
}

const HELP = `npm run bench -- check [--on twin,real] [--nodes 5000] [--pods 50000] [--runs 3] [--json FILE]

Wall time and peak memory of belay check, of belay check --only what eksup checks, and of eksup (unmodified; built once by
node test/real/aws/install.ts eksup), in turns. On a real API server the twin's objects are created first: minutes with 50,000 pods.
`;

/** Reads its own part of the command line. */
export async function benchCheck(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      on: { type: 'string', default: GROUNDS.join(',') },
      nodes: { type: 'string', default: '5000' },
      pods: { type: 'string', default: '50000' },
      runs: { type: 'string', default: '3' },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const grounds = GROUNDS.filter((name) => values.on.split(',').includes(name));
  if (grounds.length === 0) throw new RangeError(`--on ${values.on}: write some of ${GROUNDS.join(', ')}, with a comma between`);
  const say: Say = (line) => void process.stderr.write(`${line}\n`);
  const all: Measured[] = [];
  for (const name of grounds) {
    say(`${name}: ${values.nodes} nodes`);
    const ground = await open(name, { scenario: `scale-${values.nodes}`, podCount: Number(values.pods), say });
    try {
      all.push(...(await measure(name, ground, Number(values.runs), say)));
    } finally {
      await ground.close();
    }
  }
  process.stdout.write(`${render(all)}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(all, null, 2)}\n`);
}

/** The real API server gets the twin's objects; nothing runs on it. */
async function open(name: GroundName, { scenario, podCount, say }: { scenario: string; podCount: number; say: Say }): Promise<CheckGround> {
  if (name === 'twin') return await openTwinGround(scenario);
  const ground = await openRealGround(scenario, '1.33');
  try {
    const { objectCount, seconds } = await populate(ground.api, ground.stage.built.world.store, podCount);
    say(`${name}: ${objectCount} objects created in ${seconds.toFixed(0)} s`);
    return ground;
  } catch (error) {
    await ground.close();
    throw error;
  }
}

async function measure(ground: GroundName, at: CheckGround, runs: number, say: Say): Promise<Measured[]> {
  const programs = programsAt(at);
  const done = new Map<string, Run[]>();
  // Once more than is counted: the first run of each pays for files that are not in memory yet.
  for (let turn = 0; turn <= runs; turn += 1) {
    for (const [name, program] of programs) {
      const one = await run(program);
      say(`${ground}, ${turn === 0 ? 'to warm up' : `run ${turn}`}: ${name} ${one.wallMs.toFixed(0)} ms, ${one.peakMb.toFixed(0)} MB`);
      if (turn > 0) done.set(name, [...(done.get(name) ?? []), one]);
    }
  }
  const measured = [...done].map(([program, all]) => {
    const [wallMs, peakMb] = [all.map((each) => each.wallMs), all.map((each) => each.peakMb)];
    return { ground, program, wallMs, peakMb, medianWallMs: median(wallMs), medianPeakMb: median(peakMb) };
  });
  const theirs = measured.find(({ program }) => program === 'eksup');
  return measured.map((each) => ({
    ...each,
    ...(theirs === undefined
      ? {}
      : { ratio: { wall: each.medianWallMs / theirs.medianWallMs, peak: each.medianPeakMb / theirs.medianPeakMb } }),
  }));
}

function programsAt({ cluster, target, env, directory }: CheckGround): Map<string, Program> {
  const common = { env, cwd: directory, accepted: REPORTED };
  const check = ['--no-warnings', BELAY, 'check', cluster, '--target', target, '--format', 'json'];
  const theirs = eksup();
  return new Map<string, Program>([
    ['belay check', { ...common, command: process.execPath, args: check }],
    ['belay check --only eksup’s', { ...common, command: process.execPath, args: [...check, '--only', WITHOUT_INSIGHTS.join(',')] }],
    ...(theirs === undefined
      ? []
      : ([['eksup', { ...common, command: theirs, args: ['analyze', '--cluster', cluster, '--target-version', target] }]] as const)),
  ]);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function render(all: readonly Measured[]): string {
  const times = (ratio: number | undefined): string => (ratio === undefined ? '' : `${ratio.toFixed(2)}×`);
  return table(
    ['on', 'program', 'wall', 'peak memory', 'wall to eksup', 'memory to eksup'],
    all.map(({ ground, program, medianWallMs, medianPeakMb, ratio }) => [
      ground,
      program,
      `${(medianWallMs / 1000).toFixed(2)} s`,
      `${medianPeakMb.toFixed(0)} MB`,
      times(ratio?.wall),
      times(ratio?.peak),
    ]),
  );
}
