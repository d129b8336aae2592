/** Auto Scaling groups whose shape Belay does not refresh are asked for, with what is in the way. */
import { expect, test } from 'vitest';
import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import type { AccountClients } from '../../../../activities/clients/aws/account-clients.ts';
import { createRefreshActivities } from '../../../../activities/eks/auto-scaling/index.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes } from '../../../support/fake-kubernetes.ts';

function examined(found: Partial<AutoScalingGroup>[]) {
  const autoScaling = async () => ({ describeAutoScalingGroups: async () => ({ AutoScalingGroups: found }) });
  const account = () => ({ autoScaling }) as unknown as AccountClients;
  return createRefreshActivities({ ...depsOf(new FakeKubernetes()), account }).examineGroup({
    cluster: CLUSTER,
    group: 'batch',
    to: '1.33',
  });
}

const LaunchTemplate = { LaunchTemplateId: 'lt-1', Version: '1' };

test.each<[Partial<AutoScalingGroup>[], string]>([
  [[], 'there is no Auto Scaling group of that name'],
  [[{ LaunchConfigurationName: 'old' }], 'it has a launch configuration, which cannot be changed: give it a launch template'],
  [
    [{ MixedInstancesPolicy: { LaunchTemplate: { LaunchTemplateSpecification: LaunchTemplate } } }],
    'it has a mixed instances policy, whose templates Belay does not change',
  ],
  [
    [{ LaunchTemplate, Operator: { Principal: 'batch.amazonaws.com' } }],
    'batch.amazonaws.com manages it, and Auto Scaling lets nobody else change it',
  ],
  [[{ LaunchTemplate: { LaunchTemplateName: 'batch' } }], 'it names no launch template'],
  [[{}], 'it names no launch template'],
  [[{ LaunchTemplate: { LaunchTemplateId: 'lt-1' } }], 'it follows $Default of its launch template, which Belay does not set'],
  [[{ LaunchTemplate, WarmPoolConfiguration: { MinSize: 2 } }], 'it has a warm pool, whose instances Belay does not drain'],
  [
    [
      {
        AutoScalingGroupName: 'batch',
        LaunchTemplate,
        SuspendedProcesses: [{ ProcessName: 'AZRebalance' }, { ProcessName: 'Terminate' }, { ProcessName: 'InstanceRefresh' }],
      },
    ],
    'its processes are suspended (Terminate, InstanceRefresh), so no refresh would end: aws autoscaling resume-processes --auto-scaling-group-name batch --scaling-processes Terminate InstanceRefresh',
  ],
  [
    [
      {
        LaunchTemplate,
        Tags: [
          { Key: 'owner', Value: 'team' },
          { Key: 'managed-by', Value: 'Terraform' },
        ],
      },
    ],
    'Terraform keeps it or its launch template',
  ],
])('%j', async (found, why) => {
  expect(await examined(found)).toEqual({ kind: 'ask', why });
});
