/** The AWS stand-in as the real AWS clients see it. */
import { afterEach, describe, expect, test } from 'vitest';
import {
  DescribeAddonCommand,
  DescribeAddonVersionsCommand,
  DescribeClusterCommand,
  DescribeClusterVersionsCommand,
  DescribeInsightCommand,
  DescribeInsightsRefreshCommand,
  DescribeNodegroupCommand,
  DescribeUpdateCommand,
  ListAddonsCommand,
  ListClustersCommand,
  ListFargateProfilesCommand,
  ListInsightsCommand,
  ListNodegroupsCommand,
  ListTagsForResourceCommand,
  ListUpdatesCommand,
  StartInsightsRefreshCommand,
  UpdateAddonCommand,
  UpdateClusterConfigCommand,
  UpdateClusterVersionCommand,
  UpdateNodegroupConfigCommand,
  UpdateNodegroupVersionCommand,
} from '@aws-sdk/client-eks';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { MINUTE_MS, openTwin, type Twin } from '../../support.ts';
import { refusal, signedFor } from './refusal.ts';

const name = 'small';
let twin: Twin;
afterEach(() => twin.close());

describe('reading', () => {
  test('describes the cluster, its node group, add-ons, tags and the versions on offer', async () => {
    twin = await openTwin('small');
    const { eks } = twin;
    expect((await eks.send(new ListClustersCommand({}))).clusters).toEqual(['small']);
    const { cluster } = await eks.send(new DescribeClusterCommand({ name }));
    expect(cluster).toMatchObject({
      arn: 'arn:aws:eks:eu-central-1:111122223333:cluster/small',
      version: '1.31',
      status: 'ACTIVE',
      health: { issues: [] },
      computeConfig: { enabled: false },
    });
    expect(cluster?.createdAt).toBeInstanceOf(Date);
    expect((await eks.send(new ListNodegroupsCommand({ clusterName: name }))).nodegroups).toEqual(['default']);
    const { nodegroup } = await eks.send(new DescribeNodegroupCommand({ clusterName: name, nodegroupName: 'default' }));
    expect(nodegroup).toMatchObject({
      version: '1.31',
      releaseVersion: '1.31.7-20250403',
      amiType: 'AL2023_x86_64_STANDARD',
      updateConfig: { maxUnavailable: 1 },
    });
    expect((await eks.send(new ListAddonsCommand({ clusterName: name }))).addons).toEqual(['coredns', 'kube-proxy']);
    const { addon } = await eks.send(new DescribeAddonCommand({ clusterName: name, addonName: 'coredns' }));
    expect(addon).toMatchObject({ addonVersion: 'v1.11.3-eksbuild.1', status: 'ACTIVE', health: { issues: [] } });
    expect((await eks.send(new ListFargateProfilesCommand({ clusterName: name }))).fargateProfileNames).toEqual([]);
    expect((await eks.send(new ListTagsForResourceCommand({ resourceArn: cluster?.arn }))).tags).toEqual({ Environment: 'small' });
    const { clusterVersions } = await eks.send(new DescribeClusterVersionsCommand({}));
    expect(clusterVersions?.map((v) => [v.clusterVersion, v.versionStatus])).toEqual([
      ['1.32', 'STANDARD_SUPPORT'],
      ['1.31', 'STANDARD_SUPPORT'],
      ['1.30', 'STANDARD_SUPPORT'],
      ['1.29', 'EXTENDED_SUPPORT'],
      ['1.28', 'EXTENDED_SUPPORT'],
    ]);
  });

  test('names only the minor that was asked for in add-on compatibilities', async () => {
    twin = await openTwin('small');
    const { addons } = await twin.eks.send(new DescribeAddonVersionsCommand({ addonName: 'coredns', kubernetesVersion: '1.32' }));
    expect(addons?.[0]?.addonVersions?.map((v) => [v.addonVersion, v.compatibilities])).toEqual([
      ['v1.12.4-eksbuild.1', [{ clusterVersion: '1.32', platformVersions: ['*'], defaultVersion: false }]],
      ['v1.12.1-eksbuild.2', [{ clusterVersion: '1.32', platformVersions: ['*'], defaultVersion: false }]],
      ['v1.11.4-eksbuild.2', [{ clusterVersion: '1.32', platformVersions: ['*'], defaultVersion: true }]],
    ]);
  });

  test('cuts lists into pages', async () => {
    twin = await openTwin('small');
    const first = await twin.eks.send(new ListAddonsCommand({ clusterName: name, maxResults: 1 }));
    expect(first.addons).toEqual(['coredns']);
    const second = await twin.eks.send(new ListAddonsCommand({ clusterName: name, maxResults: 1, nextToken: first.nextToken }));
    expect([second.addons, second.nextToken]).toEqual([['kube-proxy'], undefined]);
  });

  test.each([
    ['an unknown cluster', () => new DescribeClusterCommand({ name: 'x' }), '404 ResourceNotFoundException: No cluster found for name: x.'],
    [
      'an unknown add-on',
      () => new DescribeAddonCommand({ clusterName: name, addonName: 'x' }),
      '404 ResourceNotFoundException: No addon: x found in cluster: small',
    ],
    [
      'an unknown update',
      () => new DescribeUpdateCommand({ name, updateId: 'x' }),
      '404 ResourceNotFoundException: No update found for ID: x',
    ],
    [
      'a page of nothing',
      () => new ListAddonsCommand({ clusterName: name, maxResults: 101 }),
      '400 InvalidParameterException: maxResults must be between 1 and 100.',
    ],
  ])('refuses %s', async (_what, command, expected) => {
    twin = await openTwin('small');
    expect(await refusal(twin.eks.send(command() as DescribeClusterCommand))).toBe(expected);
  });
});

