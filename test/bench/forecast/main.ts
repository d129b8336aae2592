/** `npm run bench -- forecast`: what a forecast costs on a large cluster: the snapshot is read, and its roll is played. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { table } from '../../../cli/render/words.ts';
import { duration } from '../../../domain/core/text.ts';
import { rollPlan } from '../../support/played-forecasts.ts';
import { largeCluster, writeSnapshot } from './cluster.ts';

interface Measured {
  loadSeconds: number;
  playSeconds: number[];
  peakMb: number;
  total: { p50: number };
  replaced: number;
  evicted: number;
  blocked: number;
}

const HELP = `npm run bench -- forecast [--nodes 5000] [--pods 50000] [--runs 1] [--json FILE]

Seconds to read a snapshot and to play its roll, and peak memory of the process that does both. The first play has the model of the cluster in it.
`;

/** Reads its own part of the command line. */
export async function benchForecast(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      nodes: { type: 'string', default: '5000' },
      pods: { type: 'string', default: '50000' },
      runs: { type: 'string', default: '1' },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const folder = mkdtempSync(join(tmpdir(), 'belay-bench-'));
  try {
    const file = join(folder, 'snapshot.gz');
    const planFile = join(folder, 'plan.json');
    const { of, snapshot } = largeCluster(Number(values.nodes), Number(values.pods));
    await writeSnapshot(file, snapshot);
    writeFileSync(planFile, JSON.stringify(rollPlan(of, { paces: ['1', '10%'] })));
    const script = fileURLToPath(new URL('play.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', script, file, planFile, values.runs]);
    const measured = JSON.parse(stdout) as Measured;
    process.stdout.write(`${render(measured, statSync(file).size)}\n`);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(measured, null, 2)}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function render({ loadSeconds, playSeconds, peakMb, total, replaced, evicted, blocked }: Measured, bytes: number): string {
  return table(
    ['file', 'load', 'plays', 'peak memory', 'forecast', 'nodes replaced', 'evictions', 'blockers'],
    [
      [
        `${(bytes / 1e6).toFixed(1)} MB`,
        `${loadSeconds.toFixed(1)} s`,
        playSeconds.map((seconds) => `${seconds.toFixed(1)} s`).join(', '),
        `${peakMb} MB`,
        duration(total.p50),
        String(replaced),
        String(evicted),
        String(blocked),
      ],
    ],
  );
}
