/**
 * The steps of deploy/Dockerfile in an empty folder, as far as they go without Docker: its COPYs from what .dockerignore lets into the build, with the
 * packages that `npm ci --omit=dev` installs, and then the entry point. And what would be different on arm64.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { root, textOf } from './files.ts';

const lines = textOf('deploy/Dockerfile')
  .replaceAll(/\s*\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const packageShape = z.object({ dev: z.boolean().optional(), cpu: z.array(z.string()).optional(), libc: z.array(z.string()).optional() });
const { packages } = z.object({ packages: z.record(z.string(), packageShape) }).parse(JSON.parse(textOf('package-lock.json')));
const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);

describe('the image', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-image-'));
    const base = lines.slice(lines.findIndex((line) => line.endsWith(' AS base')));
    for (const line of base.slice(
      0,
      base.findIndex((each, index) => index > 0 && each.startsWith('FROM ')),
    )) {
      const [instruction, ...words] = line.split(/\s+/);
      const [target = '', ...from] = words.filter((word) => !word.startsWith('--')).reverse();
      if (instruction !== 'COPY' || line.includes('--from=')) continue;
      for (const path of from)
        cpSync(join(root, path), join(folder, target.endsWith('/') ? join(target, path.split('/').at(-1) ?? '') : target), {
          recursive: true,
        });
    }
    for (const [path] of installed.filter(([each]) => each.lastIndexOf('node_modules/') === 0 && existsSync(join(root, each)))) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      symlinkSync(join(root, path), join(folder, path));
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** As its entry point, from another folder. */
  function belay(...args: string[]): { status: number | null; stdout: string; stderr: string } {
    const [, json = '[]'] = /^ENTRYPOINT (.*)$/m.exec(lines.join('\n')) ?? [];
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

  test('has all that the command needs, and no package of developers', () => {
    expect(belay('--version')).toEqual({ status: 0, stdout: '0.1.0\n', stderr: '' });
    expect(existsSync(join(folder, 'node_modules/vitest'))).toBe(false);
    expect(readdirSync(folder).filter((name) => ['test', 'scripts', 'docs', '.git', '.github'].includes(name))).toEqual([]);
  });

  test('prints the rights, which are files of deploy/', () => {
    const { status, stdout } = belay('permissions', '--help');
    expect({ status, says: stdout.startsWith('Usage: belay permissions') }).toEqual({ status: 0, says: true });
    expect(belay('check', '--permissions').stdout).toContain('name: belay-check');
  });

  test('checks a snapshot', () => {
    const { status, stdout } = belay(
      'check',
      '--snapshot',
      join(root, 'rehearsal/scenarios/samples/small.snapshot.gz'),
      '--target',
      '1.34',
      '--format',
      'json',
      '--fail-on',
      'never',
    );
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ target: '1.34' });
  });
});

describe('arm64', () => {
  test('no step names a processor', () => {
    expect(lines.filter((line) => /amd64|arm64|x86|x64|aarch64|--platform/.test(line))).toEqual([]);
  });

  test('every package that is built for one processor is there for both, for the libc of the image', () => {
    const built = installed.filter(([path, { libc }]) => path.endsWith('-linux-x64-gnu') && (libc === undefined || libc.includes('glibc')));
    expect(built.map(([path]) => path.split('node_modules/').at(-1))).toContain('@resvg/resvg-js-linux-x64-gnu');
    expect(built.filter(([path]) => packages[path.replace('x64', 'arm64')] === undefined)).toEqual([]);
    expect(textOf('deploy/Dockerfile')).toContain('-bookworm-slim');
  });

  test('so is Temporal’s core, which is no package of its own', () => {
    const builds = readdirSync(join(root, 'node_modules/@temporalio/core-bridge/releases'));
    expect(['x86_64-unknown-linux-gnu', 'aarch64-unknown-linux-gnu'].filter((build) => !builds.includes(build))).toEqual([]);
  });
});
