/** The AWS CLI, unmodified, against the twin: it prints what it prints of a real cluster. */
import { delimiter } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithKubectl } from '../../support/tools.ts';
import { pythonTools } from './tools.ts';
import { printed, type RunningTwin, startTwin } from './twin.ts';
import { PATIENCE } from '../../support/eventually.ts';

const cluster = 'staging';
let twin: RunningTwin;

// An upgrade of ten minutes takes one second: the CLI's waiters look every 10 or 30 seconds of the wall.
beforeAll(async () => {
  twin = await startTwin('seed-000', 600);
});
afterAll(() => twin.close());

const eks = (...args: string[]): Promise<string> => twin.aws('eks', ...args);
const text = async (...args: string[]): Promise<string> => (await eks(...args, '--output', 'text')).trim();
const refusal = (...args: string[]): Promise<string> =>
  eks(...args).then(
    () => 'accepted',
    (error: Error) => error.message,
  );

test('describes and lists', async () => {
  const { cluster: described } = JSON.parse(await eks('describe-cluster', '--name', cluster)) as { cluster: Record<string, unknown> };
  expect(described).toMatchObject({
    name: cluster,
    arn: 'arn:aws:eks:ap-northeast-1:111122223333:cluster/staging',
    // Version 1 of the CLI prints timestamps as they come: epoch seconds.
    createdAt: Date.parse('2024-03-25T00:21:51Z') / 1000,
    version: '1.31',
    status: 'ACTIVE',
    resourcesVpcConfig: {
      subnetIds: ['subnet-0a11aa11aa11aa11a', 'subnet-0b22bb22bb22bb22b', 'subnet-0c33cc33cc33cc33c'],
      vpcId: 'vpc-0f66ff66ff66ff66f',
    },
    upgradePolicy: { supportType: 'EXTENDED' },
  });
  expect(await text('list-clusters')).toBe('CLUSTERS\tstaging');
  expect(await text('list-addons', '--cluster-name', cluster, '--query', 'addons[]')).toBe(
    'vpc-cni\tcoredns\tkube-proxy\taws-ebs-csi-driver',
  );
  // In pages of one, put together by the CLI.
  expect(JSON.parse(await eks('list-addons', '--cluster-name', cluster, '--page-size', '1'))).toMatchObject({
    addons: ['vpc-cni', 'coredns', 'kube-proxy', 'aws-ebs-csi-driver'],
  });
  expect(await text('list-nodegroups', '--cluster-name', cluster)).toBe('NODEGROUPS\tdefault');
  expect(
    await text(
      'describe-nodegroup',
      '--cluster-name',
      cluster,
      '--nodegroup-name',
      'default',
      '--query',
      'nodegroup.[version,releaseVersion,amiType,status]',
    ),
  ).toBe('1.31\t1.31.7-20250403\tAL2023_x86_64_STANDARD\tACTIVE');
  expect(await text('describe-addon', '--cluster-name', cluster, '--addon-name', 'coredns', '--query', 'addon.[addonVersion,status]')).toBe(
    'v1.11.3-eksbuild.1\tACTIVE',
  );
  expect(await text('list-fargate-profiles', '--cluster-name', cluster, '--query', 'length(fargateProfileNames)')).toBe('0');
});

test('prints tables of the versions on offer', async () => {
  const table = await eks(
    'describe-cluster-versions',
    '--query',
    'clusterVersions[].[clusterVersion,versionStatus,endOfStandardSupportDate]',
    '--output',
    'text',
  );
  const days = (seconds = ''): string => new Date(Number(seconds) * 1000).toISOString().slice(0, 10);
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.split('\t'));
  expect(rows.map(([version, status, end]) => [version, status, days(end)])).toEqual([
    ['1.32', 'STANDARD_SUPPORT', '2026-03-23'],
    ['1.31', 'STANDARD_SUPPORT', '2025-11-26'],
    ['1.30', 'STANDARD_SUPPORT', '2025-07-23'],
    ['1.29', 'EXTENDED_SUPPORT', '2025-03-23'],
    ['1.28', 'EXTENDED_SUPPORT', '2024-11-26'],
  ]);
  const query = 'addons[].addonVersions[?compatibilities[?defaultVersion]].addonVersion[]';
  expect(await text('describe-addon-versions', '--addon-name', 'kube-proxy', '--kubernetes-version', '1.32', '--query', query)).toBe(
    'v1.32.0-eksbuild.2',
  );
});

test('refreshes insights and lists them', async () => {
  expect(await text('start-insights-refresh', '--cluster-name', cluster, '--query', 'status')).toBe('IN_PROGRESS');
  await until(async () => (await text('describe-insights-refresh', '--cluster-name', cluster, '--query', 'status')) === 'COMPLETED');
  const query = 'insights[].[name,insightStatus.status]';
  const filter = '{"categories":["UPGRADE_READINESS"],"kubernetesVersions":["1.32"]}';
  expect((await text('list-insights', '--cluster-name', cluster, '--filter', filter, '--query', query)).split('\n')).toEqual([
    'Deprecated APIs removed in Kubernetes v1.32\tPASSING',
    'Kubelet version skew\tPASSING',
    'kube-proxy version skew\tPASSING',
    'Cluster health issues\tPASSING',
    'EKS add-on version compatibility\tWARNING',
  ]);
});

