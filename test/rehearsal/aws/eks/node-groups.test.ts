/** Managed node groups as the real client sees them: how they come and go, what may be changed, launch templates, the MINIMAL strategy. */
import { afterEach, describe, expect, test } from 'vitest';
import {
  CreateNodegroupCommand,
  type CreateNodegroupCommandInput,
  DeleteNodegroupCommand,
  DescribeNodegroupCommand,
  ListNodegroupsCommand,
  UpdateNodegroupConfigCommand,
  type UpdateNodegroupConfigCommandInput,
  UpdateNodegroupVersionCommand,
  type UpdateNodegroupVersionCommandInput,
} from '@aws-sdk/client-eks';
import { nodesOfGroup } from '../../../../rehearsal/controllers/group-nodes.ts';
import { kubeletMinor } from '../../../../rehearsal/controllers/nodes.ts';
import { amiById, latestAmi } from '../../../../rehearsal/aws/eks/nodes/amis.ts';
import { isReady } from '../../../../rehearsal/kubernetes/pods/pods.ts';
import { openTwin, type Twin } from '../../support.ts';
import { refusal } from './refusal.ts';

const clusterName = 'small';
const group = { clusterName, nodegroupName: 'default' };
const green: CreateNodegroupCommandInput = {
  clusterName,
  nodegroupName: 'green',
  subnets: ['subnet-0a11aa11aa11aa11a'],
  nodeRole: 'arn:aws:iam::111122223333:role/node',
};
let twin: Twin;
afterEach(() => twin.close());

const create = (input: Partial<CreateNodegroupCommandInput> = {}): Promise<string> =>
  refusal(twin.eks.send(new CreateNodegroupCommand({ ...green, ...input })));
const change = (input: Partial<UpdateNodegroupConfigCommandInput>): Promise<string> =>
  refusal(twin.eks.send(new UpdateNodegroupConfigCommand({ ...group, ...input })));
const roll = (input: Partial<UpdateNodegroupVersionCommandInput>): Promise<string> =>
  refusal(twin.eks.send(new UpdateNodegroupVersionCommand({ ...group, ...input })));
const described = async (nodegroupName = 'default') =>
  (await twin.eks.send(new DescribeNodegroupCommand({ clusterName, nodegroupName }))).nodegroup;

