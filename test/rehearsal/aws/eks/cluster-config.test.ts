/** Changes of a cluster's configuration, its tags, and why a control plane's update fails: as the real client sees them. */
import { afterEach, describe, expect, test } from 'vitest';
import {
  DescribeClusterCommand,
  DescribeClusterVersionsCommand,
  type DescribeClusterVersionsCommandInput,
  DescribeUpdateCommand,
  ListTagsForResourceCommand,
  StartInsightsRefreshCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateClusterConfigCommand,
  type UpdateClusterConfigCommandInput,
  UpdateClusterVersionCommand,
} from '@aws-sdk/client-eks';
import { MINUTE_MS, openTwin, type Twin } from '../../support.ts';
import { refusal } from './refusal.ts';

const name = 'small';
let twin: Twin;
afterEach(() => twin.close());

const change = (input: Omit<UpdateClusterConfigCommandInput, 'name'>): Promise<string> =>
  refusal(twin.eks.send(new UpdateClusterConfigCommand({ name, ...input })));
const cluster = async () => (await twin.eks.send(new DescribeClusterCommand({ name }))).cluster;

test('turns logs on by an update of its own, and shows them when it has ended', async () => {
  twin = await openTwin('small');
  const logging: UpdateClusterConfigCommandInput['logging'] = { clusterLogging: [{ types: ['api', 'audit'], enabled: true }] };
  const { update } = await twin.eks.send(new UpdateClusterConfigCommand({ name, logging }));
  expect([update?.type, update?.params]).toEqual(['LoggingUpdate', [{ type: 'ClusterLogging', value: JSON.stringify(logging) }]]);
  twin.step(20_000);
  expect([(await cluster())?.status, (await cluster())?.logging?.clusterLogging?.[0]?.enabled]).toEqual(['UPDATING', false]);
  twin.step(MINUTE_MS);
  expect([(await cluster())?.status, (await cluster())?.logging]).toEqual([
    'ACTIVE',
    {
      clusterLogging: [
        { types: ['api', 'audit'], enabled: true },
        { types: ['authenticator', 'controllerManager', 'scheduler'], enabled: false },
      ],
    },
  ]);
  expect(await change({ logging })).toBe('400 InvalidParameterException: No changes needed for the logging config provided');
});

test.each<[string, Omit<UpdateClusterConfigCommandInput, 'name'>, string]>([
  ['nothing', {}, '400 InvalidParameterException: The type for cluster update was not provided.'],
  [
    'two kinds of change',
    { deletionProtection: true, upgradePolicy: { supportType: 'STANDARD' } },
    '400 InvalidParameterException: Only one type of update can be allowed.',
  ],
  [
    'the access that is there',
    { resourcesVpcConfig: { endpointPublicAccess: true } },
    '400 InvalidParameterException: Cluster is already at the desired configuration with endpointPrivateAccess: true , endpointPublicAccess: true, and Public Endpoint Restrictions: [0.0.0.0/0]',
  ],
  [
    'a subnet that is not there',
    { resourcesVpcConfig: { subnetIds: ['subnet-1'] } },
    "400 InvalidParameterException: The ID 'subnet-1' does not exist",
  ],
  [
    'authentication back to the ConfigMap',
    { accessConfig: { authenticationMode: 'CONFIG_MAP' } },
    '400 InvalidParameterException: Unsupported authentication mode update from API_AND_CONFIG_MAP to CONFIG_MAP',
  ],
])('refuses %s', async (_what, input, expected) => {
  twin = await openTwin('small');
  expect(await change(input)).toBe(expected);
});

test.each<[string, Omit<UpdateClusterConfigCommandInput, 'name'>, string, string]>([
  ['endpoint access', { resourcesVpcConfig: { endpointPublicAccess: false } }, 'EndpointAccessUpdate', 'EndpointPublicAccess'],
  ['subnets', { resourcesVpcConfig: { subnetIds: ['subnet-0a11aa11aa11aa11a'] } }, 'VpcConfigUpdate', 'Subnets'],
  ['authentication', { accessConfig: { authenticationMode: 'API' } }, 'AccessConfigUpdate', 'AuthenticationMode'],
  ['zonal shift', { zonalShiftConfig: { enabled: true } }, 'ZonalShiftConfigUpdate', 'ZonalShiftConfig'],
  ['Auto Mode', { computeConfig: { enabled: true } }, 'AutoModeUpdate', 'ComputeConfig'],
  ['deletion protection', { deletionProtection: true }, 'DeletionProtectionUpdate', 'DeletionProtection'],
])('changes %s by an update of its own type', async (_what, input, type, param) => {
  twin = await openTwin('small');
  const { update } = await twin.eks.send(new UpdateClusterConfigCommand({ name, ...input }));
  expect([update?.type, update?.params?.[0]?.type]).toEqual([type, param]);
  expect(await change(input)).toMatch(
    /^409 ResourceInUseException: Cannot ConfigUpdate because cluster small currently has update .* in progress$/,
  );
  twin.step(2 * MINUTE_MS);
  expect((await twin.eks.send(new DescribeUpdateCommand({ name, updateId: update?.id }))).update?.status).toBe('Successful');
});

