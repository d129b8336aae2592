/** One AWS for several clusters: unmodified clients find theirs by credentials, region and names alone. */
import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import {
  DescribeAvailabilityZonesCommand,
  DescribeInstancesCommand,
  DescribeSubnetsCommand,
  EC2Client,
  paginateDescribeInstances,
} from '@aws-sdk/client-ec2';
import {
  DescribeClusterCommand,
  EKSClient,
  ListClustersCommand,
  ListTagsForResourceCommand,
  UpdateClusterVersionCommand,
} from '@aws-sdk/client-eks';
import { GetRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import { DescribeKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { GetServiceQuotaCommand, ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { giveOwnIds, ownedBy } from '../../../../rehearsal/aws/owned.ts';
import { accessKeyOf } from '../../../../rehearsal/aws/eks/identities.ts';
import { type AwsServer, startAwsServer } from '../../../../rehearsal/aws/eks/server.ts';
import { small } from '../../../../rehearsal/scenarios/small.ts';
import type { World } from '../../../../rehearsal/world/world.ts';
import { steppedWorld } from '../../support.ts';

const [SHOP, BANK] = ['111122223333', '444455556666'];
const [FRANKFURT, DUBLIN] = ['eu-central-1', 'eu-west-1'];

/** Two in one account and region, one in the account's other region, and one of the same name in another account. */
const CLUSTERS = [
  { name: 'dev', account: SHOP, region: FRANKFURT },
  { name: 'staging', account: SHOP, region: FRANKFURT },
  { name: 'far', account: SHOP, region: DUBLIN },
  { name: 'dev', account: BANK, region: FRANKFURT },
] as const;

let worlds: [World, World, World, World];
let server: AwsServer;
beforeAll(async () => {
  const all = CLUSTERS.map((cluster, index) =>
    steppedWorld({
      ...small,
      cluster,
      build(world) {
        giveOwnIds(world, index);
        small.build(world);
      },
    }),
  );
  const [dev, staging, far, bank] = all.map(({ world }) => world);
  if (dev === undefined || staging === undefined || far === undefined || bank === undefined) throw new Error('four worlds');
  worlds = [dev, staging, far, bank];
  server = await startAwsServer({ world: dev, neighbours: [staging, far, bank] });
});
afterAll(() => server.close());

test('a request that names what belongs to two clusters needs rights for both', async () => {
  const [dev, staging] = worlds;
  const forbidden = (_action: string, _key: string, world: World): boolean => world === staging;
  const strict = await startAwsServer({ world: dev, neighbours: [staging], forbidden });
  const ec2 = new EC2Client({ ...at(), endpoint: strict.url });
  const ask = (...asked: World[]) =>
    ec2.send(new DescribeSubnetsCommand({ SubnetIds: asked.map(({ eks }) => eks.cluster.subnetIds[0] ?? '') }));
  try {
    expect((await ask(dev)).Subnets).toHaveLength(1);
    await expect(ask(dev, staging)).rejects.toMatchObject({ name: 'UnauthorizedOperation' });
  } finally {
    await strict.close();
  }
});

test('Auto Scaling lists fifty groups at a time, and a hundred at most', async () => {
  const [, , far] = worlds;
  const { network } = far.eks;
  const before = network.autoScalingGroups;
  network.autoScalingGroups = Array.from({ length: 60 }, (_, index) => ({
    name: `own-${index}`,
    size: 1,
    launchTemplate: { id: 'lt-1', version: '1' },
  }));
  const client = new AutoScalingClient(at(SHOP, DUBLIN));
  const ask = async (MaxRecords?: number) => {
    const { AutoScalingGroups = [], NextToken } = await client.send(new DescribeAutoScalingGroupsCommand({ MaxRecords }));
    return [AutoScalingGroups.length, NextToken !== undefined];
  };
  try {
    expect([await ask(), await ask(100)]).toEqual([
      [50, true],
      [60 + far.eks.nodeGroups.length, false],
    ]);
    await expect(ask(101)).rejects.toMatchObject({ name: 'ValidationError' });
  } finally {
    network.autoScalingGroups = before;
  }
});

const keysOf = (account: string) => ({ accessKeyId: accessKeyOf(account), secretAccessKey: 'example' });
const at = (account: string = SHOP, region: string = FRANKFURT) => ({
  endpoint: server.url,
  region,
  credentials: keysOf(account),
  maxAttempts: 1,
});
const arnOf = ({ name, account, region }: (typeof CLUSTERS)[number]) => `arn:aws:eks:${region}:${account}:cluster/${name}`;

describe('EKS', () => {
  test.each([
    ['an account and region with two', SHOP, FRANKFURT, ['dev', 'staging']],
    ['the account’s other region', SHOP, DUBLIN, ['far']],
    ['another account', BANK, FRANKFURT, ['dev']],
    ['a region without any', BANK, DUBLIN, []],
  ])('%s lists its own clusters', async (_name, account, region, clusters) => {
    expect((await new EKSClient(at(account, region)).send(new ListClustersCommand({}))).clusters).toEqual(clusters);
  });

  test('F38: two clusters of one name in two accounts are each described to their own account', async () => {
    const described = await Promise.all(
      [SHOP, BANK].map((account) => new EKSClient(at(account)).send(new DescribeClusterCommand({ name: 'dev' }))),
    );
    expect(described.map(({ cluster }) => cluster?.arn)).toEqual([arnOf(CLUSTERS[0]), arnOf(CLUSTERS[3])]);
    expect(described[0]?.cluster?.resourcesVpcConfig?.vpcId).not.toBe(described[1]?.cluster?.resourcesVpcConfig?.vpcId);
  });

  test.each([
    ['in another region', SHOP, DUBLIN, 'dev'],
    ['of another account', BANK, FRANKFURT, 'staging'],
  ])('a cluster %s is not there, as with AWS', async (_name, account, region, name) => {
    await expect(new EKSClient(at(account, region)).send(new DescribeClusterCommand({ name }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: `No cluster found for name: ${name}.`,
    });
  });

  test('a change reaches its own cluster alone', async () => {
    await new EKSClient(at()).send(new UpdateClusterVersionCommand({ name: 'staging', version: '1.32' }));
    expect(worlds.map(({ eks }) => eks.updates.length)).toEqual([0, 1, 0, 0]);
    expect(worlds.map(({ journal }) => journal.mutations.length)).toEqual([0, 1, 0, 0]);
  });

  test('tags are found by the ARN, and not those of another account', async () => {
    const [, staging, , bank] = CLUSTERS;
    const read = (resourceArn: string) => new EKSClient(at()).send(new ListTagsForResourceCommand({ resourceArn }));
    expect((await read(arnOf(staging))).tags).toEqual({ Environment: 'staging' });
    await expect(read(arnOf(bank))).rejects.toMatchObject({ name: 'NotFoundException' });
  });
});

describe('what lies around clusters', () => {
  test('no two clusters of an account and region own anything in common', () => {
    const [first, second] = [ownedBy(worlds[0]), ownedBy(worlds[1])];
    expect([...first].filter((id) => second.has(id))).toEqual([]);
  });

  test('is found by its id, also where one request names that of two clusters', async () => {
    const ec2 = new EC2Client(at());
    const ids = [worlds[0], worlds[1]].map(({ eks }) => eks.cluster.subnetIds[0] ?? '');
    const names = async (SubnetIds: string[]) =>
      ((await ec2.send(new DescribeSubnetsCommand({ SubnetIds }))).Subnets ?? []).map(({ Tags = [] }) => Tags[0]?.Value);
    expect(await names(ids.slice(1))).toEqual(['staging-private-eu-central-1a']);
    expect(await names(ids)).toEqual(['dev-private-eu-central-1a', 'staging-private-eu-central-1a']);
  });

  test('of another account it is not there', async () => {
    const SubnetIds = worlds[3].eks.cluster.subnetIds.slice(0, 1);
    await expect(new EC2Client(at()).send(new DescribeSubnetsCommand({ SubnetIds }))).rejects.toMatchObject({
      name: 'InvalidSubnetID.NotFound',
    });
  });

  test('an account’s list has the instances of all its clusters, page by page each of them once', async () => {
    const whole = await new EC2Client(at()).send(new DescribeInstancesCommand({}));
    const idsOf = (reservations: typeof whole.Reservations) =>
      (reservations ?? []).flatMap(({ Instances = [] }) => Instances.map(({ InstanceId }) => InstanceId));
    const all = idsOf(whole.Reservations);
    expect(all).toHaveLength(8);
    const paged: (string | undefined)[] = [];
    for await (const page of paginateDescribeInstances({ client: new EC2Client(at()), pageSize: 5 }, {}))
      paged.push(...idsOf(page.Reservations));
    expect(paged).toEqual(all);
    expect(new Set(all).size).toBe(8);
  });

  test('zones, which clusters have in common, are listed once', async () => {
    const { AvailabilityZones = [] } = await new EC2Client(at()).send(new DescribeAvailabilityZonesCommand({}));
    expect(AvailabilityZones.map(({ ZoneName }) => ZoneName)).toEqual(['eu-central-1a', 'eu-central-1b', 'eu-central-1c']);
  });

  test.each([
    ['tag-key', 'kubernetes.io/cluster/staging'],
    ['tag:eks:cluster-name', 'staging'],
  ])('Auto Scaling groups are found by %s', async (Name, value) => {
    const query = new DescribeAutoScalingGroupsCommand({ Filters: [{ Name, Values: [value] }] });
    const { AutoScalingGroups = [] } = await new AutoScalingClient(at()).send(query);
    expect(AutoScalingGroups.map(({ Tags = [] }) => Tags.find(({ Key }) => Key === 'eks:cluster-name')?.Value)).toEqual(['staging']);
  });

  test('roles are the account’s, whatever the region; keys, parameters and quotas are answered', async () => {
    const role = await new IAMClient(at(SHOP, DUBLIN)).send(new GetRoleCommand({ RoleName: 'eks-staging' }));
    expect(role.Role?.Arn).toBe(`arn:aws:iam::${SHOP}:role/eks-staging`);
    const KeyId = worlds[1].eks.cluster.keyArn;
    expect((await new KMSClient(at()).send(new DescribeKeyCommand({ KeyId }))).KeyMetadata?.Arn).toBe(KeyId);
    const Name = '/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/standard/recommended/image_id';
    expect((await new SSMClient(at()).send(new GetParameterCommand({ Name }))).Parameter?.Value).toMatch(/^ami-/);
    const quota = new GetServiceQuotaCommand({ ServiceCode: 'eks', QuotaCode: 'L-1194D53C' });
    expect((await new ServiceQuotasClient(at(BANK)).send(quota)).Quota?.QuotaArn).toContain(BANK);
  });

  test('a role of another account is not there', async () => {
    await expect(new IAMClient(at(BANK)).send(new GetRoleCommand({ RoleName: 'eks-staging' }))).rejects.toMatchObject({
      name: 'NoSuchEntityException',
    });
  });

  test('metrics are of the cluster that a query names; one that asks about two at once is refused', async () => {
    const queryOf = (cluster: string) => ({
      Id: cluster,
      MetricStat: {
        Metric: {
          Namespace: 'AWS/EKS',
          MetricName: 'apiserver_request_duration_seconds_GET_P99',
          Dimensions: [{ Name: 'ClusterName', Value: cluster }],
        },
        Period: 60,
        Stat: 'Maximum',
      },
    });
    const range = { StartTime: new Date(worlds[0].clock.nowMs() - 60_000), EndTime: worlds[0].clock.now() };
    const ask = (...clusters: string[]) =>
      new CloudWatchClient(at()).send(new GetMetricDataCommand({ ...range, MetricDataQueries: clusters.map(queryOf) }));
    expect((await ask('staging')).MetricDataResults?.[0]?.Values).toEqual([0.4]);
    await expect(ask('dev', 'staging')).rejects.toMatchObject({ message: expect.stringContaining('one cluster a request') });
  });

  test('what is used of a quota is published for the whole account, by the metric that the quota names', async () => {
    const quota = new GetServiceQuotaCommand({ ServiceCode: 'ec2', QuotaCode: 'L-1216C47A' });
    const {
      MetricNamespace,
      MetricName,
      MetricDimensions = {},
    } = (await new ServiceQuotasClient(at()).send(quota)).Quota?.UsageMetric ?? {};
    const Dimensions = Object.entries(MetricDimensions).map(([Name, Value]) => ({ Name, Value }));
    const ask = (dimensions: typeof Dimensions) =>
      new CloudWatchClient(at()).send(
        new GetMetricDataCommand({
          StartTime: new Date(worlds[0].clock.nowMs() - 60_000),
          EndTime: worlds[0].clock.now(),
          MetricDataQueries: [
            {
              Id: 'used',
              MetricStat: { Metric: { Namespace: MetricNamespace, MetricName, Dimensions: dimensions }, Period: 60, Stat: 'Maximum' },
            },
          ],
        }),
      );
    const running = await new EC2Client(at()).send(new DescribeInstancesCommand({}));
    const vcpus = (running.Reservations ?? []).flatMap(({ Instances = [] }) =>
      Instances.map(({ CpuOptions }) => (CpuOptions?.CoreCount ?? 0) * (CpuOptions?.ThreadsPerCore ?? 0)),
    );
    expect((await ask(Dimensions)).MetricDataResults?.[0]?.Values).toEqual([vcpus.reduce((sum, each) => sum + each, 0)]);
    expect((await ask(Dimensions.slice(1))).MetricDataResults?.[0]?.Values).toEqual([]);
  });

  test('a region where the account has nothing says so', async () => {
    await expect(new EC2Client(at(BANK, DUBLIN)).send(new DescribeSubnetsCommand({}))).rejects.toMatchObject({
      name: 'OptInRequired',
      message: 'The rehearsal has no cluster of this account in region eu-west-1.',
    });
  });
});

describe('STS', () => {
  test('a key says its account, and one that does not is of the first cluster’s', async () => {
    const who = async (accessKeyId: string) => {
      const client = new STSClient({ ...at(), credentials: { accessKeyId, secretAccessKey: 'example' } });
      return (await client.send(new GetCallerIdentityCommand({}))).Account;
    };
    expect([await who(accessKeyOf(BANK)), await who('anything')]).toEqual([BANK, SHOP]);
  });

  test('a role that one account keeps to itself is refused, and the same role of another account is not', async () => {
    const closed = { role: `${BANK}:role/belay`, asked: 0 };
    worlds[3].eks.unassumable = [closed];
    const assume = (account: string) =>
      new STSClient(at()).send(new AssumeRoleCommand({ RoleArn: `arn:aws:iam::${account}:role/belay`, RoleSessionName: 'session' }));
    try {
      await expect(assume(BANK)).rejects.toMatchObject({ name: 'AccessDenied' });
      expect((await assume(SHOP)).AssumedRoleUser?.Arn).toBe(`arn:aws:sts::${SHOP}:assumed-role/belay/session`);
    } finally {
      delete worlds[3].eks.unassumable;
    }
    expect(closed.asked).toBe(1);
  });

  test('whoever assumes a role is in the role’s account from then on', async () => {
    const assume = new AssumeRoleCommand({ RoleArn: `arn:aws:iam::${BANK}:role/belay`, RoleSessionName: 'session' });
    const { Credentials: keys } = await new STSClient(at()).send(assume);
    const credentials = {
      accessKeyId: keys?.AccessKeyId ?? '',
      secretAccessKey: keys?.SecretAccessKey ?? '',
      sessionToken: keys?.SessionToken,
    };
    const inside = { ...at(), credentials };
    expect((await new STSClient(inside).send(new GetCallerIdentityCommand({}))).Account).toBe(BANK);
    expect((await new EKSClient(inside).send(new DescribeClusterCommand({ name: 'dev' }))).cluster?.arn).toBe(arnOf(CLUSTERS[3]));
    await expect(new EKSClient(inside).send(new DescribeClusterCommand({ name: 'staging' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });
});