describe('the wire', () => {
  test('answers unsigned requests with 403', async () => {
    twin = await openTwin('small');
    const response = await fetch(`${twin.aws.url}/clusters`);
    expect([response.status, response.headers.get('x-amzn-errortype')]).toEqual([403, 'MissingAuthenticationTokenException']);
    expect(await response.json()).toEqual({ message: 'Missing Authentication Token' });
  });

  test('says world time in the Date of answers, and no Date in refusals', async () => {
    twin = await openTwin('small');
    const date = async (path: string): Promise<string | null> =>
      (await fetch(`${twin.aws.url}${path}`, { headers: { authorization: signedFor('eks') } })).headers.get('date');
    expect([await date('/clusters'), await date('/clusters/x')]).toEqual(['Tue, 29 Apr 2025 08:00:00 GMT', null]);
  });

  test('answers operations that it has not with UnknownOperationException', async () => {
    twin = await openTwin('small');
    const response = await fetch(`${twin.aws.url}/clusters/small/access-entries`, { headers: { authorization: signedFor('eks') } });
    expect([response.status, response.headers.get('x-amzn-errortype')]).toEqual([404, 'UnknownOperationException']);
  });

  test('speaks STS and SSM on the same address', async () => {
    twin = await openTwin('small');
    const options = {
      endpoint: twin.aws.url,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'A', secretAccessKey: 'B' },
      maxAttempts: 1,
    };
    const sts = new STSClient(options);
    const ssm = new SSMClient(options);
    expect((await sts.send(new GetCallerIdentityCommand({}))).Account).toBe('111122223333');
    const assumed = await sts.send(new AssumeRoleCommand({ RoleArn: 'arn:aws:iam::111122223333:role/upgrader', RoleSessionName: 'belay' }));
    expect(assumed.AssumedRoleUser?.Arn).toBe('arn:aws:sts::111122223333:assumed-role/upgrader/belay');
    expect(await refusal(sts.send(new AssumeRoleCommand({ RoleArn: 'nobody', RoleSessionName: 'x' })))).toBe(
      '400 ValidationError: nobody is invalid',
    );
    const Name = '/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/standard/recommended/image_id';
    expect((await ssm.send(new GetParameterCommand({ Name }))).Parameter?.Value).toMatch(/^ami-0[0-9a-f]{16}$/);
    const missing = ssm.send(new GetParameterCommand({ Name: '/aws/service/eks/optimized-ami/1.33/amazon-linux-2/recommended/image_id' }));
    expect(await refusal(missing)).toMatch(/^400 ParameterNotFound/);
    sts.destroy();
    ssm.destroy();
  });
});

