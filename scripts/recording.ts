/**
 * Records a rehearsal for the documents, as people see it on a terminal: `npm run recording`. Writes an asciicast, version 2
 * (https://docs.asciinema.org/manual/asciicast/v2/), and its picture for where nothing plays.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { castOf, type Heard, svgOf } from './recording/cast.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const COMMAND = 'npm run rehearse -- --auto approve --kill worker@control-plane';
const FLAGS = ['rehearse', '--auto', 'approve', '--kill', 'worker@control-plane'];

/** What the rehearsal prints, with when. Rejects where it does not end well. */
async function record(): Promise<Heard[]> {
  const directory = mkdtempSync(join(tmpdir(), 'belay-recording-'));
  try {
    const child = spawn(process.execPath, ['--no-warnings', `${ROOT}cli/main.ts`, ...FLAGS], {
      cwd: directory,
      env: { ...process.env, TMPDIR: directory },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const startedAt = performance.now();
    const heard: Heard[] = [];
    child.stdout
      .setEncoding('utf8')
      .on('data', (text: string) => void heard.push({ atMs: performance.now() - startedAt, text: text.replaceAll(directory, '.') }));
    const code = await new Promise<number | null>((resolve) => void child.once('close', resolve));
    if (code !== 0) throw new Error(`the rehearsal ended with code ${code}:\n${heard.map(({ text }) => text).join('')}`);
    return heard;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const heard = await record();
mkdirSync(`${ROOT}docs/recordings`, { recursive: true });
writeFileSync(`${ROOT}docs/recordings/rehearsal.cast`, castOf(COMMAND, heard));
writeFileSync(`${ROOT}docs/images/recording.svg`, svgOf(COMMAND, heard));
