/** `belay migrate karpenter CLUSTER` as people type it, on the twin; and what it says of a policy document. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CheckGround, openTwinGround } from '../../support/check-ground.ts';
import { type Ran, runBelay } from '../run-belay.ts';

const POLICY = fileURLToPath(new URL('examples/iam/karpenter-0.32.json', import.meta.url));

let ground: CheckGround;
beforeAll(async () => void (ground = await openTwinGround('readiness')));
afterAll(() => ground?.close());

function migrate(...args: string[]): Promise<Ran> {
  const env = Object.fromEntries(Object.entries(ground.env).map(([name, value]) => [name, value ?? '']));
  return runBelay(['migrate', 'karpenter', ...args], { cwd: ground.directory, env });
}

describe('a cluster', () => {
  test('a Provisioner that was left over: the steps, the diff, the new manifest', async () => {
    const out = join(ground.directory, 'out');
    const { stdout, stderr, code } = await migrate(ground.cluster, '--to', 'v1beta1', '--out', out, '--check');
    expect(stdout).toContain(`✓ 1. The controller runs v0.31.4 or newer, so that 0.32 can be gone back from
     1.5.6 runs.
? 2. The IAM policy of 0.32 is attached
     0.32 makes instance profiles itself and tags what it makes with karpenter.sh/nodepool. No policy was looked at.
     → Give the controller’s policy document: --iam-policy FILE.
`);
    expect(stdout).toContain('○ 7. Provisioners and AWSNodeTemplates are deleted\n     1 object of v1alpha5 left.\n');
    expect(stdout).toContain('-kind: Provisioner\n+apiVersion: karpenter.sh/v1beta1\n+kind: NodePool\n');
    expect(stdout).toContain('1 file written.');
    expect(readdirSync(out)).toEqual(['provisioner-left-over.yaml']);
    expect(readFileSync(join(out, 'provisioner-left-over.yaml'), 'utf8')).toContain('kind: NodePool\n');
    expect({ code, stderr }).toEqual({ code: 2, stderr: `Something is left to migrate in ${ground.cluster}; see above.\n` });
  });

  test('a cluster that is through but for its stored versions: no diff', async () => {
    const { stdout, code } = await migrate(ground.cluster, '--iam-policy', POLICY);
    expect(code).toBe(0);
    expect(stdout).toContain('✓ 8. Manifests are of v1\n     The cluster has none of the older API; ');
    expect(stdout).toContain('○ 10. Objects are stored as v1\n     storedVersions: nodeclaims.karpenter.sh ["v1beta1","v1"].\n');
    expect(stdout).toContain('○ 4. The v1 IAM policy is attached beside the one that is there\n');
    expect(stdout).toMatch(/IAM policy: 1 gap:\n {2}ec2:CreateTags on instance: .*does not allow the tag eks:eks-cluster-name\n/);
    expect(stdout).not.toContain('+++');
  });
});

describe('a policy alone', () => {
  test('with all of it, as JSON and as text', async () => {
    const json = await migrate('--to', 'v1beta1', '--iam-policy', POLICY, '--format', 'json');
    expect(JSON.parse(json.stdout).iam).toEqual({ gaps: [], before: [] });
    expect(await migrate('--to', 'v1beta1', '--iam-policy', POLICY, '--check')).toEqual({
      code: 0,
      stdout: 'IAM policy: it allows everything that this Karpenter does, judging by actions, resource types and tags.\n\n',
      stderr: '',
    });
  });

  test('that is none', async () => {
    const file = join(ground.directory, 'belay.yaml');
    expect(await migrate('--iam-policy', file)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `--iam-policy ${file}: it is not JSON; write one with aws iam get-policy-version --query PolicyVersion.Document.\n`,
    });
  });
});

test.each([
  [[], 'What should be migrated? Name a cluster from belay.yaml, a checkout with --dir FOLDER, or a policy with --iam-policy FILE.'],
  [['prod', '--dir', '.'], 'Use either a cluster or --dir, not both.'],
  [['prod', '--write'], '--write needs --dir FOLDER, whose files it changes. With a cluster, use --out FOLDER.'],
  [['--dir', '.', '--out', 'new'], '--out needs a cluster, whose objects it writes. With --dir, use --write.'],
])('arguments %j', async (args, stderr) => {
  expect(await migrate(...args)).toEqual({ code: 1, stdout: '', stderr: `${stderr}\n` });
  expect(existsSync(join(ground.directory, 'new'))).toBe(false);
});
