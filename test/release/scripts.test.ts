/** The release's shell scripts, with stand-ins of the programs that reach the outside: they note how they were called. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { root, textOf } from '../deploy/files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belay-release-'));
  mkdirSync(join(folder, 'bin'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** `script`: what it does beside noting its arguments. */
function standIn(name: string, script = ''): void {
  const file = join(folder, 'bin', name);
  writeFileSync(
    file,
    `#!/bin/bash\nprintf '${name}' >>"${folder}/calls"; printf ' %s' "$@" >>"${folder}/calls"; echo >>"${folder}/calls"\n${script}\n`,
  );
  chmodSync(file, 0o755);
}

const calls = (): string[] => (existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : []);

function run(script: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const PATH = [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
  const { status, stdout, stderr } = spawnSync('bash', [join(root, 'scripts/release', script), ...args], {
    cwd: folder,
    env: { PATH, HOME: folder, RUNNER_TEMP: folder },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const IMAGE = 'ghcr.io/example/eks-belay';
const ASSETS = ['eks-belay-0.1.0.tgz', 'belay-0.1.0.tgz', 'eks-belay-0.1.0.spdx.json', 'eks-belay-0.1.0.cdx.json'];

describe('assets.sh', () => {
  test('makes all that is attached, with checksums that hold', () => {
    for (const path of ['scripts/release', 'deploy/chart', 'package.json'])
      cpSync(join(root, path), join(folder, path), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'CHANGELOG.md'), '## [0.1.0] - 2026-12-01\n\n- First.\n');
    standIn('npm', `[ "$1" != pack ] || { echo compiling; echo tarball >"$4/eks-belay-0.1.0.tgz"; }\n[ "$1" != sbom ] || echo '{}'`);
    standIn('helm', 'echo chart >"$4/belay-0.1.0.tgz"');
    expect(run('assets.sh', 'v0.1.0', 'out', IMAGE)).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(readdirSync(join(folder, 'out')).sort()).toEqual([...ASSETS, 'SHA256SUMS', 'notes.md'].sort());
    expect(readFileSync(join(folder, 'out/notes.md'), 'utf8')).toBe('- First.\n');
    expect(
      readFileSync(join(folder, 'out/SHA256SUMS'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('  ')[1]),
    ).toEqual(ASSETS);
    expect(calls()).toEqual([
      'npm pack --silent --pack-destination out',
      expect.stringMatching(/^helm package \S+\/belay --destination out$/),
      'npm sbom --omit=dev --sbom-format=spdx',
      'npm sbom --omit=dev --sbom-format=cyclonedx',
    ]);
  });
});

describe('sign.sh', () => {
  function assets(): string {
    const out = join(folder, 'out');
    mkdirSync(out);
    for (const name of ASSETS) writeFileSync(join(out, name), name);
    const { stdout } = spawnSync('sha256sum', ASSETS, { cwd: out, encoding: 'utf8' });
    writeFileSync(join(out, 'SHA256SUMS'), stdout);
    return out;
  }

  test('signs the checksums', () => {
    standIn('cosign');
    expect(run('sign.sh', assets()).status).toBe(0);
    expect(calls()).toEqual(['cosign sign-blob --yes --bundle SHA256SUMS.sigstore.json SHA256SUMS']);
  });

  test('signs nothing where an asset is another one', () => {
    standIn('cosign');
    writeFileSync(join(assets(), 'belay-0.1.0.tgz'), 'something else');
    const { status, stdout } = run('sign.sh', 'out');
    expect(status).not.toBe(0);
    expect(stdout).toContain('belay-0.1.0.tgz: FAILED');
    expect(calls()).toEqual([]);
  });
});

describe('package-chart.sh', () => {
  test('the chart that is published runs the image of its release; all else is as it is here', () => {
    const chart = join(folder, 'deploy/chart');
    cpSync(join(root, 'deploy/chart'), chart, { recursive: true });
    standIn('helm', `cp -R "$2" "${folder}/packaged"`);
    expect(run('package-chart.sh', IMAGE, 'out')).toEqual({ status: 0, stdout: '', stderr: '' });
    const differ = spawnSync('diff', ['--recursive', chart, join(folder, 'packaged')], { encoding: 'utf8' }).stdout.split('\n');
    expect(differ.filter((line) => /^[<>]/.test(line))).toEqual([
      '<   repository: belay # built from deploy/Dockerfile',
      `>   repository: ${IMAGE}`,
    ]);
  });

  test('a chart whose image is another one is not packaged', () => {
    mkdirSync(join(folder, 'deploy/chart'), { recursive: true });
    writeFileSync(join(folder, 'deploy/chart/values.yaml'), 'image:\n  repository: other\n');
    standIn('helm');
    expect(run('package-chart.sh', IMAGE, 'out')).toMatchObject({
      status: 1,
      stderr: 'deploy/chart/values.yaml: image.repository is not belay, so the chart would run another image.\n',
    });
    expect(calls()).toEqual([]);
  });
});

describe('chart.sh', () => {
  const DIGEST = `sha256:${'a'.repeat(64)}`;
  beforeEach(() => cpSync(join(root, 'deploy/chart'), join(folder, 'deploy/chart'), { recursive: true }));

  test('pushes the chart and signs what was pushed', () => {
    standIn('helm', `[ "$1" != push ] || { echo "Pushed: ghcr.io/example/eks-belay/charts/belay:0.1.0"; echo "Digest: ${DIGEST}" >&2; }`);
    standIn('cosign');
    expect(run('chart.sh', '0.1.0', IMAGE).status).toBe(0);
    expect(calls()).toEqual([
      expect.stringMatching(new RegExp(`^helm package \\S+/belay --destination ${folder}$`)),
      `helm push ${folder}/belay-0.1.0.tgz oci://ghcr.io/example/eks-belay/charts`,
      `cosign sign --yes ghcr.io/example/eks-belay/charts/belay@${DIGEST}`,
    ]);
  });

  test.each([
    ['a push that fails', 'exit 1', ''],
    ['a push without a digest', 'echo Pushed', 'helm push named no digest: the chart is not signed.\n'],
  ])('%s ends the release', (_, script, stderr) => {
    standIn('helm', `[ "$1" != push ] || { ${script}; }`);
    standIn('cosign');
    expect(run('chart.sh', '0.1.0', IMAGE)).toMatchObject({ status: 1, stderr });
    expect(calls().filter((call) => call.startsWith('cosign'))).toEqual([]);
  });
});

describe('publish.sh', () => {
  const attached = (version: string): string =>
    ['eks-belay-X.tgz', 'belay-X.tgz', 'eks-belay-X.spdx.json', 'eks-belay-X.cdx.json', 'SHA256SUMS', 'SHA256SUMS.sigstore.json']
      .map((name) => `out/${name.replace('X', version)}`)
      .join(' ');

  test.each([
    ['v0.1.0', '--title v0.1.0 --notes-file out/notes.md'],
    ['v0.2.0-rc.1', '--title v0.2.0-rc.1 --notes-file out/notes.md --prerelease'],
  ])('%s is made', (tag, options) => {
    standIn('gh', '[ "$2" != view ]');
    expect(run('publish.sh', tag, 'out').status).toBe(0);
    expect(calls()).toEqual([`gh release view ${tag}`, `gh release create ${tag} --verify-tag ${options} ${attached(tag.slice(1))}`]);
  });

  test('one that is there is completed', () => {
    standIn('gh');
    expect(run('publish.sh', 'v0.1.0', 'out').status).toBe(0);
    expect(calls()).toEqual(['gh release view v0.1.0', `gh release upload v0.1.0 --clobber ${attached('0.1.0')}`]);
  });
});

describe('try.sh', () => {
  beforeEach(() => {
    writeFileSync(join(folder, 'it.tgz'), '');
    writeFileSync(join(folder, 'it.gz'), '');
  });

  test('installs the package and looks at a snapshot with it, in a folder of its own', () => {
    standIn('npm');
    standIn('npx', 'pwd');
    const { status, stdout } = run('try.sh', 'it.tgz', 'it.gz');
    const [first = '', second] = stdout.trim().split('\n');
    expect({ status, same: first === second, inside: first.startsWith(folder), left: existsSync(first) }).toEqual({
      status: 0,
      same: true,
      inside: false,
      left: false,
    });
    expect(calls()).toEqual([
      `npm install --engine-strict --no-audit --no-fund ${folder}/it.tgz`,
      'npx --no-install belay --version',
      `npx --no-install belay check --snapshot ${folder}/it.gz --target 1.34 --fail-on never`,
    ]);
  });

  test.each(['npm', 'npx'])('fails with %s', (name) => {
    standIn('npm', name === 'npm' ? 'exit 1' : '');
    standIn('npx', 'exit 1');
    expect(run('try.sh', 'it.tgz', 'it.gz').status).toBe(1);
  });
});

test('every script of the release ends at its first failure', () => {
  const scripts = readdirSync(join(root, 'scripts/release')).filter((name) => name.endsWith('.sh'));
  expect(scripts.length).toBeGreaterThan(3);
  expect(scripts.filter((name) => !/^#!\/usr\/bin\/env bash\n(#.*\n)+set -euo pipefail\n/.test(textOf(`scripts/release/${name}`)))).toEqual(
    [],
  );
});
