/** What EKS's error and issue codes mean. Codes: ErrorCode, NodegroupIssueCode, AddonIssueCode, ClusterIssueCode of @aws-sdk/client-eks; a test compares them. */
import type { FailureAdvice, FailureChoice } from './failure-advice.ts';

type Codes = Readonly<Record<string, FailureAdvice>>;

const advice =
  (...choices: FailureChoice[]) =>
  (says: string, suggestion: string): FailureAdvice => ({ says, suggestion, choices });

/** Nothing has to be mended first. */
const again = advice('retry', 'skip', 'abort');
/** The same would fail again until people have mended something. */
const mend = advice('fixed', 'skip', 'abort');
/** Nothing after it would be right. */
const mendOrEnd = advice('fixed', 'abort');
const evicted = advice('retry', 'force', 'skip', 'abort');
const conflicting = advice('preserve', 'overwrite', 'skip', 'abort');

const NO_ADDRESSES = mend('The subnets have too few free addresses (EKS needs up to five).', 'Free addresses or add a subnet.');
const UNREACHABLE = mend("EKS cannot reach the cluster's API.", 'Check webhooks, security groups and endpoint access, and let EKS in.');
const NOT_EVICTED = evicted(
  'Pods could not be evicted within 15 minutes.',
  'Find the disruption budget that blocks it and make room. Forcing kills the remaining pods, whatever their budgets say.',
);
const NOT_JOINED = mend(
  'New nodes did not join.',
  'Check capacity, user data, the node role and the group’s subnets, and fix what is wrong.',
);
const TOO_FEW_PODS = mend("The add-on's pods did not become ready.", 'Make room for them, or give them the tolerations they lack.');
const CHANGED_BY_OTHERS = conflicting(
  'Others changed fields of the add-on.',
  "Preserve keeps those changes. Overwrite replaces them with EKS's defaults: first copy what you want to keep into the add-on's configuration.",
);
const NOT_ADMITTED = mend('An admission webhook or policy refused a change.', 'Exempt the add-on there.');
const NOT_ALLOWED = mend('The add-on does not allow this change.', 'Choose another version or correct its configuration.');
const OBJECT_GONE = mend('An object the add-on needs is gone.', 'Restore it or reinstall the add-on.');
const INTERNAL = again('An error inside EKS, not in the cluster.', 'Retry; if it recurs, open a case with AWS Support.');

/** ErrorCode: of an update that has failed. */
export const UPDATE_CODES: Codes = {
  SubnetNotFound: mend('A subnet of the cluster is gone.', 'Create one in the same zone and set it on the cluster.'),
  SecurityGroupNotFound: mend('A security group of the cluster is gone.', 'Set an existing one on the cluster.'),
  EniLimitReached: mend('The account has no network interfaces left.', 'Delete unused ones or raise the quota.'),
  IpNotAvailable: NO_ADDRESSES,
  InsufficientFreeAddresses: NO_ADDRESSES,
  AccessDenied: mend('EKS may not do what the update needs.', "Restore the policies of the cluster's or the nodes' role."),
  OperationNotPermitted: mend("The cluster's role or EKS's service-linked role lacks a permission.", 'Restore it.'),
  VpcIdNotFound: mendOrEnd("The cluster's VPC is gone: the cluster cannot be updated.", 'Restore the network or build a new cluster.'),
  Unknown: again('EKS does not say what failed.', 'Retry once, then open a case with AWS Support with the update id.'),
  NodeCreationFailure: NOT_JOINED,
  PodEvictionFailure: NOT_EVICTED,
  ClusterUnreachable: UNREACHABLE,
  InsufficientNumberOfReplicas: TOO_FEW_PODS,
  ConfigurationConflict: CHANGED_BY_OTHERS,
  AdmissionRequestDenied: NOT_ADMITTED,
  UnsupportedAddonModification: NOT_ALLOWED,
  K8sResourceNotFound: OBJECT_GONE,
};

