/** Where real parts are looked for, before anything is built. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { provideParts } from '../../../rehearsal/real/parts/build.ts';
import { cachedPath, findPart } from '../../../rehearsal/real/parts/find.ts';
import { type Part, PARTS } from '../../../rehearsal/real/parts/table.ts';

let home: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'belay-parts-'));
  env = { HOME: home, PATH: '/usr/bin:/bin' };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function part(name: string, minor?: string): Part {
  const found = PARTS.find((one) => one.name === name && one.minor === minor);
  if (found === undefined) throw new Error(`no part ${name}`);
  return found;
}

/** A program that says it is of that version. */
function program(path: string, version = 'v0'): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho Kubernetes ${version}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe('KUBEBUILDER_ASSETS', () => {
  test('one minor may lie in the folder itself, and is taken for that minor only', () => {
    env['KUBEBUILDER_ASSETS'] = join(home, 'assets');
    const plain = program(join(home, 'assets', 'kube-apiserver'), 'v1.34.2');
    expect(findPart(part('kube-apiserver', '1.34'), env)).toBe(plain);
    expect(findPart(part('kube-apiserver', '1.33'), env)).toBeUndefined();
  });

  test('two minors lie in subfolders, beside one etcd', () => {
    env['KUBEBUILDER_ASSETS'] = join(home, 'assets');
    const etcd = program(join(home, 'assets', 'etcd'));
    const old = program(join(home, 'assets', '1.33', 'kube-scheduler'));
    expect(findPart(part('etcd'), env)).toBe(etcd);
    expect(findPart(part('kube-scheduler', '1.33'), env)).toBe(old);
  });

  test('comes before the cache, which is used where it has nothing', () => {
    env['KUBEBUILDER_ASSETS'] = join(home, 'assets');
    const cached = program(cachedPath(part('etcd'), env));
    expect(findPart(part('etcd'), env)).toBe(cached);
    const own = program(join(home, 'assets', 'etcd'));
    expect(findPart(part('etcd'), env)).toBe(own);
  });
});

test('a build of another source is not taken: its folder says what it was made of', () => {
  const apart = [part('kube-apiserver', '1.33'), part('kube-apiserver', '1.34'), part('karpenter'), part('etcd')];
  expect(new Set(apart.map((one) => dirname(cachedPath(one, env)))).size).toBe(apart.length);
});

test('without Go, the error names the part and the ways out', async () => {
  env['PATH'] = '/usr/bin:/bin';
  const lines: string[] = [];
  const built = provideParts([part('etcd')], { env: { ...env, PATH: onlyNice(home) }, say: (line) => void lines.push(line) });
  await expect(built).rejects.toThrow(
    /^etcd cannot be built: .*go.* Install Go 1\.26 or newer, or name a folder with the programs in KUBEBUILDER_ASSETS\.$/s,
  );
  expect(lines).toEqual(['Building 1 real parts, once; about 1 minutes on two cores.', '[1 of 1] etcd …']);
});

/** A PATH with nothing but `nice`. */
function onlyNice(folder: string): string {
  const path = join(folder, 'bin', 'nice');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '#!/bin/sh\nshift 2\nexec "$@"\n');
  chmodSync(path, 0o755);
  return dirname(path);
}