describe('updating the control plane', () => {
  test('moves one minor: the API server first, EKS later, the status after a delay', async () => {
    twin = await openTwin('small');
    const { eks, world } = twin;
    const status = async (): Promise<string | undefined> => (await eks.send(new DescribeClusterCommand({ name }))).cluster?.status;
    const { update } = await eks.send(new UpdateClusterVersionCommand({ name, version: '1.32' }));
    expect(update).toMatchObject({
      status: 'InProgress',
      type: 'VersionUpdate',
      params: [
        { type: 'Version', value: '1.32' },
        { type: 'PlatformVersion', value: 'eks.6' },
      ],
    });
    expect(await status()).toBe('ACTIVE');
    twin.step(20_000);
    expect([await status(), world.apiServerVersion(), world.apiServerDown()]).toEqual(['UPDATING', '1.31', false]);
    twin.step(45_000);
    expect([await status(), world.apiServerVersion(), world.apiServerDown()]).toEqual(['UPDATING', '1.32', true]);
    twin.step(20_000);
    expect([(await eks.send(new DescribeClusterCommand({ name }))).cluster?.version, world.apiServerDown()]).toEqual(['1.31', false]);
    twin.step(MINUTE_MS);
    const described = await eks.send(new DescribeUpdateCommand({ name, updateId: update?.id }));
    expect([described.update?.status, (await eks.send(new DescribeClusterCommand({ name }))).cluster?.version, await status()]).toEqual([
      'Successful',
      '1.32',
      'ACTIVE',
    ]);
  });

  test.each([
    [
      'two minors at once',
      'seed-002',
      '1.34',
      '400 InvalidParameterException: Unsupported Kubernetes minor version update from 1.32 to 1.34',
    ],
    ['the same minor', 'seed-002', '1.32', '400 InvalidParameterException: Unsupported Kubernetes minor version update from 1.32 to 1.32'],
    [
      'back without an upgrade before',
      'seed-002',
      '1.31',
      '400 InvalidParameterException: Unsupported Kubernetes minor version update from 1.32 to 1.31',
    ],
    ['a minor that EKS does not have', 'seed-002', '1.40', '400 InvalidParameterException: unsupported Kubernetes version 1.40'],
    ['no minor at all', 'seed-002', 'latest', '400 InvalidParameterException: version must be a Kubernetes minor version such as 1.32.'],
  ])('refuses %s', async (_what, scenario, version, expected) => {
    twin = await openTwin(scenario);
    expect(await refusal(twin.eks.send(new UpdateClusterVersionCommand({ name: 'prod-seoul', version })))).toBe(expected);
  });

  test('refuses a second update while one runs', async () => {
    twin = await openTwin('small');
    const { update } = await twin.eks.send(new UpdateClusterVersionCommand({ name, version: '1.32' }));
    expect(await refusal(twin.eks.send(new UpdateClusterVersionCommand({ name, version: '1.32' })))).toBe(
      `409 ResourceInUseException: Cannot VersionUpdate because cluster small currently has update ${update?.id} in progress`,
    );
  });

  test('A3: answers a replayed token with the update that it made, and refuses it for another request', async () => {
    twin = await openTwin('small');
    const input = { name, version: '1.32', clientRequestToken: 'step-1' };
    const first = await twin.eks.send(new UpdateClusterVersionCommand(input));
    const again = await twin.eks.send(new UpdateClusterVersionCommand(input));
    expect(again.update?.id).toBe(first.update?.id);
    expect(await refusal(twin.eks.send(new UpdateClusterVersionCommand({ ...input, version: '1.33' })))).toBe(
      '400 InvalidParameterException: The clientRequestToken was already used with different request parameters.',
    );
    const accepted = twin.world.journal.mutations.filter((m) => m.accepted);
    expect(accepted.map((m) => [m.operation, m.resource, m.token])).toEqual([['UpdateClusterVersion', 'cluster', 'step-1']]);
  });

  test('has the mutation in the journal before it answers', async () => {
    twin = await openTwin('small');
    let answered = false;
    let answeredWhenRecorded: boolean | undefined;
    twin.world.journal.onMutation(() => {
      answeredWhenRecorded = answered;
    });
    await twin.eks.send(new UpdateClusterVersionCommand({ name, version: '1.32' }));
    answered = true;
    expect(answeredWhenRecorded).toBe(false);
    expect(twin.world.eks.updates).toHaveLength(1);
  });

  test('goes back one minor within seven days, unless nodes are newer', async () => {
    twin = await openTwin('small');
    await twin.eks.send(new UpdateClusterVersionCommand({ name, version: '1.32' }));
    twin.until('the control plane is at 1.32', () => twin.world.eks.cluster.version === '1.32');
    twin.until('a node is at 1.32', () => twin.world.store.list('nodes').some((n) => n.status.nodeInfo.kubeletVersion.startsWith('v1.32')));
    const back = { name, version: '1.31' };
    expect(await refusal(twin.eks.send(new UpdateClusterVersionCommand(back)))).toMatch(
      /^400 InvalidStateException: EKS detected rollback readiness issues/,
    );
    const { update } = await twin.eks.send(new UpdateClusterVersionCommand({ ...back, force: true }));
    expect(update?.type).toBe('VersionRollback');
    twin.until('the control plane is at 1.31', () => twin.world.eks.cluster.version === '1.31');
  });

  test('fails once when told to, and a new update succeeds', async () => {
    twin = await openTwin('small', ['control-plane-fails']);
    const { update } = await twin.eks.send(new UpdateClusterVersionCommand({ name, version: '1.32' }));
    twin.step(2 * MINUTE_MS);
    const failed = await twin.eks.send(new DescribeUpdateCommand({ name, updateId: update?.id }));
    expect([failed.update?.status, failed.update?.errors?.[0]?.errorCode, twin.world.apiServerVersion()]).toEqual([
      'Failed',
      'InsufficientFreeAddresses',
      '1.31',
    ]);
    await twin.eks.send(new UpdateClusterVersionCommand({ name, version: '1.32' }));
    twin.until('the control plane is at 1.32', () => twin.world.eks.cluster.version === '1.32');
  });

  test('throttles three mutations when told to', async () => {
    twin = await openTwin('small', ['throttling']);
    const send = (): Promise<string> =>
      refusal(twin.eks.send(new UpdateClusterVersionCommand({ name, version: '1.32', clientRequestToken: 't' })));
    expect([await send(), await send(), await send(), await send()]).toEqual([
      ...Array(3).fill('429 ThrottlingException: Rate exceeded'),
      'accepted',
    ]);
  });

  test('changes the support policy by an update of its own', async () => {
    twin = await openTwin('small');
    const { update } = await twin.eks.send(new UpdateClusterConfigCommand({ name, upgradePolicy: { supportType: 'STANDARD' } }));
    expect(update?.type).toBe('UpgradePolicyUpdate');
    expect((await twin.eks.send(new DescribeClusterCommand({ name }))).cluster?.upgradePolicy?.supportType).toBe('STANDARD');
  });
});

