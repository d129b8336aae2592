/** `belay check` as people and CI run it, beside a small cluster. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseReport } from '../../../render/readiness/json-report.ts';
import { chooseScenario } from '../../../rehearsal/play/choose.ts';
import { setStage, type Stage } from '../../../rehearsal/play/stage/stage.ts';
import { type Ran, runBelay } from '../run-belay.ts';

let cwd: string;
let stage: Stage;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'belay-check-'));
  stage = await setStage({ scenario: chooseScenario('small'), speed: 600, faults: [], temporalUi: () => undefined });
  write('belay.yaml', cluster(''));
});
afterAll(async () => {
  await stage.close();
  rmSync(cwd, { recursive: true, force: true });
});

const cluster = (more: string): string => `clusters:\n  small: { region: eu-central-1, account: "111122223333"${more} }\n`;

function write(name: string, text: string): string {
  writeFileSync(join(cwd, name), text);
  return name;
}

/** By somebody who may read everything. Progress, which depends on the machine, is left out. */
async function check(args: string[], env: Record<string, string> = {}): Promise<Ran> {
  const ran = await runBelay(['check', ...args], {
    cwd,
    env: { AWS_ENDPOINT_URL: stage.aws.url, AWS_ACCESS_KEY_ID: 'AKIATEST', AWS_SECRET_ACCESS_KEY: 'test', ...env },
    limitMs: 60_000,
  });
  return { ...ran, stderr: ran.stderr.replace(/^Read .*\n/gm, '') };
}

