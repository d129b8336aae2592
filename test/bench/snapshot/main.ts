/** `npm run bench -- snapshot`: what `belay snapshot` costs on a large cluster, on the twin's API server. */
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from '../../../cli/render/words.ts';
import { openTwinGround } from '../../support/check-ground.ts';
import { run } from '../check/run.ts';
import { PROGRAM } from '../../support/program.ts';

/** 5,000 nodes and 50,000 pods are to take no more. */
const GOAL = { seconds: 60, peakMb: 400, fileMb: 20 };
const MB = 1024 * 1024;

const HELP = `npm run bench -- snapshot [--nodes 5000] [--runs 3] [--json FILE]

Wall time, peak memory and file size of belay snapshot from the sources, with the twin's API server in a process of its own. Exit code 1 where a goal is missed.
`;

export async function benchSnapshot(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      nodes: { type: 'string', default: '5000' },
      runs: { type: 'string', default: '3' },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const ground = await openTwinGround(`scale-${values.nodes}`);
  try {
    const { env, directory, cluster } = ground;
    const file = join(directory, 'bench.snapshot.json.gz');
    const take = ['--no-warnings', PROGRAM, 'snapshot', cluster, '-o', file];
    const measured: { seconds: number; peakMb: number; fileMb: number }[] = [];
    for (let turn = 0; turn < Number(values.runs); turn += 1) {
      rmSync(file, { force: true });
      const { wallMs, peakMb } = await run({ command: process.execPath, args: take, env, cwd: directory, accepted: [0, 3] });
      measured.push({ seconds: wallMs / 1000, peakMb, fileMb: statSync(file).size / MB });
    }
    const pods = ground.stage.built.world.store.list('pods').length;
    process.stdout.write(
      `${values.nodes} nodes, ${pods} pods\n${table(
        ['run', 'wall', 'peak memory', 'file'],
        measured.map(({ seconds, peakMb, fileMb }, at) => [
          `${at + 1}`,
          `${seconds.toFixed(1)} s`,
          `${peakMb.toFixed(0)} MB`,
          `${fileMb.toFixed(1)} MB`,
        ]),
      )}\n`,
    );
    if (values.json !== undefined)
      writeFileSync(values.json, `${JSON.stringify({ nodes: Number(values.nodes), pods, measured }, null, 2)}\n`);
    const missed = measured.some(({ seconds, peakMb, fileMb }) => seconds > GOAL.seconds || peakMb > GOAL.peakMb || fileMb > GOAL.fileMb);
    if (missed) process.exitCode = 1;
  } finally {
    await ground.close();
  }
}
