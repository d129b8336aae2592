/** A world full of faults, as boto3 loads it: what is wrong with a cluster comes in the service models' own shapes too. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningTwin, startTwin } from './twin.ts';

const c = { clusterName: 'readiness' };
let twin: RunningTwin;

beforeAll(async () => {
  twin = await startTwin('readiness', 60);
});
afterAll(() => twin.close());

test('faults are as the model has them', async () => {
  const answers = await twin.boto([
    { call: 'eks.describe_cluster', with: { name: 'readiness' } },
    { call: 'eks.describe_nodegroup', with: { ...c, nodegroupName: 'launch-failures' } },
    { call: 'eks.describe_nodegroup', with: { ...c, nodegroupName: 'old-template' } },
    { call: 'eks.describe_addon', with: { ...c, addonName: 'aws-ebs-csi-driver' } },
    { call: 'eks.describe_fargate_profile', with: { ...c, fargateProfileName: 'never-created' } },
    { call: 'autoscaling.describe_auto_scaling_groups', with: { AutoScalingGroupNames: ['self-managed-gpu'] } },
    { call: 'ec2.describe_launch_templates' },
    { call: 'ec2.describe_volumes', with: { Filters: [{ Name: 'volume-type', Values: ['gp2'] }] } },
    { call: 'service-quotas.get_service_quota', with: { ServiceCode: 'ec2', QuotaCode: 'L-1216C47A' } },
    { call: 'kms.describe_key', with: { KeyId: '7c1f3b52-0000-4000-8000-00000000e4c5' } },
  ]);
  expect(answers.filter(({ error, problems }) => error !== null || problems.length > 0)).toEqual([]);
  expect(answers.map(({ answer }) => answer)).toMatchObject([
    { cluster: { health: { issues: [{ code: 'KmsKeyMarkedForDeletion' }] } } },
    { nodegroup: { status: 'DEGRADED', health: { issues: [{ code: 'AsgInstanceLaunchFailures' }] } } },
    { nodegroup: { launchTemplate: { name: 'old-template', version: '1' } } },
    { addon: { status: 'DEGRADED', health: { issues: [{ code: 'InsufficientNumberOfReplicas' }] } } },
    { fargateProfile: { status: 'CREATE_FAILED' } },
    { AutoScalingGroups: [{ LaunchTemplate: { LaunchTemplateName: 'self-managed-gpu', Version: '1' }, Instances: [{}] }] },
    { LaunchTemplates: [{ LatestVersionNumber: 3 }, { LatestVersionNumber: 2 }] },
    { Volumes: [{ Size: 16_384 }, { Size: 16_384 }, { Size: 10_240, State: 'available' }] },
    { Quota: { Value: 44 } },
    { KeyMetadata: { KeyState: 'PendingDeletion' } },
  ]);
});

test('insights of all three categories are as the model has them', async () => {
  await twin.boto([{ call: 'eks.start_insights_refresh', with: c }]);
  const { world } = twin.stage.built;
  while (world.eks.insights.length === 0) await new Promise((done) => setTimeout(done, 50));
  const insights = world.eks.insights.filter(({ status }) => status !== 'PASSING');
  const answers = await twin.boto([
    { call: 'eks.list_insights', with: c },
    ...insights.map(({ id }) => ({ call: 'eks.describe_insight', with: { ...c, id } })),
  ]);
  expect(answers.filter(({ error, problems }) => error !== null || problems.length > 0)).toEqual([]);
  expect(new Set(insights.map(({ category }) => category))).toEqual(
    new Set(['UPGRADE_READINESS', 'MISCONFIGURATION', 'ROLLBACK_READINESS']),
  );
});
