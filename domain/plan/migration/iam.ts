/** What a newer Karpenter may not do by a policy document. Source: tags and calls in Karpenter's code, CloudFormation of 0.32 and 1.0. */
import { field } from '../../core/unknown.ts';
import type { Step } from './names.ts';
import { type Gap, type PolicyDocument, refusal, type Request } from './policy-document.ts';

const CLUSTER = 'kubernetes.io/cluster/NAME';
const POOL = 'karpenter.sh/nodepool';
const CLASS = 'karpenter.k8s.aws/ec2nodeclass';
const EKS = 'eks:eks-cluster-name';
const REGION = 'topology.kubernetes.io/region';
const MANAGED_BY = 'karpenter.sh/managed-by';

/** Tags on what Karpenter makes (getTags of pkg/providers/instance, 0.32.10 and 1.0.8). */
const MADE: Record<Step, readonly string[]> = { v1beta1: [CLUSTER, POOL, MANAGED_BY, CLASS], v1: [CLUSTER, POOL, EKS, CLASS] };
/** Tags on a profile (pkg/providers/instanceprofile, EC2NodeClass.InstanceProfileTags). */
const PROFILE: Record<Step, readonly string[]> = { v1beta1: [CLUSTER, MANAGED_BY, CLASS, REGION], v1: [CLUSTER, EKS, CLASS, REGION] };
/** Tags put on a running instance (controllers nodeclaim/tagging). */
const TAGGED: Record<Step, readonly string[]> = {
  v1beta1: ['Name', 'karpenter.sh/nodeclaim'],
  v1: ['Name', 'karpenter.sh/nodeclaim', EKS],
};

/** On what is there already, whichever version made it. */
const THERE = [CLUSTER, POOL, CLASS];
const PROFILE_THERE = [CLUSTER, CLASS, REGION];

const READS = [
  'Images',
  'Instances',
  'InstanceTypeOfferings',
  'InstanceTypes',
  'LaunchTemplates',
  'SecurityGroups',
  'SpotPriceHistory',
  'Subnets',
];

/** All that a Karpenter of this API asks of AWS. */
function requestsOf(step: Step): Request[] {
  const making = (action: string, resource: string): Request => ({ action, resource, requestTags: MADE[step], resourceTags: [] });
  const own = (action: string, resource: string): Request => ({ action, resource, requestTags: [], resourceTags: THERE });
  const profile = (name: string, requestTags: readonly string[], resourceTags: readonly string[]): Request => ({
    action: `iam:${name}`,
    resource: 'instance-profile',
    requestTags,
    resourceTags,
  });
  const plain = (action: string): Request => ({ action, requestTags: [], resourceTags: [] });
  return [
    making('ec2:RunInstances', 'instance'),
    making('ec2:CreateFleet', 'fleet'),
    making('ec2:CreateLaunchTemplate', 'launch-template'),
    { ...making('ec2:CreateTags', 'instance'), createAction: 'RunInstances' },
    { action: 'ec2:CreateTags', resource: 'instance', requestTags: TAGGED[step], resourceTags: THERE },
    own('ec2:RunInstances', 'launch-template'),
    own('ec2:TerminateInstances', 'instance'),
    own('ec2:DeleteLaunchTemplate', 'launch-template'),
    ...READS.map((what) => plain(`ec2:Describe${what}`)),
    profile('CreateInstanceProfile', PROFILE[step], []),
    profile('TagInstanceProfile', PROFILE[step], PROFILE_THERE),
    ...['AddRoleToInstanceProfile', 'RemoveRoleFromInstanceProfile', 'DeleteInstanceProfile'].map((name) =>
      profile(name, [], PROFILE_THERE),
    ),
    ...['iam:GetInstanceProfile', 'iam:PassRole', 'ssm:GetParameter', 'pricing:GetProducts', 'eks:DescribeCluster'].map(plain),
  ];
}

export interface IamReport {
  /** What is refused that the step's Karpenter does, and why. */
  gaps: Gap[];
  /** What the Karpenter of before does and this document refuses: it has to stay attached beside the old one until rollback is given up. */
  before: Gap[];
}

/** @param document as IAM has it, parsed. Throws a RangeError for what is no policy document. */
export function checkKarpenterPolicy(document: unknown, step: Step): IamReport {
  return checkKarpenterPolicies([document], step);
}

/** All policies of one role together. Throws as checkKarpenterPolicy. */
export function checkKarpenterPolicies(documents: readonly unknown[], step: Step): IamReport {
  const policy = { statements: documents.flatMap((document) => policyOf(document).statements) };
  const gapsOf = (of: Step): Gap[] => requestsOf(of).flatMap((request) => refusal(policy, request) ?? []);
  return { gaps: gapsOf(step), before: step === 'v1' ? gapsOf('v1beta1') : [] };
}

function policyOf(document: unknown): PolicyDocument {
  const statements = field(document, 'Statement');
  const list: unknown[] = Array.isArray(statements) ? statements : [statements];
  if (statements === undefined || !list.every((each) => typeof field(each, 'Effect') === 'string'))
    throw new RangeError('this is no IAM policy document: it has no Statement with an Effect');
  return { statements: list };
}
