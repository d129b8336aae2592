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
const UNREACHABLE = mend(
  "EKS cannot reach the cluster's API.",
  'Look at webhooks, security groups and endpoint access, and open the way for EKS.',
);
const NOT_EVICTED = evicted(
  'Pods could not be evicted within 15 minutes.',
  'Find the disruption budget that blocks it and make room. Forcing kills the pods that are left, whatever their budgets say.',
);
const NOT_JOINED = mend(
  'New nodes did not join.',
  'Look at capacity, user data, the node role and the subnets of the group, and mend what is wrong.',
);
const TOO_FEW_PODS = mend("The add-on's pods did not become ready.", 'Make room for them, or give them the tolerations they lack.');
const CHANGED_BY_OTHERS = conflicting(
  'Fields of the add-on were changed by others.',
  "Preserve keeps what others changed. Overwrite puts EKS's defaults in its place: take what you want to keep into the add-on's configuration first.",
);
const NOT_ADMITTED = mend('An admission webhook or policy refused a change.', 'Exempt the add-on there.');
const NOT_ALLOWED = mend('The add-on does not allow this change.', 'Choose another version or correct its configuration.');
const OBJECT_GONE = mend('An object that the add-on needs is gone.', 'Restore it or install the add-on anew.');
const INTERNAL = again("An error inside EKS, none of the cluster's.", 'Retry; if it comes again, open a case with AWS Support.');

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
    "Read the group's scaling activities: capacity, quota, image or key is named there.",
  ),
  AutoScalingGroupInstanceRefreshActive: again(
    'An instance refresh runs on the Auto Scaling group.',
    'Wait until it has ended, or cancel it.',
  ),
  AutoScalingGroupInvalidConfiguration: mend(
    'The Auto Scaling group was changed by hand.',
    'Put back what EKS had set: template, sizes, processes.',
  ),
  AutoScalingGroupNotFound: mend('The Auto Scaling group of the node group is gone.', 'Create the node group anew, and delete this one.'),
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
  Ec2LaunchTemplateNotFound: mend("EKS's launch template of the group is gone.", 'Restore it with its id, or create the node group anew.'),
  Ec2LaunchTemplateVersionMaxLimitExceeded: mend('The launch template has no versions left.', 'Delete old versions of it.'),
  Ec2LaunchTemplateVersionMismatch: mend(
    'The Auto Scaling group uses another version of the launch template than EKS has set.',
    'Set the version in EKS, not in the Auto Scaling group.',
  ),
  Ec2SecurityGroupDeletionFailure: mend('EKS cannot delete the security group for remote access.', 'Remove what still uses it.'),
  Ec2SecurityGroupNotFound: mend('A security group of the nodes is gone.', 'Restore it, or create the node group anew.'),
  Ec2SubnetInvalidConfiguration: mend(
    'A subnet of the group does not give instances the public address that they need.',
    'Switch auto-assigned public IPv4 addresses on for the subnet, or use private subnets with NAT.',
  ),
  Ec2SubnetListTooLong: mend('The group has more subnets than EKS takes.', 'Create it anew with fewer.'),
  Ec2SubnetMissingIpv6Assignment: mend(
    'A subnet does not assign IPv6 addresses.',
    'Switch auto-assigned IPv6 addresses on for the subnet.',
  ),
  Ec2SubnetNotFound: mend('A subnet of the group is gone.', 'Restore it, or create the node group anew in other subnets.'),
  IamInstanceProfileNotFound: mend('The instance profile of the group is gone.', 'Restore it with the node role in it.'),
  IamLimitExceeded: mend('The account has reached a quota of IAM.', 'Delete what is not used or raise the quota.'),
  IamNodeRoleNotFound: mend('The node role is gone.', 'Restore it with its policies.'),
  IamThrottling: again('IAM throttles the account.', 'Retry in some minutes.'),
  InstanceLimitExceeded: mend("The account's quota of instances is used up.", 'Raise it, or stop instances that are not needed.'),
  InsufficientFreeAddresses: NO_ADDRESSES,
  InternalFailure: INTERNAL,
  KubernetesLabelInvalid: mend("A label of the group's configuration is not valid in Kubernetes.", 'Correct it in the node group.'),
  LimitExceeded: mend('A quota of the account is used up.', 'Read which in the message; raise it.'),
  NodeCreationFailure: NOT_JOINED,
  NodeTerminationFailure: mend('A node cannot be terminated.', 'Look for termination protection or a lifecycle hook on the instance.'),
  PodEvictionFailure: NOT_EVICTED,
  SourceEc2LaunchTemplateNotFound: mend('Your launch template of the group is gone.', 'Create the node group anew with one that exists.'),
  Unknown: again('EKS does not say what is wrong with the group.', 'Retry once, then open a case with AWS Support.'),
};

/** AddonIssueCode: what EKS finds wrong with an add-on. */
export const ADD_ON_CODES: Codes = {
  AccessDenied: mend("EKS may not change the add-on's objects.", "Restore EKS's rights in the cluster: the role eks:addon-manager."),
  AddonPermissionFailure: mend(
    "The add-on's role lacks a permission.",
    'Restore its policies, its trust and its pod identity association.',
  ),
  AddonSubscriptionNeeded: mend('The add-on of AWS Marketplace needs a subscription.', 'Subscribe to it.'),
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
  ConfigurationConflict: mend(
    "The cluster's configuration contradicts itself.",
    'Read which parts in the message and correct one of them.',
  ),
  Ec2SecurityGroupNotFound: mend('A security group of the cluster is gone.', 'Set an existing one on the cluster.'),
  Ec2ServiceNotSubscribed: mendOrEnd('The account is not subscribed to EC2.', 'Settle the account with AWS.'),
  Ec2SubnetNotFound: mend('A subnet of the cluster is gone.', 'Create one in the same zone and set it on the cluster.'),
  IamRoleNotFound: mendOrEnd("The cluster's role is gone.", 'Restore it with the same name, trust and policies.'),
  InsufficientFreeAddresses: NO_ADDRESSES,
  InternalFailure: INTERNAL,
  KmsGrantRevoked: mendOrEnd("The grant of the cluster's key is revoked: secrets cannot be read.", 'Restore the grant.'),
  KmsKeyDisabled: mendOrEnd("The cluster's key is disabled: secrets cannot be read.", 'Enable the key.'),
  KmsKeyMarkedForDeletion: mendOrEnd(
    "The cluster's key is to be deleted: without it the cluster is lost.",
    'Cancel the deletion and enable the key, today.',
  ),
  KmsKeyNotFound: mendOrEnd("The cluster's key is gone: the cluster cannot be recovered.", 'Build a new cluster.'),
  Other: again('EKS reports something that has no code.', 'Read its message; then retry, or open a case with AWS Support.'),
  ResourceLimitExceeded: mend('A quota of the account is used up.', 'Read which in the message; raise it.'),
  ResourceNotFound: mend('Something that the cluster needs is gone.', 'Read what in the message; restore it.'),
  StsRegionalEndpointDisabled: mend('STS is switched off in the region.', 'Switch it on in the account settings of IAM.'),
  UnsupportedVersion: mendOrEnd('The version of the cluster is not supported.', 'Plan from the version that EKS has moved it to.'),
  VpcNotFound: mendOrEnd("The cluster's VPC is gone: the cluster cannot be updated.", 'Restore the network or build a new cluster.'),
};