describe('a control plane that lacks something', () => {
  test.each<[string, (twin: Twin) => void, string]>([
    [
      'free addresses',
      ({ world }) => world.eks.network.subnets.forEach((subnet) => (subnet.freeAddresses = 1)),
      'InsufficientFreeAddresses: One or more of the subnets does not have enough available IP addresses.',
    ],
    [
      'a subnet',
      ({ world }) => void world.eks.network.subnets.pop(),
      'SubnetNotFound: One or more of the subnets associated with your cluster do not exist.',
    ],
    [
      'a security group',
      ({ world }) => void world.eks.network.securityGroups.shift(),
      'SecurityGroupNotFound: One or more of the security groups associated with your cluster do not exist.',
    ],
  ])('A18: without %s the update fails, the cluster stays', async (_what, take, expected) => {
    twin = await openTwin('small');
    take(twin);
    const { update } = await twin.eks.send(new UpdateClusterVersionCommand({ name, version: '1.32' }));
    twin.step(2 * MINUTE_MS);
    const ended = (await twin.eks.send(new DescribeUpdateCommand({ name, updateId: update?.id }))).update;
    expect([ended?.status, ended?.errors?.map((e) => `${e.errorCode}: ${e.errorMessage}`)]).toEqual(['Failed', [expected]]);
    expect([(await cluster())?.version, (await cluster())?.status, twin.world.apiServerVersion()]).toEqual(['1.31', 'ACTIVE', '1.31']);
  });

  describe('kubelets behind the control plane', () => {
    const update = (force: boolean): Promise<string> =>
      refusal(twin.eks.send(new UpdateClusterVersionCommand({ name, version: '1.32', force })));
    const openBehind = async (kubeletVersion: string): Promise<void> => {
      twin = await openTwin('small');
      for (const node of twin.world.store.list('nodes'))
        twin.world.store.update(
          'nodes',
          node.metadata.name,
          undefined,
          (copy) => void (copy.status.nodeInfo.kubeletVersion = kubeletVersion),
        );
      await twin.eks.send(new StartInsightsRefreshCommand({ clusterName: name }));
      twin.step(MINUTE_MS);
    };

    test('up to three minors, no matter which version their node groups have', async () => {
      await openBehind('v1.29.15-eks-473151a');
      expect(await update(false)).toBe('accepted');
    });

    test('more than three: the insight refuses the update until it is forced', async () => {
      await openBehind('v1.28.15-eks-473151a');
      expect(await update(false)).toBe('400 InvalidStateException: EKS detected upgrade readiness issues: Kubelet version skew.');
      expect(await update(true)).toBe('accepted');
    });
  });
});

test('tags clusters and node groups by ARN, and refuses others', async () => {
  twin = await openTwin('small');
  const resourceArn = 'arn:aws:eks:eu-central-1:111122223333:cluster/small';
  await twin.eks.send(new TagResourceCommand({ resourceArn, tags: { team: 'platform', tier: '1' } }));
  await twin.eks.send(new UntagResourceCommand({ resourceArn, tagKeys: ['tier', 'Environment'] }));
  expect((await twin.eks.send(new ListTagsForResourceCommand({ resourceArn }))).tags).toEqual({ team: 'platform' });
  expect((await cluster())?.tags).toEqual({ team: 'platform' });
  expect(await refusal(twin.eks.send(new ListTagsForResourceCommand({ resourceArn: `${resourceArn}-2` })))).toBe(
    `404 NotFoundException: Resource not found for ARN: ${resourceArn}-2`,
  );
  expect(await refusal(twin.eks.send(new TagResourceCommand({ resourceArn: 'x', tags: { a: 'b' } })))).toBe(
    '400 BadRequestException: Invalid ARN: x',
  );
});

test('finds versions by support status, and the default one', async () => {
  twin = await openTwin('small');
  const versions = async (input: DescribeClusterVersionsCommandInput): Promise<(string | undefined)[] | undefined> =>
    (await twin.eks.send(new DescribeClusterVersionsCommand(input))).clusterVersions?.map((v) => v.clusterVersion);
  expect(await versions({ versionStatus: 'EXTENDED_SUPPORT' })).toEqual(['1.29', '1.28']);
  expect(await versions({ status: 'standard-support' })).toEqual(['1.32', '1.31', '1.30']);
  expect(await versions({ defaultOnly: true })).toEqual(['1.31']);
  expect(await versions({ clusterVersions: ['1.30', '1.31'] })).toEqual(['1.31', '1.30']);
  const first = await twin.eks.send(new DescribeClusterVersionsCommand({ maxResults: 3 }));
  expect(first.clusterVersions?.[0]?.endOfStandardSupportDate).toEqual(new Date('2026-03-23'));
  expect(
    (await twin.eks.send(new DescribeClusterVersionsCommand({ maxResults: 3, nextToken: first.nextToken }))).clusterVersions,
  ).toHaveLength(2);
});
