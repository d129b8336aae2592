/**
 * The steps of deploy/Dockerfile in empty folders, as far as they go without Docker: its COPYs, compiling included, with the packages that
 * `npm ci --omit=dev` installs, and then the entry point.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { dockerfileLines, installedPackages } from '../deploy/dockerfile.ts';
import { root } from '../deploy/files.ts';
import { run } from './installed.ts';

let folder: string;
let compiled: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'belay-image-'));
  compiled = mkdtempSync(join(tmpdir(), 'belay-image-compiled-'));
  for (const line of stage('compiled')) {
    if (line.startsWith('COPY ')) copy(line, root, compiled);
    if (line === 'RUN npm ci --no-audit --no-fund') symlinkSync(join(root, 'node_modules'), join(compiled, 'node_modules'));
    if (line === 'RUN npm run compile') run('npm', ['run', 'compile'], compiled);
  }
  for (const line of stage('base')) {
    if (line.startsWith('COPY --from=compiled ')) copy(line.replaceAll('/app/', ''), compiled, folder);
    else if (line.startsWith('COPY ') && !line.includes('--from=')) copy(line, root, folder);
  }
  for (const [path] of installedPackages.filter(([each]) => each.lastIndexOf('node_modules/') === 0 && existsSync(join(root, each)))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(root, path), join(folder, path));
  }
}, 600_000);
afterAll(() => {
  for (const each of [folder, compiled]) rmSync(each, { recursive: true, force: true });
});

/** Instructions between its FROM and the next one. */
function stage(name: string): readonly string[] {
  const after = dockerfileLines.slice(dockerfileLines.findIndex((line) => line.endsWith(` AS ${name}`)) + 1);
  return after.slice(
    0,
    after.findIndex((line) => line.startsWith('FROM ')),
  );
}

function copy(line: string, from: string, to: string): void {
  const [target = '', ...paths] = line
    .split(/\s+/)
    .slice(1)
    .filter((word) => !word.startsWith('--'))
    .toReversed();
  for (const path of paths)
    cpSync(join(from, path), join(to, target.endsWith('/') ? join(target, path.split('/').at(-1) ?? '') : target), { recursive: true });
}

/** As its entry point, from another folder. */
function belay(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const [, json = '[]'] = /^ENTRYPOINT (.*)$/m.exec(dockerfileLines.join('\n')) ?? [];
  const words = z.array(z.string()).parse(JSON.parse(json)).slice(1);
  const node = words.map((word) => word.replace('/app/', `${folder}/`));
  // Modules are found by their place in the image, not by that of this checkout.
  const command = ['--preserve-symlinks', '--preserve-symlinks-main', ...node, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: tmpdir(),
    env: { HOME: folder, NO_COLOR: '1' },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('has all that the command needs, and no source, no test and no package of developers', () => {
  expect(belay('--version')).toEqual({ status: 0, stdout: '0.1.0\n', stderr: '' });
  expect(existsSync(join(folder, 'node_modules/vitest'))).toBe(false);
  expect(readdirSync(folder).toSorted()).toEqual(['.cache', 'LICENSE', 'cli', 'dist', 'node_modules', 'package.json']);
  expect(readdirSync(join(folder, 'cli'))).toEqual(['bin.mjs']);
});

test('prints the rights, which are files of deploy/', () => {
  const { status, stdout } = belay('permissions', '--help');
  expect({ status, says: stdout.startsWith('Usage: belay permissions') }).toEqual({ status: 0, says: true });
  expect(belay('check', '--permissions').stdout).toContain('name: belay-check');
});

test('checks a snapshot', () => {
  const snapshot = join(root, 'rehearsal/scenarios/samples/small.snapshot.gz');
  const { status, stdout } = belay('check', '--snapshot', snapshot, '--target', '1.34', '--format', 'json', '--fail-on', 'never');
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ target: '1.34' });
});

test.each(['worker', 'slack', 'rehearse', 'mcp'])('has %s', (command) => {
  const { status, stdout, stderr } = belay(command, '--help');
  expect({ status, stderr, says: stdout.startsWith(`Usage: belay ${command}`) }).toEqual({ status: 0, stderr: '', says: true });
});

test.each(['worker', 'slack'])('%s says what it lacks', (command) => {
  expect(belay(command, '--config', join(root, 'belay.example.yaml'))).toMatchObject({ status: 1, stdout: '' });
});
