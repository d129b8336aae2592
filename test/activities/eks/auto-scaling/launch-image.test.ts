/** Which image a group's template is to name next: of Amazon's for another minor, or people are asked, with what is in the way. */
import { expect, test } from 'vitest';
import { createRefreshActivities } from '../../../../activities/eks/auto-scaling/index.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { awsError, type Answers, fakeAccount } from '../../support/fake-account.ts';

const AL2 = 'amazon-eks-node-1.32-v20250403';
const PARAMETER = '/aws/service/eks/optimized-ami/1.33/amazon-linux-2/recommended/image_id';

/** `images`: names by id. `parameters`: values by name. */
function examined(ImageId: string, { images = {}, parameters = {}, owner = 'amazon', ...other }: Known = {}) {
  const templates = { LaunchTemplates: [{ Tags: [] }] };
  const group = { LaunchTemplate: { LaunchTemplateId: 'lt-1', Version: '3' }, DesiredCapacity: 2, Instances: other.instances };
  const { clients } = fakeAccount({
    describeAutoScalingGroups: () => ({ AutoScalingGroups: [group] }),
    describeLaunchTemplates: () => templates,
    describeLaunchTemplateVersions: () => ({ LaunchTemplateVersions: [{ VersionNumber: 3, LaunchTemplateData: { ImageId } }] }),
    describeLifecycleHooks: () => ({}),
    describeInstanceRefreshes: () => ({}),
    describeImages: ({ ImageIds }) => ({ Images: [{ Name: images[String(ImageIds)], ImageOwnerAlias: owner }] }),
    getParameter: ({ Name }) => {
      const Value = parameters[String(Name)];
      if (Value === undefined) throw awsError('ParameterNotFound');
      return { Parameter: { Value } };
    },
    ...other.answers,
  });
  const activities = createRefreshActivities({ ...depsOf(new FakeKubernetes()), account: () => clients });
  return activities.examineGroup({ cluster: CLUSTER, group: 'batch', to: '1.33' });
}

interface Known {
  images?: Record<string, string>;
  parameters?: Record<string, string>;
  /** Alias of who owns the images; empty: some account. */
  owner?: string;
  instances?: object[];
  answers?: Answers;
}

test.each<[string, string, Known, string]>([
  [
    'a parameter of their own',
    'resolve:ssm:/golden/nodes',
    {},
    "its launch template resolves /golden/nodes, which is no parameter of Amazon's newest image",
  ],
  [
    'a parameter that Amazon has for older minors only',
    'resolve:ssm:/aws/service/eks/optimized-ami/1.32/amazon-linux-2/recommended/image_id',
    {},
    `Amazon publishes no ${PARAMETER}`,
  ],
  [
    'an image that Amazon has not made',
    'ami-1',
    { images: { 'ami-1': 'golden-2025-04' } },
    "its image golden-2025-04 (ami-1) is none of Amazon's standard images for EKS",
  ],
  [
    'a copy, such as an encrypted one, that kept the name of what it was made of',
    'ami-1',
    { images: { 'ami-1': AL2, 'ami-2': 'amazon-eks-node-1.33-v20250901' }, parameters: { [PARAMETER]: 'ami-2' }, owner: '' },
    `its image ${AL2} (ami-1) is named like one of Amazon's, but is not owned by Amazon: a copy`,
  ],
  [
    'a family that Amazon has for older minors only',
    'ami-1',
    { images: { 'ami-1': AL2 } },
    'Amazon publishes no al2 image of x86_64 for 1.33',
  ],
  [
    'instances that are reserved',
    'ami-1',
    {
      answers: {
        describeLaunchTemplateVersions: () => ({
          LaunchTemplateVersions: [
            { VersionNumber: 3, LaunchTemplateData: { ImageId: 'ami-1', InstanceMarketOptions: { MarketType: 'capacity-block' } } },
          ],
        }),
      },
    },
    'its instances come from a Capacity Block, which may have none for new nodes while the old ones run',
  ],
  [
    'a version that somebody has deleted',
    'ami-1',
    { answers: { describeLaunchTemplateVersions: () => Promise.reject(awsError('InvalidLaunchTemplateId.VersionNotFound')) } },
    'version 3 of its launch template lt-1 is gone',
  ],
])('asked for: %s', async (_title, image, known, why) => {
  expect(await examined(image, known)).toEqual({ kind: 'ask', why });
});

test('an image of the wanted minor stays', async () => {
  const name = 'amazon-eks-node-1.33-v20250403';
  const now = { before: `${name} (ami-1)`, after: `${name} (ami-1)`, image: 'ami-1' };
  expect(await examined('ami-1', { images: { 'ami-1': name } })).toMatchObject({ kind: 'refreshable', ...now });
});

test('the newest of its family, by Amazon’s parameter', async () => {
  const known = { images: { 'ami-1': AL2, 'ami-2': 'amazon-eks-node-1.33-v20250901' }, parameters: { [PARAMETER]: 'ami-2' } };
  expect(await examined('ami-1', known)).toMatchObject({ after: 'amazon-eks-node-1.33-v20250901 (ami-2)', image: 'ami-2' });
});

test('what may not be read is no reason to ask people: the call fails', async () => {
  const denied = () => Promise.reject(awsError('AccessDeniedException'));
  const answers = { getParameter: denied };
  await expect(examined('ami-1', { images: { 'ami-1': AL2 }, answers })).rejects.toMatchObject({ type: 'AccessDenied' });
  await expect(examined('ami-1', { answers: { describeLaunchTemplateVersions: denied } })).rejects.toMatchObject({ type: 'AccessDenied' });
});

test('instances that a refresh waits for are named', async () => {
  const instances = [
    { InstanceId: 'i-1', LifecycleState: 'InService', ProtectedFromScaleIn: true },
    { InstanceId: 'i-2', LifecycleState: 'Standby' },
    { InstanceId: 'i-3', LifecycleState: 'InService', ProtectedFromScaleIn: false },
  ];
  const images = { 'ami-1': 'amazon-eks-node-1.33-v20250403' };
  expect(await examined('ami-1', { images, instances })).toMatchObject({ protectedIds: ['i-1'], standbyIds: ['i-2'] });
  const none = await examined('ami-1', { images, instances: instances.slice(2) });
  expect(none).toMatchObject({ kind: 'refreshable' });
  expect(Object.keys(none).filter((key) => key.endsWith('Ids'))).toEqual([]);
});

test('an image that is named by a parameter: a refresh to another one cannot be rolled back', async () => {
  const parameters = { [PARAMETER]: 'ami-2' };
  const image = `resolve:ssm:${PARAMETER}`;
  expect(await examined(image.replace('1.33', '1.32'), { parameters })).toMatchObject({ image, parameter: true });
});
