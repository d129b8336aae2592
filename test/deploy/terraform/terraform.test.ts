/** deploy/terraform by the real Terraform, with mocks of its own in AWS's place: every document and entry that the modules make, and what they refuse. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, vi, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { root } from '../files.ts';
import { serveProviders } from './provider.ts';
import { describeWithTerraform, type Made, made } from './run.ts';

vi.setConfig({ testTimeout: 240_000 });

const HUB = 'arn:aws:iam::210987654321:role/belay-worker';
const CLUSTERS = { prod: { name: 'prod', region: 'eu-west-1' }, shop: { name: 'shop', region: 'us-east-1' } };

const CONFIG = `
defaults: { role: "arn:aws:iam::123456789012:role/belay-read", writeRole: "arn:aws:iam::123456789012:role/belay-write" }
clusters:
  prod: { region: eu-west-1, account: "123456789012" }
  shop: { region: us-east-1, account: "123456789012", managedBy: { karpenter: flux } }
approvals: { users: [U012AB3CD] }
slack: { channel: C012AB3CD }
`;

/** What the command prints. */
function permissions(...args: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'belay-permissions-'));
  try {
    writeFileSync(join(folder, 'belay.yaml'), CONFIG);
    const command = [join(root, 'cli/main.ts'), 'permissions', '--two-roles', '--config', join(folder, 'belay.yaml'), ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const one = (resources: readonly Made[], address: string): Record<string, unknown> =>
  resources.find((each) => each.address === address)?.values ?? {};
const document = (resources: readonly Made[], address: string, field: string): unknown =>
  JSON.parse(String(one(resources, address)[field]));

describeWithTerraform('deploy/terraform', () => {
  let providers: Awaited<ReturnType<typeof serveProviders>>;
  let printed: string;
  let usual: Awaited<ReturnType<typeof made>>;
  beforeAll(async () => {
    providers = await serveProviders();
    printed = permissions();
    usual = await account();
  });
  afterAll(() => providers.close());

  const account = (variables: object = {}, partition?: string) =>
    made('account', { permissions: printed, hub_role_arn: HUB, clusters: CLUSTERS, ...variables }, providers.reattach, partition);

  test('RS7: the roles have what belay permissions prints, and nothing else', async () => {
    const { resources, refused } = usual;
    expect(refused).toEqual([]);
    const { 'belay-read': read, 'belay-write': write } = JSON.parse(printed);
    expect(document(resources, 'aws_iam_role_policy.belay["read"]', 'policy')).toEqual(read);
    expect(document(resources, 'aws_iam_role_policy.belay["write"]', 'policy')).toEqual(write);
    expect(resources.map(({ address }) => address).sort()).toEqual([
      'aws_eks_access_entry.belay["prod/read"]',
      'aws_eks_access_entry.belay["prod/write"]',
      'aws_eks_access_entry.belay["shop/read"]',
      'aws_eks_access_entry.belay["shop/write"]',
      'aws_iam_role.belay["read"]',
      'aws_iam_role.belay["write"]',
      'aws_iam_role_policy.belay["read"]',
      'aws_iam_role_policy.belay["write"]',
      'data.aws_partition.current',
    ]);
  });

  test('where nothing is changed there is a read role alone', async () => {
    const { 'belay-read': read } = JSON.parse(printed);
    const { resources } = await account({ permissions: JSON.stringify(read) });
    expect(document(resources, 'aws_iam_role_policy.belay["read"]', 'policy')).toEqual(read);
    expect(resources.filter(({ address }) => address.includes('write'))).toEqual([]);
  });

  test('RA15: only the hub becomes a role, with the external id, a name of Belay’s, and the tag that says what for', async () => {
    const hub = { Effect: 'Allow', Principal: { AWS: HUB } };
    const named = { StringLike: { 'sts:RoleSessionName': 'belay-*' } };
    const tags = { Sid: 'WithTags', ...hub, Action: ['sts:TagSession'] };
    const trusts = ({ resources }: { resources: Made[] }): unknown[] =>
      ['read', 'write'].map((access) => document(resources, `aws_iam_role.belay["${access}"]`, 'assume_role_policy'));
    const trust = (...statements: object[]) => ({ Version: '2012-10-17', Statement: statements });
    const become = (Condition: object) => ({ Sid: 'TheHubBecomesThisRole', ...hub, Action: ['sts:AssumeRole'], Condition });

    expect(trusts(await account({ external_id: 'team-7/prod', source_identity: true }))).toEqual(
      ['read', 'write'].map((access) =>
        trust(become({ ...named, StringEquals: { 'aws:RequestTag/belay:access': access, 'sts:ExternalId': 'team-7/prod' } }), tags, {
          Sid: 'WithTheSourceIdentityThatTheHubHas',
          ...hub,
          Action: ['sts:SetSourceIdentity'],
        }),
      ),
    );
    expect(trusts(await account({ session_tags: false }))).toEqual([trust(become(named), tags), trust(become(named), tags)]);
  });

  test('clusters of several regions know each role by its group', async () => {
    const { resources } = usual;
    expect(one(resources, 'aws_eks_access_entry.belay["shop/write"]')).toMatchObject({
      cluster_name: 'shop',
      region: 'us-east-1',
      type: 'STANDARD',
      kubernetes_groups: ['belay-write'],
      principal_arn: 'arn:aws:iam::123456789012:role/made',
    });
  });

  test('RA15: the hub may become the roles of its accounts, of its own partition, and do nothing else', async () => {
    const { resources } = await made(
      'hub',
      { accounts: ['123456789012', '223456789012'], pod_identity_cluster: 'tools' },
      providers.reattach,
      'aws-cn',
    );
    expect(document(resources, 'aws_iam_role_policy.assume', 'policy')).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'BelayBecomesTheRolesOfClusters',
          Effect: 'Allow',
          Action: ['sts:AssumeRole', 'sts:TagSession'],
          Resource: ['123456789012', '223456789012'].flatMap((id) => [
            `arn:aws-cn:iam::${id}:role/belay-read`,
            `arn:aws-cn:iam::${id}:role/belay-write`,
          ]),
        },
      ],
    });
    expect(document(resources, 'aws_iam_role.worker', 'assume_role_policy')).toMatchObject({
      Statement: [{ Principal: { Service: 'pods.eks.amazonaws.com' }, Action: ['sts:AssumeRole', 'sts:TagSession'] }],
    });
    expect(one(resources, 'aws_eks_pod_identity_association.worker[0]')).toMatchObject({
      namespace: 'belay',
      service_account: 'belay-worker',
    });
  });

  test('with IAM roles for service accounts the hub is one service account’s', async () => {
    const oidc = {
      provider_arn: 'arn:aws:iam::210987654321:oidc-provider/oidc.eks.eu-west-1.amazonaws.com/id/A',
      issuer: 'oidc.eks.eu-west-1.amazonaws.com/id/A',
    };
    const { resources } = await made('hub', { accounts: ['123456789012'], oidc }, providers.reattach);
    expect(document(resources, 'aws_iam_role.worker', 'assume_role_policy')).toMatchObject({
      Statement: [
        {
          Principal: { Federated: oidc.provider_arn },
          Condition: {
            StringEquals: {
              [`${oidc.issuer}:aud`]: 'sts.amazonaws.com',
              [`${oidc.issuer}:sub`]: 'system:serviceaccount:belay:belay-worker',
            },
          },
        },
      ],
    });
  });

  test('RS7: a cluster gets each object of belay permissions --format kubernetes', async () => {
    const manifest = permissions('--format', 'kubernetes', '--cluster', 'shop');
    const kinds = (objects: readonly unknown[]): string[] =>
      objects
        .flatMap((each) => String(Object(each).kind ?? []))
        .filter(Boolean)
        .sort();
    const wanted = kinds(parseAllDocuments(manifest).map((each): unknown => each.toJS()));
    const { resources, refused } = await made('kubernetes', { manifest }, providers.reattach);
    expect(refused).toEqual([]);
    expect(wanted).toContain('ValidatingAdmissionPolicy');
    expect(kinds(resources.map(({ values }) => values['manifest']))).toEqual(wanted);
  });

  test.each([
    ['account', { permissions: '{}' }, 'permissions is not what belay permissions --two-roles prints'],
    ['account', { hub_role_arn: 'belay-worker' }, 'hub_role_arn is the ARN of a role'],
    [
      'account',
      { hub_role_arn: 'arn:aws-cn:iam::210987654321:role/belay-worker' },
      'hub_role_arn is of another partition than this account',
    ],
    ['hub', { accounts: ['123'] }, 'Each of accounts is an account id of twelve digits'],
    ['kubernetes', { manifest: 'kind: Pod' }, 'manifest is not what belay permissions --two-roles --format kubernetes prints'],
  ])('%s refuses %j, and says what is right', async (module, variables, words) => {
    const { refused } = module === 'account' ? await account(variables) : await made(module, variables, providers.reattach);
    expect(refused.join('\n').replaceAll(/\s+/g, ' ')).toContain(words);
  });

  test('permissions of another partition, and policies that IAM would refuse, are refused before', async () => {
    const cn = await account({ hub_role_arn: HUB.replace('aws:', 'aws-cn:') }, 'aws-cn');
    expect(cn.refused.join('\n')).toContain("The permissions name another partition than this account's");
    const Resource = Array.from({ length: 200 }, (_, index) => `arn:aws:eks:eu-west-1:123456789012:cluster/cluster-number-${index}`);
    const long = { Version: '2012-10-17', Statement: [{ Sid: 'A', Effect: 'Allow', Action: ['eks:DescribeCluster'], Resource }] };
    const { refused } = await account({ permissions: JSON.stringify(long) });
    expect(refused.join('\n')).toContain('10,240 characters');
  });
});
