/** `npm run bench -- start`: how long commands take to start, beside an empty Node. Compare numbers of one run: other work on the machine adds to all. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { table } from '../../../cli/render/words.ts';

const HELP = `npm run bench -- start [--runs 5] [--bin FILE]

CPU (user and system) and wall time of commands in milliseconds, least of all runs, with warm compile caches. status and check end at servers
that refuse the connection: what is measured is what comes before the first request. --bin: another cli/bin.mjs, such as that of an installed package.
The wall time of status has waits in it: its requests are tried again.
`;

const BIN = fileURLToPath(new URL('../../../cli/bin.mjs', import.meta.url));
/** Refuses connections: the discard port, which nobody serves. */
const NOBODY = '127.0.0.1:9';
const COMMANDS: Record<string, string[]> = {
  '--help': ['--help'],
  'status --help': ['status', '--help'],
  status: ['status'],
  check: ['check', 'small', '--target', '1.32', '--only', 'EKS001'],
};

export async function benchStart(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { runs: { type: 'string', default: '5' }, bin: { type: 'string', default: BIN }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) return void process.stdout.write(HELP);
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1) throw new RangeError(`--runs ${values.runs}: write a whole number from 1`);
  if (!existsSync(values.bin)) throw new RangeError(`--bin ${values.bin}: there is no such file`);
  const folder = mkdtempSync(join(tmpdir(), 'belay-bench-start-'));
  try {
    writeFileSync(
      join(folder, 'belay.yaml'),
      `clusters:\n  small: { region: eu-west-1, account: "111122223333" }\ntemporal: { address: "${NOBODY}" }\n`,
    );
    const commands = [
      ['node -e 0', ['-e', '0']] as const,
      ...Object.entries(COMMANDS).map(([name, words]) => [name, [values.bin, ...words]] as const),
    ];
    // The first run of each fills the compile cache.
    for (const [, words] of commands) timed(words, folder);
    // In turn, so that a busy moment meets all.
    const rounds = Array.from({ length: runs }, () => commands.map(([, words]) => timed(words, folder)));
    const least = (index: number, of: keyof Timed): string => Math.min(...rounds.map((round) => round[index]?.[of] ?? NaN)).toFixed(0);
    const rows = commands.map(([name], index) => [name, least(index, 'cpuMs'), least(index, 'wallMs')]);
    process.stdout.write(`${table(['COMMAND', 'CPU ms', 'WALL ms'], rows)}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Timed {
  cpuMs: number;
  wallMs: number;
}

/** The process itself tells its CPU time as it ends: nothing else knows that of one child alone. */
const TELL = `data:text/javascript,import{writeSync}from'node:fs';process.on('exit',()=>{const{user,system}=process.cpuUsage();writeSync(3,String(user+system))})`;

function timed(words: readonly string[], folder: string): Timed {
  const began = performance.now();
  const { output } = spawnSync(process.execPath, ['--import', TELL, ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      AWS_ENDPOINT_URL: `http://${NOBODY}`,
      AWS_ACCESS_KEY_ID: 'bench',
      AWS_SECRET_ACCESS_KEY: 'bench',
      AWS_MAX_ATTEMPTS: '1',
    },
  });
  return { cpuMs: Number(output[3]) / 1_000, wallMs: performance.now() - began };
}
