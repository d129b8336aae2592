/**
 * IAM policies for exactly what a belay.yaml uses. Which actions know resources and tags: AWS's Service Authorization Reference for EKS, EC2 and EC2
 * Auto Scaling (docs.aws.amazon.com/service-authorization). What only Describe, List and Get knows no resources is granted on "*".
 */
import { type AwsUse, type ClusterPlace, type IamPart, partitionOf, type PolicyDocument, type Statement } from './iam-use.ts';

type Place = ClusterPlace & { partition: string };
type Granted = Omit<Statement, 'Effect'>;

/** Statements of one part for one cluster, each named for what it is for; none: the part is not used. */
export function iamStatements(part: IamPart, cluster: ClusterPlace, use: AwsUse): Statement[] {
  const place = { ...cluster, partition: partitionOf(cluster.region) };
  return STATEMENTS[part](place, use)
    .filter(({ Action, Resource }) => Action.length > 0 && Resource.length > 0)
    .map(({ Sid, ...rest }) => ({ Sid, Effect: 'Allow', ...rest }));
}

const eks = ({ partition, region, account }: Place, resource: string): string => `arn:${partition}:eks:${region}:${account}:${resource}`;
const clusterArn = (place: Place): string => eks(place, `cluster/${place.name}`);
const nodeGroupArn = (place: Place): string => eks(place, `nodegroup/${place.name}/*/*`);
const addOnArn = (place: Place): string => eks(place, `addon/${place.name}/*/*`);
const iamArn = ({ partition, account }: Place, resource: string): string => `arn:${partition}:iam::${account}:${resource}`;
const roleArn = (place: Place, role: string): string => (role.startsWith('arn:') ? role : iamArn(place, `role/${role}`));
/** Those of Amazon's images. */
const publicParameters = ({ partition, region }: Place): string => `arn:${partition}:ssm:${region}::parameter/aws/service/*`;
const service = ({ partition }: Place, name: string): string =>
  `${name}.amazonaws.com${partition === 'aws-cn' && name === 'ec2' ? '.cn' : ''}`;

