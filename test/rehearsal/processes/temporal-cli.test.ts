import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toolsDirectory } from '../../../rehearsal/processes/cache-dir.ts';
import { findTemporal, type LookUp } from '../../../rehearsal/processes/temporal-cli.ts';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'belay-look-up-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

function program(...path: string[]): string {
  const file = join(home, ...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

function lookUp(env: NodeJS.ProcessEnv, over: Partial<LookUp> = {}) {
  const said: string[] = [];
  const found = findTemporal({
    env: { HOME: home, XDG_CACHE_HOME: join(home, 'cache'), ...env },
    say: (line) => void said.push(line),
    download: async () => {
      throw new Error('no network');
    },
    build: async () => {
      throw new Error('go: module lookup disabled');
    },
    ...over,
  });
  return { found, said };
}

test('each place is looked at before the next', async () => {
  const cached = program('cache', 'belay', 'bin', 'temporal');
  const onPath = program('bin', 'temporal');
  const named = program('elsewhere', 'my-temporal');
  const PATH = join(home, 'bin');
  await expect(lookUp({ PATH: '' }).found).resolves.toEqual({ kind: 'binary', path: cached });
  await expect(lookUp({ PATH }).found).resolves.toEqual({ kind: 'binary', path: onPath });
  await expect(lookUp({ PATH, TEMPORAL_CLI_PATH: named }).found).resolves.toEqual({ kind: 'binary', path: named });
  await expect(lookUp({ PATH, TEMPORAL_CLI_PATH: named, TEMPORAL_ADDRESS: 'temporal:7233' }).found).resolves.toEqual({
    kind: 'server',
    address: 'temporal:7233',
  });
});

test('a path that is no program is an error of its own', async () => {
  await expect(lookUp({ PATH: '', TEMPORAL_CLI_PATH: join(home, 'nothing') }).found).rejects.toThrow(
    `TEMPORAL_CLI_PATH is ${home}/nothing, which is no program that can be run; correct it or unset it.`,
  );
});

test('the download comes before Go, and says that it happens', async () => {
  const { found, said } = lookUp(
    { PATH: '' },
    { download: async (directory) => void writeFileSync(join(directory, 'temporal'), '', { mode: 0o755 }) },
  );
  await expect(found).resolves.toEqual({ kind: 'binary', path: join(home, 'cache', 'belay', 'bin', 'temporal') });
  expect(said).toEqual(['Downloading the Temporal CLI, once …']);
});

test('Go builds into the cache where there is no network for the download', async () => {
  program('bin', 'go');
  const { found } = lookUp(
    { PATH: join(home, 'bin') },
    { build: async (_go, directory) => void writeFileSync(join(directory, 'temporal'), '', { mode: 0o755 }) },
  );
  await expect(found).resolves.toEqual({ kind: 'binary', path: join(home, 'cache', 'belay', 'bin', 'temporal') });
});

test.each<[string, boolean, string]>([
  [
    'without Go',
    false,
    'There is no Temporal to rehearse on: the download failed (no network), Go is not installed. Install the Temporal CLI (https://docs.temporal.io/cli), set TEMPORAL_CLI_PATH to it, set TEMPORAL_ADDRESS to a running server, or install Go.',
  ],
  [
    'with a Go that fails',
    true,
    'There is no Temporal to rehearse on: the download failed (no network), go install failed (go: module lookup disabled). Install the Temporal CLI (https://docs.temporal.io/cli), set TEMPORAL_CLI_PATH to it, set TEMPORAL_ADDRESS to a running server, or install Go.',
  ],
])('the error names the ways out, %s', async (_name, go, message) => {
  if (go) program('bin', 'go');
  await expect(lookUp({ PATH: join(home, 'bin') }).found).rejects.toThrow(message);
});

test('the cache lies where the platform has it', () => {
  expect(toolsDirectory({ HOME: '/home/a' }, 'linux')).toBe('/home/a/.cache/belay/bin');
  expect(toolsDirectory({ HOME: '/home/a', XDG_CACHE_HOME: '/c' }, 'linux')).toBe('/c/belay/bin');
  expect(toolsDirectory({ HOME: '/Users/a' }, 'darwin')).toBe('/Users/a/Library/Caches/belay/bin');
});
