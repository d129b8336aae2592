/** `npm run histories [STORY...]`: records the histories that replay.test.ts replays, for a version that is not released yet. Takes a few minutes. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { startTemporal } from '../support/temporal.ts';
import { ENDING, FIXTURES, plainHistory, type RecordedStory, stories, thisRelease } from './fixtures.ts';
import { refusalToRecord } from './overwrite.ts';
import { plainText, scrub } from './scrub.ts';
import { STORIES } from './stories.ts';
import type { Story } from './story.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RELEASE = thisRelease();
/** Of this machine: none of them may be recorded. */
const FOLDERS = [ROOT.replace(/\/$/, ''), process.cwd(), tmpdir(), homedir()].toSorted((a, b) => b.length - a.length);
/** Real activities on the twin: long histories, retries, a worker that dies. */
const REHEARSALS: Record<string, string[]> = {
  'rehearsal-seed-002': ['--scenario', 'seed-002', '--speed', '600'],
  'rehearsal-seed-000-worker-killed': ['--scenario', 'seed-000', '--speed', '600', '--kill', 'worker@control-plane'],
  'rehearsal-fargate': ['--scenario', 'fargate', '--speed', '600'],
};

const wanted = process.argv.slice(2);
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
const refusal = refusalToRecord({
  version: RELEASE,
  changelog: readFileSync(`${ROOT}CHANGELOG.md`, 'utf8'),
  wanted,
  existing: existsSync(`${FIXTURES}${RELEASE}`) ? stories(RELEASE) : [],
});
if (refusal !== undefined) {
  console.error(refusal);
  process.exit(2);
}
const unknown = wanted.filter((name) => !(name in STORIES) && !(name in REHEARSALS));
if (unknown.length > 0) {
  console.error(`No story is called ${unknown.join(', ')}; there are: ${[...Object.keys(STORIES), ...Object.keys(REHEARSALS)].join(', ')}`);
  process.exit(2);
}
const env = await startTemporal();
try {
  if (wanted.length === 0) rmSync(`${FIXTURES}${RELEASE}`, { recursive: true, force: true });
  mkdirSync(`${FIXTURES}${RELEASE}`, { recursive: true });
  const rehearsed = Object.entries(REHEARSALS).map(([name, args]): [string, Story] => [name, (at) => rehearse(at, args)]);
  for (const [name, story] of [...Object.entries(STORIES), ...rehearsed]) {
    if (!isWanted(name)) continue;
    await record(name, story).catch((error: unknown) => {
      process.exitCode = 1;
      console.error(`${name}: not recorded: ${error instanceof Error ? error.message.slice(0, 3_000) : String(error)}`);
    });
  }
} finally {
  await env.teardown();
}

async function record(name: string, story: Story): Promise<void> {
  const since = new Date();
  const prefix = await story(env);
  const recorded = await historiesOf(prefix, since);
  const leak = leakIn(recorded);
  if (leak !== undefined) throw new Error(`${name} names the recording machine ("${leak}"): teach scrub.ts to take it out`);
  const packed = gzipSync(JSON.stringify(recorded), { level: 9 });
  writeFileSync(`${FIXTURES}${RELEASE}/${name}${ENDING}`, packed);
  console.log(`${name}: ${recorded.length} workflows, ${Math.ceil(packed.length / 1024)} KiB`);
}

/** Visibility lags behind: looked at until it is quiet. */
async function historiesOf(prefix: string, since: Date): Promise<RecordedStory> {
  const seen = new Map<string, RecordedStory[number]>();
  for (let quiet = 0; quiet < 2; quiet += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    for await (const { workflowId, runId, type } of env.client.workflow.list({ query: `StartTime >= '${since.toISOString()}'` })) {
      if (!workflowId.startsWith(prefix) || seen.has(runId)) continue;
      quiet = -1;
      const history = plainHistory(await env.client.workflow.getHandle(workflowId, runId).fetchHistory());
      seen.set(runId, { workflowId, workflowType: type, history: scrub(history, FOLDERS) as RecordedStory[number]['history'] });
    }
  }
  if (seen.size === 0) throw new Error(`No workflow of ${prefix} was found`);
  return [...seen.values()].toSorted((a, b) => a.workflowId.localeCompare(b.workflowId));
}

function leakIn(recorded: RecordedStory): string | undefined {
  const text = plainText(recorded);
  return [hostname(), ...FOLDERS].find((trace) => trace.length > 3 && text.includes(trace));
}

async function rehearse(at: TestWorkflowEnvironment, args: string[]): Promise<string> {
  const child = spawn(process.execPath, ['cli/main.ts', 'rehearse', ...args, '--auto', 'approve'], {
    cwd: ROOT,
    env: { ...process.env, TEMPORAL_ADDRESS: at.address },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve) => child.on('exit', resolve));
  if (code !== 0) throw new Error(`The rehearsal ${args.join(' ')} ended with code ${String(code)}`);
  return 'eks-';
}
