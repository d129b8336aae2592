/** The policies that Karpenter's CloudFormation templates give the controller's role (0.37 and 1.0), by what they allow and under which tags. */

const DESCRIBE = [
  'AvailabilityZones',
  'Images',
  'Instances',
  'InstanceTypeOfferings',
  'InstanceTypes',
  'LaunchTemplates',
  'SecurityGroups',
  'SpotPriceHistory',
  'Subnets',
].map((what) => `ec2:Describe${what}`);
const PROFILES = ['AddRoleToInstanceProfile', 'RemoveRoleFromInstanceProfile', 'DeleteInstanceProfile'].map((what) => `iam:${what}`);

type Where = 'RequestTag' | 'ResourceTag';

/** The policy of an API of Karpenter for a cluster. */
export function karpenterPolicy(
  api: 'v1beta1' | 'v1',
  { name, account, region }: { name: string; account: string; region: string },
): object {
  const ec2 = (...kinds: string[]): string[] => kinds.map((kind) => `arn:aws:ec2:${region}:*:${kind}/*`);
  const owned = (where: Where): Record<string, string> => ({
    [`aws:${where}/kubernetes.io/cluster/${name}`]: 'owned',
    ...(api === 'v1' && where === 'RequestTag' ? { 'aws:RequestTag/eks:eks-cluster-name': name } : {}),
  });
  const pool = (where: Where) => ({ [`aws:${where}/karpenter.sh/nodepool`]: '*' });
  const nodeClass = (where: Where) => ({ [`aws:${where}/karpenter.k8s.aws/ec2nodeclass`]: '*' });
  const tagged = (where: Where, like: object) => ({ StringEquals: owned(where), StringLike: like });
  const allow = (Sid: string, Action: string | string[], Resource: string | string[], Condition?: object): object => ({
    Sid,
    Effect: 'Allow',
    Action,
    Resource,
    ...(Condition === undefined ? {} : { Condition }),
  });
  const made = ec2('fleet', 'instance', 'volume', 'network-interface', 'launch-template', 'spot-instances-request');
  const making = { ...owned('RequestTag'), 'ec2:CreateAction': ['RunInstances', 'CreateFleet', 'CreateLaunchTemplate'] };
  const keys = ['karpenter.sh/nodeclaim', 'Name', ...(api === 'v1' ? ['eks:eks-cluster-name'] : [])];
  return {
    Version: '2012-10-17',
    Statement: [
      allow(
        'AllowScopedEC2InstanceAccessActions',
        ['ec2:RunInstances', 'ec2:CreateFleet'],
        [`arn:aws:ec2:${region}::image/*`, ...ec2('security-group', 'subnet')],
      ),
      allow(
        'AllowScopedEC2LaunchTemplateAccessActions',
        ['ec2:RunInstances', 'ec2:CreateFleet'],
        ec2('launch-template'),
        tagged('ResourceTag', pool('ResourceTag')),
      ),
      allow(
        'AllowScopedEC2InstanceActionsWithTags',
        ['ec2:RunInstances', 'ec2:CreateFleet', 'ec2:CreateLaunchTemplate'],
        made,
        tagged('RequestTag', pool('RequestTag')),
      ),
      allow('AllowScopedResourceCreationTagging', 'ec2:CreateTags', made, { StringEquals: making, StringLike: pool('RequestTag') }),
      allow('AllowScopedResourceTagging', 'ec2:CreateTags', ec2('instance'), {
        ...tagged('ResourceTag', pool('ResourceTag')),
        'ForAllValues:StringEquals': { 'aws:TagKeys': keys },
      }),
      allow(
        'AllowScopedDeletion',
        ['ec2:TerminateInstances', 'ec2:DeleteLaunchTemplate'],
        ec2('instance', 'launch-template'),
        tagged('ResourceTag', pool('ResourceTag')),
      ),
      allow('AllowRegionalReadActions', DESCRIBE, '*'),
      allow('AllowSSMReadActions', 'ssm:GetParameter', `arn:aws:ssm:${region}::parameter/aws/service/*`),
      allow('AllowPricingReadActions', 'pricing:GetProducts', '*'),
      allow('AllowPassingInstanceRole', 'iam:PassRole', `arn:aws:iam::${account}:role/eks-node-${name}`),
      allow(
        'AllowScopedInstanceProfileCreationActions',
        'iam:CreateInstanceProfile',
        `arn:aws:iam::${account}:instance-profile/*`,
        tagged('RequestTag', nodeClass('RequestTag')),
      ),
      allow('AllowScopedInstanceProfileTagActions', 'iam:TagInstanceProfile', `arn:aws:iam::${account}:instance-profile/*`, {
        StringEquals: { ...owned('RequestTag'), ...owned('ResourceTag') },
        StringLike: { ...nodeClass('RequestTag'), ...nodeClass('ResourceTag') },
      }),
      allow(
        'AllowScopedInstanceProfileActions',
        PROFILES,
        `arn:aws:iam::${account}:instance-profile/*`,
        tagged('ResourceTag', nodeClass('ResourceTag')),
      ),
      allow('AllowInstanceProfileReadActions', 'iam:GetInstanceProfile', `arn:aws:iam::${account}:instance-profile/*`),
      allow('AllowAPIServerEndpointDiscovery', 'eks:DescribeCluster', `arn:aws:eks:${region}:${account}:cluster/${name}`),
    ],
  };
}