/** NodegroupIssueCode: what EKS finds wrong with a node group. */
export const NODE_GROUP_CODES: Codes = {
  AccessDenied: mend(
    'EKS or the nodes lack a permission.',
    "Restore the node role's policies and its entry in aws-auth or the access entries.",
  ),
  AmiIdNotFound: mend(
    "The launch template's image is gone.",
    'Put an image that exists into the launch template and set that version on the group.',
  ),
  AsgInstanceLaunchFailures: mend(
    'The Auto Scaling group cannot launch instances.',
    "Read the group's scaling activities: they name the capacity, quota, image or key.",
  ),
  AutoScalingGroupInstanceRefreshActive: again('An instance refresh runs on the Auto Scaling group.', 'Wait until it ends, or cancel it.'),
  AutoScalingGroupInvalidConfiguration: mend(
    'The Auto Scaling group was changed by hand.',
    'Restore what EKS had set: template, sizes, processes.',
  ),
  AutoScalingGroupNotFound: mend('The Auto Scaling group of the node group is gone.', 'Create a new node group and delete this one.'),
  AutoScalingGroupOptInRequired: mend('The account has not opted in to EC2 Auto Scaling in the region.', 'Opt in.'),
  AutoScalingGroupRateLimitExceeded: again(
    'EC2 Auto Scaling throttles the account.',
    'Retry in some minutes, when other tools are quieter.',
  ),
  ClusterUnreachable: UNREACHABLE,
  Ec2InstanceTypeDoesNotExist: mend('The instance type does not exist in the region or zone.', 'Choose another type, in a new node group.'),
  Ec2LaunchTemplateDeletionFailure: mend(
    'EKS cannot delete its old launch template.',
    'Give the role ec2:DeleteLaunchTemplate, or delete it by hand.',
  ),
  Ec2LaunchTemplateInvalidConfiguration: mend(
    'The launch template is not valid.',
    'Correct it in a new version and set that version on the group.',
  ),
  Ec2LaunchTemplateMaxLimitExceeded: mend('The account has no launch templates left.', 'Delete unused ones or raise the quota.'),
  Ec2LaunchTemplateNotFound: mend("EKS's launch template of the group is gone.", 'Restore it with its id, or recreate the node group.'),
  Ec2LaunchTemplateVersionMaxLimitExceeded: mend('The launch template has no versions left.', 'Delete old versions of it.'),
  Ec2LaunchTemplateVersionMismatch: mend(
    'The Auto Scaling group uses another launch template version than EKS set.',
    'Set the version in EKS, not in the Auto Scaling group.',
  ),
  Ec2SecurityGroupDeletionFailure: mend('EKS cannot delete the security group for remote access.', 'Remove what still uses it.'),
  Ec2SecurityGroupNotFound: mend('A security group of the nodes is gone.', 'Restore it, or recreate the node group.'),
  Ec2SubnetInvalidConfiguration: mend(
    'A subnet of the group does not give instances the public address they need.',
    'Turn on auto-assigned public IPv4 addresses for the subnet, or use private subnets with NAT.',
  ),
  Ec2SubnetListTooLong: mend('The group has more subnets than EKS accepts.', 'Recreate it with fewer.'),
  Ec2SubnetMissingIpv6Assignment: mend('A subnet does not assign IPv6 addresses.', 'Turn on auto-assigned IPv6 addresses for the subnet.'),
  Ec2SubnetNotFound: mend('A subnet of the group is gone.', 'Restore it, or recreate the node group in other subnets.'),
  IamInstanceProfileNotFound: mend('The instance profile of the group is gone.', 'Restore it with the node role in it.'),
  IamLimitExceeded: mend('The account has reached an IAM quota.', 'Delete unused resources or raise the quota.'),
  IamNodeRoleNotFound: mend('The node role is gone.', 'Restore it with its policies.'),
  IamThrottling: again('IAM throttles the account.', 'Retry in some minutes.'),
  InstanceLimitExceeded: mend("The account's instance quota is used up.", 'Raise it, or stop unneeded instances.'),
  InsufficientFreeAddresses: NO_ADDRESSES,
  InternalFailure: INTERNAL,
  KubernetesLabelInvalid: mend("A label in the group's configuration is not valid in Kubernetes.", 'Correct it in the node group.'),
  LimitExceeded: mend('A quota of the account is used up.', 'The message says which: raise it.'),
  NodeCreationFailure: NOT_JOINED,
  NodeTerminationFailure: mend('A node cannot be terminated.', 'Look for termination protection or a lifecycle hook on the instance.'),
  PodEvictionFailure: NOT_EVICTED,
  SourceEc2LaunchTemplateNotFound: mend('Your launch template for the group is gone.', 'Recreate the node group with one that exists.'),
  Unknown: again('EKS does not say what is wrong with the group.', 'Retry once, then open a case with AWS Support.'),
};