describe('what cannot be run is answered in a sentence that names the fix', () => {
  test.each<[string, string[], string]>([
    ['no cluster', [], 'Which cluster? Name one from belay.yaml: belay check CLUSTER --target 1.34.\n'],
    ['an unknown cluster', ['smal', '-t', '1.32'], 'belay.yaml: no cluster "smal"; did you mean "small"? There are: small\n'],
    [
      'a target that is none',
      ['small', '-t', 'latest'],
      "error: option '-t, --target <minor>' argument 'latest' is invalid. Use a Kubernetes minor version such as 1.34.\n",
    ],
    [
      'a check that there is none of',
      ['small', '-t', '1.32', '--only', 'K8S912'],
      'Unknown check: K8S912. Did you mean K8S012? docs/reference/checks.md lists them; the areas are EKS, AWS, K8S, KAR, IST and OWN.\n',
    ],
    [
      'the version that the cluster is at',
      ['small', '-t', '1.31'],
      'checking small: its control plane is already at 1.31. Name a newer version.\n',
    ],
    [
      'an older version',
      ['small', '-t', '1.30'],
      'checking small: its control plane is at 1.31, newer than 1.30; going back is a rollback. Name a newer version.\n',
    ],
    [
      'no older report',
      ['small', '-t', '1.32', '--diff', 'nowhere.json'],
      '--diff nowhere.json: no such file; write one with --format json --output nowhere.json.\n',
    ],
    [
      'something else for an older report',
      ['small', '-t', '1.32', '--diff', 'belay.yaml'],
      '--diff belay.yaml is not a report of belay check --format json.\n',
    ],
  ])('%s', async (_title, args, stderr) => {
    expect(await check(args)).toEqual({ code: 1, stdout: '', stderr });
  });

  test('no credentials', async () => {
    const { code, stderr } = await check(['small', '-t', '1.32'], { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^reading cluster small: AWS credentials are missing: give this process AWS_PROFILE, a role or AWS_ACCESS_KEY_ID/,
    );
  });

  test('AWS is not reached', async () => {
    const { code, stderr } = await check(['small', '-t', '1.32'], { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'reading cluster small: the connection was refused (ECONNREFUSED). Try again. If it persists, check that this machine can reach it (network, VPN, proxy).\n',
    });
  });

  test('a kubeconfig that is not there', async () => {
    const config = write('no-kubeconfig.yaml', cluster(', kubernetes: { kubeconfig: ./nothing }'));
    const { code, stdout, stderr } = await check(['small', '-t', '1.32', '-c', config]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^reading kubeconfig .*nothing: ENOENT.*; correct kubernetes\.kubeconfig in belay\.yaml\n$/);
  });

  test('a file that cannot be written', async () => {
    const { code, stderr } = await check(['small', '-t', '1.32', '--only', 'EKS001', '--output', 'no/such/folder.html']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^--output no\/such\/folder\.html cannot be written \(.*\); name another file\.\n$/);
  });
});

test.each([
  ['1.31', 'already at 1.31'],
  ['1.30', 'at 1.31, ahead of 1.30'],
])('a target %s of belay.yaml that is reached fails no job', async (target, where) => {
  const config = write(`reached-${target}.yaml`, cluster(`, target: "${target}"`));
  expect(await check(['small', '-c', config])).toEqual({
    code: 0,
    stdout: '',
    stderr: `small is ${where}, the target in ${config}: there is nothing to check. Name a newer version with --target, or in the file.\n`,
  });
});

test('an API server that is not reached leaves its checks unknown, and EKS’s own are judged', async () => {
  const kubeconfig = `apiVersion: v1
kind: Config
current-context: small
clusters: [{ name: small, cluster: { server: "https://127.0.0.1:1" } }]
users: [{ name: me, user: { token: t } }]
contexts: [{ name: small, context: { cluster: small, user: me } }]
`;
  const config = write('dead.yaml', cluster(`, kubernetes: { kubeconfig: ./${write('dead-kubeconfig', kubeconfig)} }`));
  const ran = await check(['small', '-t', '1.32', '-c', config, '--format', 'json', '--fail-on', 'unknown']);
  const report = parseReport(ran.stdout);
  expect(report?.counts.unknown).toBeGreaterThan(30);
  expect(report?.nodes).toBeUndefined();
  expect(report?.findings.find(({ code }) => code === 'EKS001')?.status).toBe('pass');
  expect(report?.findings.filter(({ area, status }) => area === 'Karpenter' && status !== 'unknown')).toEqual([]);
  expect(ran.stderr).toBe('Could not check everything on small; the report says what is missing.\n');
  // One cause, with what helps, whatever the check is about.
  const unknown = report?.findings.filter(({ status }) => status === 'unknown') ?? [];
  expect([...new Set(unknown.map(({ message, remediation }) => `${message} → ${remediation}`))]).toEqual([
    'The API server of small was not reached (the connection was refused (ECONNREFUSED)): nothing in the cluster was checked. → Run this where the API server can be reached, such as in the VPC or with its VPN, and check HTTPS_PROXY; or name a kubeconfig with a tunnel in belay.yaml.',
  ]);
  const { stdout } = await check(['small', '-t', '1.32', '-c', config]);
  expect(stdout).toMatch(
    /\nWhether it is ready for 1\.32 is not known: \d+ checks could not be made\. See Unknown above for what is missing\.\n$/,
  );
});

describe('a report', () => {
  const ready = ['small', '-t', '1.32', '--only', 'EKS001'];

  test('exit code 0, and nothing on stderr', async () => {
    const { stdout, ...ran } = await check(ready);
    expect(ran).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/\nOnly 1 of \d+ checks were run\.\n[^]*\nReady for 1\.32\.\n$/);
  });

  test('exit code 2 with what is required; --fail-on never does not fail', async () => {
    const refused = await check(['small', '-t', '1.34']);
    expect({ ...refused, stdout: '' }).toEqual({ code: 2, stdout: '', stderr: 'small is not ready for 1.34; see the report.\n' });
    expect(refused.stdout).toMatch(/Not ready for 1\.34: fix what is required first\.\n$/);
    expect(await check(['small', '-t', '1.34', '--fail-on', 'never'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('no colours in a file, whatever the terminal shows', async () => {
    const env = { FORCE_COLOR: '1', NO_COLOR: '' };
    expect((await check(ready, env)).stdout).toContain('\u001b[32mReady for 1.32.');
    expect(await check([...ready, '--output', 'report.txt'], env)).toEqual({ code: 0, stdout: '', stderr: 'Written to report.txt.\n' });
    expect(readFileSync(join(cwd, 'report.txt'), 'utf8')).toMatch(/^small \(111122223333, eu-central-1\): 1\.31 → 1\.32\n/);
  });

  test('says what has changed since an older one, of the same cluster only', async () => {
    const { stdout } = await check([...ready, '--format', 'json']);
    expect((await check([...ready, '--diff', write('older.json', stdout)])).stdout).toContain(
      'Changes since the older report\n  0 as before\n',
    );
    const other = write('other.json', stdout.replace('"name": "small"', '"name": "prod"'));
    expect((await check([...ready, '--diff', other])).stderr).toBe('--diff other.json is a report of prod, not of small.\n');
    const elsewhere = write('elsewhere.json', stdout.replace('"account": "111122223333"', '"account": "444455556666"'));
    expect(await check([...ready, '--diff', elsewhere])).toEqual({
      code: 1,
      stdout: '',
      stderr: '--diff elsewhere.json is a report of small (444455556666, eu-central-1), not of small (111122223333, eu-central-1).\n',
    });
    expect((await check([...ready, '--namespace', 'shop', '--diff', 'older.json'])).stderr).toBe(
      '--diff older.json is a report of all namespaces, not of shop: leave out --namespace, or compare with another report.\n',
    );
  });

  test('a namespace that the cluster does not have is refused: it would be ready for want of findings', async () => {
    const { code, stderr } = await check(['small', '-t', '1.32', '--namespace', 'shpo']);
    expect([code, stderr.trim()]).toEqual([1, expect.stringMatching(/small has no namespace shpo; did you mean shop\?$/)]);
  });

  test('--namespace says what it leaves out', async () => {
    const { stdout } = await check(['small', '-t', '1.32', '--only', 'K8S023', '--namespace', 'kube-public']);
    expect(stdout).toMatch(/Only what concerns namespace kube-public: 1 finding and \d+ resources of other namespaces are left out\./);
  });
});