describe('node groups and add-ons', () => {
  test('refuses a node group version newer than the cluster, and a release that AWS does not have', async () => {
    twin = await openTwin('small');
    const group = { clusterName: name, nodegroupName: 'default' };
    expect(await refusal(twin.eks.send(new UpdateNodegroupVersionCommand({ ...group, version: '1.32' })))).toBe(
      "400 InvalidParameterException: Nodegroup Kubernetes version 1.32 must not be newer than the cluster's version 1.31.",
    );
    expect(await refusal(twin.eks.send(new UpdateNodegroupVersionCommand({ ...group, releaseVersion: '1.31.0-20240101' })))).toBe(
      '400 InvalidParameterException: Requested Nodegroup release version 1.31.0-20240101 is invalid. Allowed release version is 1.31.7-20250403',
    );
  });

  test('takes only a launch template version for a custom image', async () => {
    twin = await openTwin('small');
    Object.assign(twin.world.eks.nodeGroups[0] ?? {}, { amiType: 'CUSTOM', launchTemplate: { id: 'lt-1', version: '3' } });
    const group = { clusterName: name, nodegroupName: 'default' };
    expect(await refusal(twin.eks.send(new UpdateNodegroupVersionCommand({ ...group, version: '1.31' })))).toBe(
      '400 InvalidParameterException: You cannot specify the field kubernetesVersion when using custom AMIs.',
    );
    const { update } = await twin.eks.send(new UpdateNodegroupVersionCommand({ ...group, launchTemplate: { id: 'lt-1', version: '4' } }));
    expect(update?.params).toEqual([{ type: 'LaunchTemplateVersion', value: '4' }]);
  });

  test('lists updates by what they are of, and wants that name to describe them', async () => {
    twin = await openTwin('small');
    const of = { name, nodegroupName: 'default' };
    const { update } = await twin.eks.send(new UpdateNodegroupVersionCommand({ clusterName: name, nodegroupName: 'default' }));
    expect((await twin.eks.send(new ListUpdatesCommand({ name }))).updateIds).toEqual([]);
    expect((await twin.eks.send(new ListUpdatesCommand(of))).updateIds).toEqual([update?.id]);
    expect(await refusal(twin.eks.send(new DescribeUpdateCommand({ name, updateId: update?.id })))).toBe(
      `404 ResourceNotFoundException: No update found for ID: ${update?.id}`,
    );
    expect((await twin.eks.send(new DescribeUpdateCommand({ ...of, updateId: update?.id }))).update?.status).toBe('InProgress');
    expect(await refusal(twin.eks.send(new UpdateNodegroupVersionCommand({ clusterName: name, nodegroupName: 'default' })))).toBe(
      '409 ResourceInUseException: Nodegroup cannot be updated as it is currently not in Active State',
    );
  });

  test('changes how many nodes may be away', async () => {
    twin = await openTwin('small');
    const input = { clusterName: name, nodegroupName: 'default', updateConfig: { maxUnavailablePercentage: 50 } };
    const { update } = await twin.eks.send(new UpdateNodegroupConfigCommand(input));
    expect([update?.type, update?.params]).toEqual(['ConfigUpdate', [{ type: 'MaxUnavailablePercentage', value: '50' }]]);
    const { nodegroup } = await twin.eks.send(new DescribeNodegroupCommand({ clusterName: name, nodegroupName: 'default' }));
    expect(nodegroup?.updateConfig).toEqual({ maxUnavailablePercentage: 50 });
  });

  test('rolls an add-on to a version that the cluster supports, and refuses others', async () => {
    twin = await openTwin('small');
    const addOn = { clusterName: name, addonName: 'coredns' };
    const update = (addonVersion: string): Promise<string> => refusal(twin.eks.send(new UpdateAddonCommand({ ...addOn, addonVersion })));
    expect(await update('v1.13.1-eksbuild.1')).toBe('400 InvalidParameterException: Addon version specified is not supported');
    expect(await update('v1.11.4-eksbuild.2')).toBe('accepted');
    twin.step(10_000);
    expect((await twin.eks.send(new DescribeAddonCommand(addOn))).addon?.status).toBe('UPDATING');
    expect(await update('v1.12.1-eksbuild.2')).toBe(
      '409 ResourceInUseException: Addon coredns cannot be updated as it is currently in UPDATING state',
    );
    twin.until('coredns is there', () => twin.world.eks.addOns[0]?.version === 'v1.11.4-eksbuild.2');
    const images = twin.world.store
      .list('pods', { labels: { 'k8s-app': 'kube-dns' } })
      .map((p) => p.spec.containers[0].image.split(':')[1]);
    expect(images).toEqual(['v1.11.4-eksbuild.2', 'v1.11.4-eksbuild.2']);
  });

  test('finds a conflict once when told to, unless it may be resolved', async () => {
    twin = await openTwin('small', ['add-on-conflict']);
    const input = { clusterName: name, addonName: 'coredns', addonVersion: 'v1.11.4-eksbuild.2' };
    const { update } = await twin.eks.send(new UpdateAddonCommand({ ...input, resolveConflicts: 'NONE' }));
    twin.step(MINUTE_MS);
    const failed = await twin.eks.send(new DescribeUpdateCommand({ name, addonName: 'coredns', updateId: update?.id }));
    expect([failed.update?.status, failed.update?.errors?.[0]?.errorCode]).toEqual(['Failed', 'ConfigurationConflict']);
    await twin.eks.send(new UpdateAddonCommand({ ...input, resolveConflicts: 'OVERWRITE' }));
    twin.until('coredns is there', () => twin.world.eks.addOns[0]?.version === 'v1.11.4-eksbuild.2');
  });
});

