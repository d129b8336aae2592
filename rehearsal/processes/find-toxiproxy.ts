/** Toxiproxy on this machine: found, or built once with Go. */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../domain/core/unknown.ts';
import { toolsDirectory } from './cache-dir.ts';
import { findOnPath, isExecutable, runToEnd } from './programs.ts';

const GO_PACKAGE = 'github.com/Shopify/toxiproxy/v2/cmd/server@v2.5.0';
const PROGRAM = 'toxiproxy-server';

export interface LookUp {
  env: NodeJS.ProcessEnv;
  /** Progress for people. */
  say: (line: string) => void;
}

/** On PATH, in the cache, or built into it. Throws an error that names the ways out. */
export async function findToxiproxy({ env, say }: LookUp): Promise<string> {
  const directory = toolsDirectory(env);
  const cached = join(directory, PROGRAM);
  const found = isExecutable(cached) ? cached : findOnPath(PROGRAM, env);
  if (found !== undefined) return found;
  const go = findOnPath('go', env);
  if (go === undefined) {
    throw new Error(
      `Faults of the network need ${PROGRAM}, and neither it nor Go is on PATH: install Toxiproxy 2.5 (https://github.com/Shopify/toxiproxy) or Go, or choose another fault.`,
    );
  }
  say('Building Toxiproxy with Go, once …');
  mkdirSync(directory, { recursive: true });
  const built = mkdtempSync(join(directory, 'build-'));
  try {
    await runToEnd(go, ['install', GO_PACKAGE], { env: { ...env, GOBIN: built } });
    renameSync(join(built, 'server'), cached);
  } catch (error) {
    const why = messageOf(error);
    throw new Error(
      `Toxiproxy could not be built with Go (${why}); install it (https://github.com/Shopify/toxiproxy) and put it on PATH.`,
      { cause: error },
    );
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
  return cached;
}