/** AddonIssueCode: what EKS finds wrong with an add-on. */
export const ADD_ON_CODES: Codes = {
  AccessDenied: mend("EKS may not change the add-on's objects.", "Restore EKS's rights in the cluster: the role eks:addon-manager."),
  AddonPermissionFailure: mend(
    "The add-on's role lacks a permission.",
    'Restore its policies, its trust and its pod identity association.',
  ),
  AddonSubscriptionNeeded: mend('The AWS Marketplace add-on needs a subscription.', 'Subscribe to it.'),
  AdmissionRequestDenied: NOT_ADMITTED,
  ClusterUnreachable: UNREACHABLE,
  ConfigurationConflict: CHANGED_BY_OTHERS,
  InsufficientNumberOfReplicas: TOO_FEW_PODS,
  InternalFailure: INTERNAL,
  K8sResourceNotFound: OBJECT_GONE,
  UnsupportedAddonModification: NOT_ALLOWED,
};

/** ClusterIssueCode: what EKS finds wrong with a cluster. */
export const CLUSTER_CODES: Codes = {
  AccessDenied: mend("The cluster's role lacks a permission.", 'Restore its policies.'),
  ClusterUnreachable: UNREACHABLE,
  ConfigurationConflict: mend("The cluster's configuration contradicts itself.", 'The message says where: correct one part.'),
  Ec2SecurityGroupNotFound: mend('A security group of the cluster is gone.', 'Set an existing one on the cluster.'),
  Ec2ServiceNotSubscribed: mendOrEnd('The account is not subscribed to EC2.', 'Settle the account with AWS.'),
  Ec2SubnetNotFound: mend('A subnet of the cluster is gone.', 'Create one in the same zone and set it on the cluster.'),
  IamRoleNotFound: mendOrEnd("The cluster's role is gone.", 'Restore it with the same name, trust and policies.'),
  InsufficientFreeAddresses: NO_ADDRESSES,
  InternalFailure: INTERNAL,
  KmsGrantRevoked: mendOrEnd("The cluster key's grant is revoked: secrets cannot be read.", 'Restore the grant.'),
  KmsKeyDisabled: mendOrEnd("The cluster's key is disabled: secrets cannot be read.", 'Enable the key.'),
  KmsKeyMarkedForDeletion: mendOrEnd(
    "The cluster's key is scheduled for deletion: without it the cluster is lost.",
    'Cancel the deletion and enable the key, today.',
  ),
  KmsKeyNotFound: mendOrEnd("The cluster's key is gone: the cluster cannot be recovered.", 'Build a new cluster.'),
  Other: again('EKS reports something without a code.', 'Read its message, then retry or open a case with AWS Support.'),
  ResourceLimitExceeded: mend('A quota of the account is used up.', 'The message says which: raise it.'),
  ResourceNotFound: mend('Something the cluster needs is gone.', 'The message says what: restore it.'),
  StsRegionalEndpointDisabled: mend('STS is disabled in the region.', 'Enable it in IAM’s account settings.'),
  UnsupportedVersion: mendOrEnd('The cluster’s version is not supported.', 'Plan from the version EKS moved it to.'),
  VpcNotFound: mendOrEnd("The cluster's VPC is gone: the cluster cannot be updated.", 'Restore the network or build a new cluster.'),
};