test('refreshes insights, and finds the add-on that the next minor does not support', async () => {
  twin = await openTwin('small');
  const { eks } = twin;
  expect((await eks.send(new ListInsightsCommand({ clusterName: name }))).insights).toEqual([]);
  await eks.send(new StartInsightsRefreshCommand({ clusterName: name }));
  expect((await eks.send(new DescribeInsightsRefreshCommand({ clusterName: name }))).status).toBe('IN_PROGRESS');
  twin.step(20_000);
  expect((await eks.send(new DescribeInsightsRefreshCommand({ clusterName: name }))).status).toBe('COMPLETED');
  const { insights } = await eks.send(
    new ListInsightsCommand({ clusterName: name, filter: { categories: ['UPGRADE_READINESS'], kubernetesVersions: ['1.32'] } }),
  );
  expect(insights?.map((i) => [i.name, i.insightStatus?.status])).toEqual([
    ['Deprecated APIs removed in Kubernetes v1.32', 'PASSING'],
    ['Kubelet version skew', 'PASSING'],
    ['kube-proxy version skew', 'PASSING'],
    ['Cluster health issues', 'PASSING'],
    ['EKS add-on version compatibility', 'WARNING'],
  ]);
  const { insight } = await eks.send(new DescribeInsightCommand({ clusterName: name, id: insights?.[4]?.id }));
  expect(insight?.insightStatus?.reason).toBe('Add-on versions that Kubernetes v1.32 does not support: coredns v1.11.3-eksbuild.1.');
  expect(insight?.categorySpecificSummary?.addonCompatibilityDetails?.[0]?.compatibleVersions).toContain('v1.11.4-eksbuild.2');
});