describe('a second group', () => {
  test('comes with its nodes and goes with them, drained first', async () => {
    twin = await openTwin('small');
    const input = {
      ...green,
      scalingConfig: { minSize: 1, maxSize: 3, desiredSize: 2 },
      labels: { colour: 'green' },
      tags: { team: 'platform' },
    };
    const { nodegroup } = await twin.eks.send(new CreateNodegroupCommand({ ...input, clientRequestToken: 'green' }));
    expect(nodegroup).toMatchObject({ status: 'CREATING', version: '1.31', amiType: 'AL2023_x86_64_STANDARD', tags: { team: 'platform' } });
    await twin.eks.send(new CreateNodegroupCommand({ ...input, clientRequestToken: 'green' }));
    twin.until('the group is there', () => twin.world.eks.nodeGroups.at(-1)?.status === 'ACTIVE');
    const nodes = nodesOfGroup(twin.world, 'green');
    expect(nodes.map((n) => [isReady(n), kubeletMinor(n), n.metadata.labels?.['colour']])).toEqual([
      [true, '1.31', 'green'],
      [true, '1.31', 'green'],
    ]);
    expect((await twin.eks.send(new DeleteNodegroupCommand({ clusterName, nodegroupName: 'green' }))).nodegroup?.status).toBe('DELETING');
    expect(await refusal(twin.eks.send(new DeleteNodegroupCommand({ clusterName, nodegroupName: 'green' })))).toMatch(
      /^409 ResourceInUseException/,
    );
    twin.until('the group is gone', () => twin.world.eks.nodeGroups.length === 1);
    expect([(await twin.eks.send(new ListNodegroupsCommand({ clusterName }))).nodegroups, nodesOfGroup(twin.world, 'green')]).toEqual([
      ['default'],
      [],
    ]);
  });

  test.each<[string, Partial<CreateNodegroupCommandInput>, string]>([
    [
      'a name that is taken',
      { nodegroupName: 'default' },
      '409 ResourceInUseException: NodeGroup already exists with name default and cluster name small',
    ],
    ['a subnet that is not there', { subnets: ['subnet-1'] }, "400 InvalidParameterException: The subnet ID 'subnet-1' does not exist"],
    ['no role', { nodeRole: 'node' }, '400 InvalidParameterException: The role with name node cannot be found.'],
    [
      'a version ahead of the cluster',
      { version: '1.32' },
      "400 InvalidParameterException: Requested Kubernetes version 1.32 is not supported with the cluster's version 1.31.",
    ],
    [
      'sizes that contradict each other',
      { scalingConfig: { minSize: 3, maxSize: 2, desiredSize: 2 } },
      "400 InvalidParameterException: Minimum capacity 3 can't be greater than maximum size 2",
    ],
  ])('is refused with %s', async (_what, input, expected) => {
    twin = await openTwin('small');
    expect(await create(input)).toBe(expected);
  });

  test('Amazon Linux 2 ends with 1.32, for new groups and for old ones', async () => {
    twin = await openTwin('seed-002');
    const { cluster, nodeGroups } = twin.world.eks;
    cluster.version = '1.33';
    const refused = '400 InvalidParameterException: AMI Type AL2_x86_64 is only supported for kubernetes versions 1.32 or earlier';
    expect(await create({ clusterName: cluster.name, amiType: 'AL2_x86_64' })).toBe(refused);
    const [old] = nodeGroups;
    if (old !== undefined) old.amiType = 'AL2_x86_64';
    expect(await roll({ clusterName: cluster.name, nodegroupName: 'system', version: '1.33' })).toBe(refused);
  });

  test('images of both architectures of Amazon Linux 2 are told apart by name and id', async () => {
    twin = await openTwin('small');
    const [intel, arm] = (['x86_64', 'arm64'] as const).map((arch) => latestAmi('al2', '1.31', twin.world.clock.now(), arch));
    expect([intel?.name, arm?.name]).toEqual([
      expect.stringMatching(/^amazon-eks-node-1\.31-v\d+$/),
      expect.stringMatching(/^amazon-eks-arm64-node-1\.31-v\d+$/),
    ]);
    expect(amiById(arm?.id ?? '')?.arch).toBe('arm64');
  });

  test('thirty groups are the limit', async () => {
    twin = await openTwin('small');
    const [first] = twin.world.eks.nodeGroups;
    for (let n = 1; n < 30 && first !== undefined; n += 1) twin.world.eks.nodeGroups.push({ ...first, name: `g${n}` });
    expect(await create()).toBe('400 ResourceLimitExceededException: Cluster small has 30 node groups, which is the limit.');
  });
});

describe('configuration', () => {
  test('labels, taints, pace and sizes change by one update, which names them', async () => {
    twin = await openTwin('small');
    const { update } = await twin.eks.send(
      new UpdateNodegroupConfigCommand({
        ...group,
        scalingConfig: { minSize: 1, maxSize: 5, desiredSize: 2 },
        updateConfig: { maxUnavailable: 2, updateStrategy: 'MINIMAL' },
        labels: { addOrUpdateLabels: { tier: 'system' } },
        taints: { addOrUpdateTaints: [{ key: 'dedicated', value: 'x', effect: 'PREFER_NO_SCHEDULE' }] },
        nodeRepairConfig: { enabled: true },
      }),
    );
    expect(update?.params?.map(({ type, value }) => `${type}=${value}`)).toEqual([
      'MinSize=1',
      'MaxSize=5',
      'DesiredSize=2',
      'MaxUnavailable=2',
      'UpdateStrategy=MINIMAL',
      'LabelsToAdd={"tier":"system"}',
      'TaintsToAdd=[{"key":"dedicated","effect":"PREFER_NO_SCHEDULE","value":"x"}]',
      'NodeRepairEnabled=true',
    ]);
    twin.until('there are two nodes', () => nodesOfGroup(twin.world, 'default').filter(isReady).length === 2);
    expect(await described()).toMatchObject({
      scalingConfig: { desiredSize: 2 },
      updateConfig: { maxUnavailable: 2, updateStrategy: 'MINIMAL' },
      labels: { tier: 'system' },
      nodeRepairConfig: { enabled: true },
    });
  });

  test.each<[string, Partial<UpdateNodegroupConfigCommandInput>, string]>([
    ['nothing', {}, '400 InvalidParameterException: No changes were given for the node group.'],
    [
      'a count and a share',
      { updateConfig: { maxUnavailable: 1, maxUnavailablePercentage: 10 } },
      '400 InvalidParameterException: Only one of maxUnavailable and maxUnavailablePercentage can be set.',
    ],
    [
      'more than a hundred at once',
      { updateConfig: { maxUnavailable: 101 } },
      '400 InvalidParameterException: maxUnavailable must be between 1 and 100.',
    ],
    [
      'more nodes than the group may have',
      { scalingConfig: { desiredSize: 99 } },
      "400 InvalidParameterException: desired capacity 99 can't be greater than max size 8",
    ],
  ])('is refused with %s', async (_what, input, expected) => {
    twin = await openTwin('small');
    expect(await change(input)).toBe(expected);
  });
});

