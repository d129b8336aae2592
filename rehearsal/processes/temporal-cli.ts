/** Finds a Temporal server to rehearse on: a running one, a binary on this machine, a download, or a build with Go. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../domain/core/unknown.ts';
import { toolsDirectory } from './cache-dir.ts';
import { findOnPath, isExecutable, runToEnd, saysHowLong } from './programs.ts';

/** Newer versions have replace directives, which `go install` refuses. */
const GO_PACKAGE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const DOWNLOAD_LIMIT_MS = 90_000;

export type TemporalSource = { kind: 'server'; address: string } | { kind: 'binary'; path: string };

/** No way to a Temporal server. The message names the ways out. */
class NoTemporalError extends Error {
  override readonly name = 'NoTemporalError';
}

export interface LookUp {
  env: NodeJS.ProcessEnv;
  /** Progress for people. */
  say: (line: string) => void;
  /** The SDK's own download into a folder; throws when it cannot. */
  download?: (directory: string) => Promise<void>;
  /** Builds with Go into a folder; throws when it cannot. */
  build?: (go: string, directory: string, say: (line: string) => void) => Promise<void>;
}

/** Looks in this order: TEMPORAL_ADDRESS, TEMPORAL_CLI_PATH, PATH, the cache, the SDK's download, Go. Throws NoTemporalError. */
export async function findTemporal({ env, say, download = downloadBySdk, build = buildWithGo }: LookUp): Promise<TemporalSource> {
  if (env['TEMPORAL_ADDRESS']) return { kind: 'server', address: env['TEMPORAL_ADDRESS'] };
  const named = env['TEMPORAL_CLI_PATH'];
  if (named) {
    if (isExecutable(named)) return { kind: 'binary', path: named };
    throw new NoTemporalError(`TEMPORAL_CLI_PATH is ${named}, which is no program that can be run; correct it or unset it.`);
  }
  const onPath = findOnPath('temporal', env);
  if (onPath !== undefined) return { kind: 'binary', path: onPath };
  const directory = toolsDirectory(env);
  const cached = join(directory, 'temporal');
  if (isExecutable(cached)) return { kind: 'binary', path: cached };
  const tried: string[] = [];
  mkdirSync(directory, { recursive: true });
  try {
    say('Downloading the Temporal CLI, once …');
    await download(directory);
    if (isExecutable(cached)) return { kind: 'binary', path: cached };
    tried.push('the download brought no program');
  } catch (error) {
    tried.push(`the download failed (${reason(error)})`);
  }
  const go = findOnPath('go', env);
  if (go === undefined) tried.push('Go is not installed');
  else {
    try {
      await build(go, directory, say);
      if (isExecutable(cached)) return { kind: 'binary', path: cached };
      tried.push('go install brought no program');
    } catch (error) {
      tried.push(`go install failed (${reason(error)})`);
    }
  }
  throw new NoTemporalError(
    `There is no Temporal to rehearse on: ${tried.join(', ')}. Install the Temporal CLI (https://docs.temporal.io/cli), set TEMPORAL_CLI_PATH to it, set TEMPORAL_ADDRESS to a running server, or install Go.`,
  );
}

function reason(error: unknown): string {
  return messageOf(error).split('\n')[0]?.slice(0, 160) ?? '';
}

/** Lets the SDK download the CLI it knows, which starts a server once; the program stays. */
async function downloadBySdk(directory: string): Promise<void> {
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  const downloadDir = mkdtempSync(join(directory, 'download-'));
  try {
    const started = TestWorkflowEnvironment.createLocal({ server: { executable: { type: 'cached-download', downloadDir } } });
    // A download that comes too late may still end: its server must not stay.
    const late = started.then((environment) => environment.teardown());
    late.catch(() => undefined);
    await Promise.race([late, limit(DOWNLOAD_LIMIT_MS)]);
    const file = readdirSync(downloadDir).find((name) => name.startsWith('temporal'));
    if (file !== undefined) renameSync(join(downloadDir, file), join(directory, 'temporal'));
  } finally {
    rmSync(downloadDir, { recursive: true, force: true });
  }
}

function limit(limitMs: number): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} s`)), limitMs).unref();
  });
}

async function buildWithGo(go: string, directory: string, say: (line: string) => void): Promise<void> {
  say('Building the Temporal CLI with Go, about five minutes, once …');
  const built = runToEnd(go, ['install', GO_PACKAGE], { env: { ...process.env, GOBIN: directory } });
  await saysHowLong(built, (elapsed) => say(`  still building, ${elapsed}`));
}