const STATEMENTS: Record<IamPart, (place: Place, use: AwsUse) => Granted[]> = {
  'iam-policy': (place, { controlPlane, nodeGroups, addOns, addOnRoles }) => [
    {
      Sid: 'BelayReadsWhatEksOffers',
      Action: ['eks:ListClusters', 'eks:DescribeClusterVersions', 'eks:DescribeAddonVersions', 'eks:DescribeAddonConfiguration'],
      Resource: '*',
    },
    {
      Sid: 'BelayReadsClusters',
      Action: [
        'eks:DescribeCluster',
        'eks:ListUpdates',
        'eks:DescribeUpdate',
        'eks:ListInsights',
        'eks:DescribeInsight',
        'eks:DescribeInsightsRefresh',
        'eks:ListNodegroups',
        'eks:DescribeNodegroup',
        'eks:ListAddons',
        'eks:DescribeAddon',
        'eks:ListFargateProfiles',
        'eks:DescribeFargateProfile',
        'eks:ListPodIdentityAssociations',
        'eks:DescribePodIdentityAssociation',
      ],
      Resource: [
        clusterArn(place),
        nodeGroupArn(place),
        addOnArn(place),
        eks(place, `fargateprofile/${place.name}/*/*`),
        eks(place, `podidentityassociation/${place.name}/*`),
      ],
    },
    {
      Sid: 'BelayReadsWhatNodesNeed',
      Action: [
        'ec2:DescribeSubnets',
        'ec2:DescribeSecurityGroups',
        'ec2:DescribeLaunchTemplates',
        'ec2:DescribeImages',
        'ec2:DescribeInstances',
        'ec2:DescribeVolumes',
        'autoscaling:DescribeAutoScalingGroups',
        'servicequotas:GetServiceQuota',
        'cloudwatch:GetMetricData',
      ],
      Resource: '*',
    },
    {
      Sid: 'BelayReadsWhichNodeImagesAmazonPublishes',
      Action: ['ssm:GetParameter'],
      Resource: [publicParameters(place)],
    },
    {
      Sid: 'BelayReadsWhatTheControlPlaneNeeds',
      Action: ['iam:GetRole', 'kms:DescribeKey'],
      Resource: [iamArn(place, 'role/*'), `arn:${place.partition}:kms:${place.region}:*:key/*`],
    },
    { Sid: 'BelayAsksWhatKarpentersRoleMayDo', Action: ['iam:SimulatePrincipalPolicy'], Resource: [iamArn(place, 'role/*')] },
    {
      Sid: 'BelayUpgradesClusters',
      Action: [
        'eks:StartInsightsRefresh',
        ...(controlPlane ? ['eks:UpdateClusterVersion', 'eks:CancelUpdate'] : []),
        ...(nodeGroups ? ['eks:UpdateNodegroupVersion'] : []),
        ...(addOns ? ['eks:UpdateAddon'] : []),
      ],
      Resource: [clusterArn(place), ...(nodeGroups ? [nodeGroupArn(place)] : []), ...(addOns ? [addOnArn(place)] : [])],
    },
    {
      Sid: 'BelayKeepsTheRolesOfAddOns',
      Action: addOns ? ['iam:PassRole'] : [],
      Resource: addOnRoles.map((role) => roleArn(place, role)),
      Condition: { StringEquals: { 'iam:PassedToService': 'eks.amazonaws.com' } },
    },
  ],
  'iam-policy-optional': (place, { logging, migration, amazonPrometheus }) => [
    { Sid: 'BelaySwitchesOnControlPlaneLogs', Action: logging ? ['eks:UpdateClusterConfig'] : [], Resource: [clusterArn(place)] },
    {
      Sid: 'BelayReadsThePoliciesOfKarpentersRole',
      Action: migration
        ? ['iam:ListRolePolicies', 'iam:GetRolePolicy', 'iam:ListAttachedRolePolicies', 'iam:GetPolicy', 'iam:GetPolicyVersion']
        : [],
      Resource: [iamArn(place, 'role/*'), iamArn(place, 'policy/*')],
    },
    {
      Sid: 'BelayAsksAmazonsPrometheus',
      Action: amazonPrometheus ? ['aps:QueryMetrics', 'aps:ListAlertManagerAlerts'] : [],
      Resource: [`arn:${place.partition}:aps:*:${place.account}:workspace/*`],
    },
  ],
  'iam-policy-self-managed': (place, { selfManaged, nodeRoles, launchTemplates }): Granted[] => {
    if (!selfManaged) return [];
    const ours = { StringEquals: { 'aws:ResourceTag/belay': place.name } };
    const templateArn = (id: string): string => `arn:${place.partition}:ec2:${place.region}:${place.account}:launch-template/${id}`;
    const templates = (launchTemplates.length === 0 ? ['*'] : launchTemplates).map(templateArn);
    return [
      {
        Sid: 'BelayReadsGroupsOfOnesOwn',
        Action: ['autoscaling:DescribeInstanceRefreshes', 'autoscaling:DescribeLifecycleHooks', 'ec2:DescribeLaunchTemplateVersions'],
        Resource: '*',
      },
      {
        Sid: 'BelayRefreshesGroupsOfOnesOwn',
        Action: [
          'autoscaling:StartInstanceRefresh',
          'autoscaling:CancelInstanceRefresh',
          'autoscaling:RollbackInstanceRefresh',
          'autoscaling:PutLifecycleHook',
          'autoscaling:DeleteLifecycleHook',
          'autoscaling:CompleteLifecycleAction',
          'autoscaling:RecordLifecycleActionHeartbeat',
        ],
        Resource: [`arn:${place.partition}:autoscaling:${place.region}:${place.account}:autoScalingGroup:*:autoScalingGroupName/*`],
        Condition: ours,
      },
      {
        Sid: 'BelayAddsVersionsToLaunchTemplates',
        Action: ['ec2:CreateLaunchTemplateVersion'],
        Resource: templates,
        ...(launchTemplates.length === 0 ? { Condition: ours } : {}),
      },
      {
        Sid: 'AutoScalingAsksThisOfWhoeverSetsATemplateVersion',
        Action: ['ec2:RunInstances'],
        Resource: '*',
        Condition: { Bool: { 'ec2:IsLaunchTemplateResource': 'true' }, ArnLike: { 'ec2:LaunchTemplate': templates } },
      },
      {
        // EC2 Auto Scaling user guide, "Permissions required to tag instances and volumes".
        Sid: 'AndThisWhereTheTemplateHasTagsForInstancesOrVolumes',
        Action: ['ec2:CreateTags'],
        Resource: [`arn:${place.partition}:ec2:${place.region}:${place.account}:*/*`],
        Condition: { StringEquals: { 'ec2:CreateAction': 'RunInstances' } },
      },
      {
        // "To specify a parameter … in a launch template, you must have the ssm:GetParameters permission for the specified parameter. Anyone who uses the
        // launch template also needs" it (EC2 Auto Scaling user guide, "Use AWS Systems Manager parameters instead of AMI IDs in launch templates").
        Sid: 'AndThisWhereTheTemplateNamesItsImageByAParameter',
        Action: ['ssm:GetParameters'],
        Resource: [publicParameters(place)],
      },
      {
        Sid: 'AndThisWhereTheTemplateNamesAnInstanceProfile',
        Action: ['iam:PassRole'],
        Resource: nodeRoles.map((role) => roleArn(place, role)),
        Condition: { StringEquals: { 'iam:PassedToService': service(place, 'ec2') } },
      },
    ];
  },
};