describe('launch templates', () => {
  async function custom(): Promise<void> {
    twin = await openTwin('small');
    const { eks, clock } = twin.world;
    const image = (minor: string): string | undefined => latestAmi('al2023', minor, clock.now())?.id;
    const versions = [{ number: 1, imageId: image('1.31') }, { number: 2, imageId: image('1.32') }, { number: 3 }];
    eks.network.launchTemplates.push({ id: 'lt-1', name: 'nodes', defaultVersion: 1, versions });
    Object.assign(eks.nodeGroups[0] ?? {}, { amiType: 'CUSTOM', launchTemplate: { id: 'lt-1', name: 'nodes', version: '1' } });
    eks.cluster.version = '1.32';
  }

  test.each<[string, Partial<UpdateNodegroupVersionCommandInput>, string]>([
    ['a version', { version: '1.32' }, 'You cannot specify the field kubernetesVersion when using custom AMIs.'],
    ['a release', { releaseVersion: '1.32.3-20250403' }, 'You cannot specify the field releaseVersion when using custom AMIs.'],
    ['no template', {}, "Launch template details can't be null for Custom ami type node group"],
    [
      'another template',
      { launchTemplate: { id: 'lt-2', version: '2' } },
      'Launch template lt-2 is not the one that the node group was created with.',
    ],
    ['a version that is not there', { launchTemplate: { id: 'lt-1', version: '9' } }, 'Launch template version 9 of lt-1 does not exist.'],
    [
      'a template without an image',
      { launchTemplate: { id: 'lt-1', version: '3' } },
      'The AMI type of a node group cannot change: it is CUSTOM.',
    ],
    [
      'id and name',
      { launchTemplate: { id: 'lt-1', name: 'nodes', version: '2' } },
      'Either the id or the name of the launch template must be given.',
    ],
  ])('a custom image refuses %s', async (_what, input, expected) => {
    await custom();
    expect(await roll(input)).toBe(`400 InvalidParameterException: ${expected}`);
  });

  test('a custom image decides the kubelet', async () => {
    await custom();
    expect(await roll({ launchTemplate: { name: 'nodes', version: '2' } })).toBe('accepted');
    twin.until('the group is through', () => twin.world.eks.nodeGroups[0]?.launchTemplate?.version === '2');
    expect(nodesOfGroup(twin.world, 'default').map(kubeletMinor)).toEqual(['1.32']);
    expect(await described()).toMatchObject({
      version: '1.32',
      releaseVersion: expect.stringMatching(/^ami-0/),
      launchTemplate: { version: '2' },
    });
  });

  test('a group without a template takes none', async () => {
    twin = await openTwin('small');
    expect(await roll({ launchTemplate: { id: 'lt-1', version: '2' } })).toBe(
      '400 InvalidParameterException: You cannot specify a launch template: the node group was not created with one.',
    );
  });
});

test('MINIMAL replaces in place: never more nodes than before', async () => {
  twin = await openTwin('seed-000');
  const { world } = twin;
  const [own] = world.eks.nodeGroups;
  if (own !== undefined) own.updateStrategy = 'MINIMAL';
  world.eks.cluster.version = '1.32';
  await twin.eks.send(new UpdateNodegroupVersionCommand({ clusterName: 'staging', nodegroupName: 'default', version: '1.32' }));
  let most = 0;
  twin.until('the group is through', () => {
    most = Math.max(most, nodesOfGroup(world, 'default').length);
    return world.eks.nodeGroups[0]?.version === '1.32';
  });
  expect([most, nodesOfGroup(world, 'default').map(kubeletMinor)]).toEqual([3, ['1.32', '1.32', '1.32']]);
  expect(nodesOfGroup(world, 'default').every(isReady)).toBe(true);
});