test('refuses in the words of the service', async () => {
  expect(await refusal('update-cluster-version', '--name', cluster, '--kubernetes-version', '1.31')).toContain(
    'An error occurred (InvalidParameterException) when calling the UpdateClusterVersion operation: Unsupported Kubernetes minor version update from 1.31 to 1.31',
  );
  expect(await refusal('describe-cluster', '--name', 'nobody')).toContain(
    'An error occurred (ResourceNotFoundException) when calling the DescribeCluster operation: No cluster found for name: nobody.',
  );
  expect(await refusal('describe-update', '--name', cluster, '--update-id', 'x')).toContain('No update found for ID: x');
});

test('updates the cluster, an add-on and a node group, and waits for them', async () => {
  const id = await text('update-cluster-version', '--name', cluster, '--kubernetes-version', '1.32', '--query', 'update.id');
  const status = (): Promise<string> => text('describe-update', '--name', cluster, '--update-id', id, '--query', 'update.status');
  await until(async () => (await status()) === 'Successful');
  await eks('wait', 'cluster-active', '--name', cluster);
  expect(await text('describe-cluster', '--name', cluster, '--query', 'cluster.[version,status]')).toBe('1.32\tACTIVE');
  expect(await text('list-updates', '--name', cluster, '--query', 'updateIds')).toBe(id);
  await eks(
    'update-addon',
    '--cluster-name',
    cluster,
    '--addon-name',
    'coredns',
    '--addon-version',
    'v1.11.4-eksbuild.2',
    '--resolve-conflicts',
    'PRESERVE',
  );
  await eks('wait', 'addon-active', '--cluster-name', cluster, '--addon-name', 'coredns');
  await eks('update-nodegroup-version', '--cluster-name', cluster, '--nodegroup-name', 'default', '--kubernetes-version', '1.32');
  await eks('wait', 'nodegroup-active', '--cluster-name', cluster, '--nodegroup-name', 'default');
  await until(
    async () =>
      (await text('describe-nodegroup', '--cluster-name', cluster, '--nodegroup-name', 'default', '--query', 'nodegroup.version')) ===
      '1.32',
  );
  expect(await text('describe-addon', '--cluster-name', cluster, '--addon-name', 'coredns', '--query', 'addon.addonVersion')).toBe(
    'v1.11.4-eksbuild.2',
  );
});

test('looks at what lies around the cluster', async () => {
  const subnets = await twin.aws(
    'ec2',
    'describe-subnets',
    '--query',
    'Subnets[].[SubnetId,AvailableIpAddressCount,AvailabilityZoneId]',
    '--output',
    'text',
  );
  expect(subnets.trim().split('\n')).toEqual([
    'subnet-0a11aa11aa11aa11a\t3876\tapne1-az1',
    'subnet-0b22bb22bb22bb22b\t3759\tapne1-az2',
    'subnet-0c33cc33cc33cc33c\t3642\tapne1-az3',
  ]);
  expect((await twin.aws('sts', 'get-caller-identity', '--query', 'Account', '--output', 'text')).trim()).toBe('111122223333');
  expect(
    (
      await twin.aws(
        'iam',
        'get-role',
        '--role-name',
        'eks-staging',
        '--query',
        'Role.AssumeRolePolicyDocument.Statement[0].Principal.Service',
        '--output',
        'text',
      )
    ).trim(),
  ).toBe('eks.amazonaws.com');
  expect(
    (
      await twin.aws(
        'kms',
        'describe-key',
        '--key-id',
        '7c1f3b52-0000-4000-8000-00000000e4c5',
        '--query',
        'KeyMetadata.KeyState',
        '--output',
        'text',
      )
    ).trim(),
  ).toBe('Enabled');
});

describeWithKubectl('kubectl', () => {
  test('gets in with a kubeconfig and tokens that the CLI has made', async () => {
    const kubeconfig = `${twin.env.KUBECONFIG}-of-the-cli`;
    await eks('update-kubeconfig', '--name', cluster, '--kubeconfig', kubeconfig);
    const env = { ...twin.env, KUBECONFIG: kubeconfig, PATH: `${pythonTools()}${delimiter}${process.env['PATH']}` };
    const nodes = await printed('kubectl', ['get', 'nodes', '-l', 'eks.amazonaws.com/nodegroup=default', '--no-headers'], env);
    expect(nodes.trim().split('\n')).toHaveLength(3);
  });
});

/** Asks once a second, for two minutes. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let seconds = 0; seconds < 120 * PATIENCE; seconds += 1) {
    if (await holds()) return;
    await new Promise((done) => setTimeout(done, 1_000));
  }
  throw new Error('it did not come to hold within two minutes');
}