/** One policy for several clusters: what is granted alike is granted together. */
export function policyDocument(statements: readonly Statement[]): PolicyDocument {
  const merged = new Map<string, Statement>();
  for (const statement of statements) {
    const { Sid, Resource, Effect: _effect, ...rest } = statement;
    const key = JSON.stringify([Sid, rest, Resource === '*']);
    const known = merged.get(key);
    if (known === undefined) merged.set(key, statement);
    else if (known.Resource !== '*' && Resource !== '*')
      merged.set(key, { ...known, Resource: [...new Set([...known.Resource, ...Resource])] });
  }
  // A Sid is used once in a policy.
  const used = new Map<string, number>();
  return {
    Version: '2012-10-17',
    Statement: [...merged.values()].map((statement) => {
      const count = (used.get(statement.Sid) ?? 0) + 1;
      used.set(statement.Sid, count);
      return count === 1 ? statement : { ...statement, Sid: `${statement.Sid}${count}` };
    }),
  };
}

/** Changes nothing of the cluster: EKS looks again. */
const ALSO_READS: ReadonlySet<string> = new Set(['eks:StartInsightsRefresh']);
/** AWS asks it of whoever changes. */
const READ_BY_CHANGES: ReadonlySet<string> = new Set(['ssm:GetParameters']);
const READING = /^[a-z0-9]+:(Describe|Get|List|Query|Simulate)/;

/** The part of a policy that only reads, or that only changes; undefined: there is none. */
export function accessPart({ Version, Statement }: PolicyDocument, access: 'read' | 'write'): PolicyDocument | undefined {
  const statements = Statement.flatMap((statement) => {
    const actions = statement.Action.filter((action) => isRead(action) === (access === 'read'));
    return actions.length === 0 ? [] : [{ ...statement, Action: actions }];
  });
  return statements.length === 0 ? undefined : { Version, Statement: statements };
}

const isRead = (action: string): boolean => (READING.test(action) && !READ_BY_CHANGES.has(action)) || ALSO_READS.has(action);
