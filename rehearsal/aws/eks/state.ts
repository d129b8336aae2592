/** What the EKS stand-in knows: clusters' AWS side. The wire format lives in the server. Times are epoch milliseconds of world time. */
import type { ApiRate } from './api-rate.ts';
import type { Ami } from './nodes/ami.ts';
import type { Network } from '../network.ts';

export interface HealthIssue {
  code: string;
  message: string;
  resourceIds: string[];
}

/** What an update is of. */
export type UpdateResource = { kind: 'cluster' } | { kind: 'node-group' | 'add-on' | 'capability'; name: string };

export interface EksUpdate {
  id: string;
  resource: UpdateResource;
  type: string;
  status: 'InProgress' | 'Failed' | 'Cancelled' | 'Successful';
  params: { type: string; value: string }[];
  createdAtMs: number;
  endedAtMs?: number;
  errors: { errorCode: string; errorMessage: string; resourceIds: string[] }[];
  /** Only rollbacks can be cancelled. */
  cancellation?: { status: 'InProgress' | 'Failed' | 'Successful'; reason?: string };
  token?: string;
  /** Only node groups: evict in spite of PodDisruptionBudgets. */
  force?: boolean;
  /** Only rollbacks of clusters with Auto Mode: how long their nodes may take to go back first. */
  nodesTimeoutMs?: number;
  /** The nodes of Auto Mode go back first: the control plane waits for them. */
  nodesFirst?: boolean;
  /** When they were done and the control plane's turn came. */
  controlPlaneFromMs?: number;
  /** A configuration takes effect when its update ends well. */
  takesEffect?: () => void;
}

export interface EksNodeGroup {
  name: string;
  version: string;
  releaseVersion: string;
  amiType: string;
  status: string;
  desiredSize: number;
  minSize: number;
  maxSize: number;
  maxUnavailable?: number;
  maxUnavailablePercentage?: number;
  /** DEFAULT where absent: new nodes come before old ones go. */
  updateStrategy?: 'DEFAULT' | 'MINIMAL';
  labels: Record<string, string>;
  taints: { key: string; value?: string; effect: string }[];
  health: HealthIssue[];
  launchTemplate?: { id?: string; name?: string; version?: string };
  /** ON_DEMAND where absent. */
  capacityType?: string;
  instanceTypes?: string[];
  /** The cluster's where absent. */
  subnetIds?: string[];
  nodeRole?: string;
  /** That EKS has made for it; absent: one that is named after it. */
  autoScalingGroup?: string;
  /** As UpdateNodegroupConfig takes it. */
  nodeRepair?: Record<string, unknown>;
  createdAtMs: number;
  modifiedAtMs?: number;
}

export interface EksAddOn {
  name: string;
  version: string;
  status: string;
  health: HealthIssue[];
  configurationValues?: string;
  serviceAccountRoleArn?: string;
  /** EKS Pod Identity associations that the add-on owns, in its own namespace. */
  podIdentityAssociations?: { serviceAccount: string; roleArn: string }[];
  createdAtMs: number;
  modifiedAtMs?: number;
}

export interface EksFargateProfile {
  name: string;
  status: string;
  podExecutionRoleArn: string;
  subnetIds: string[];
  selectors: { namespace: string; labels?: Record<string, string> }[];
  createdAtMs: number;
}

export interface EksCapability {
  name: string;
  type: 'ACK' | 'KRO' | 'ARGOCD';
  status: string;
  version: string;
  roleArn: string;
  createdAtMs: number;
}

export interface EksInsight {
  id: string;
  name: string;
  category: 'UPGRADE_READINESS' | 'MISCONFIGURATION' | 'ROLLBACK_READINESS';
  /** Absent where no minor is concerned. */
  kubernetesVersion?: string;
  status: 'PASSING' | 'WARNING' | 'ERROR' | 'UNKNOWN';
  reason: string;
  recommendation: string;
  lastRefreshMs: number;
  lastTransitionMs?: number;
  /** Kubernetes resources or AWS resources behind a status that is not PASSING. */
  resources?: { status: string; kubernetesResourceUri?: string; arn?: string }[];
  addOnCompatibility?: { name: string; compatibleVersions: string[] }[];
  deprecations?: DeprecationDetail[];
}

export interface DeprecationDetail {
  /** Path of the API that is called, /apis/…. */
  usage: string;
  replacedWith: string;
  stopServingVersion: string;
  startServingReplacementVersion: string;
  clientStats: { userAgent: string; requests: number; lastRequestMs: number }[];
}

/** An IAM role that pods have, by IRSA or by EKS Pod Identity. */
export interface ControllerRole {
  arn: string;
  /** Actions that its policies allow. */
  allows: string[];
  /** Documents as people write them; those with `managed` are attached, the others are the role's own. Absent: none. */
  policies?: { name: string; document: object; managed?: true }[];
  /** ARN of a permissions boundary; absent: none. */
  boundary?: string;
  /** EKS Pod Identity; absent: a ServiceAccount names the role. */
  association?: { id: string; namespace: string; serviceAccount: string };
}

/** Credentials of a role that somebody has assumed. */
export interface AssumedRole {
  accessKeyId: string;
  /** arn:aws:iam::111122223333:role/belay-read */
  role: string;
  session: string;
  tags: Record<string, string>;
  /** World time. */
  atMs: number;
  /** Wall time, as clients see it. */
  endsAtMs: number;
}

export interface EksState {
  assumed: AssumedRole[];
  /** Roles, by the ends of their ARNs, whose trust policies name somebody else, and how often they were asked for. */
  unassumable?: { role: string; asked: number }[];
  /** How fast this account may ask EKS; absent: as fast as it likes. */
  apiRate?: ApiRate;
  /** Roles, by the ends of their ARNs, whose trust policies let nobody tag a session. */
  untaggable?: string[];
  cluster: {
    name: string;
    account: string;
    region: string;
    version: string;
    platformVersion: string;
    status: string;
    endpoint: string;
    caData: string;
    supportType: 'STANDARD' | 'EXTENDED';
    health: HealthIssue[];
    createdAtMs: number;
    roleArn: string;
    /** Somebody has deleted the role in IAM. */
    roleGone?: boolean;
    /** Secrets are encrypted with it. */
    keyArn: string;
    /** Enabled where absent: Disabled, PendingDeletion. */
    keyState?: string;
    subnetIds: string[];
    securityGroupIds: string[];
    /** The one that EKS has made. */
    clusterSecurityGroupId: string;
    endpointPublicAccess: boolean;
    endpointPrivateAccess: boolean;
    publicAccessCidrs: string[];
    /** CIDRs of hybrid nodes. */
    remoteNodeNetworks?: string[];
    /** Control-plane logs that go to CloudWatch. */
    logging: string[];
    authenticationMode: string;
    autoMode: boolean;
    zonalShift: boolean;
    deletionProtection: boolean;
  };
  nodeGroups: EksNodeGroup[];
  addOns: EksAddOn[];
  fargateProfiles: EksFargateProfile[];
  capabilities: EksCapability[];
  controllerRoles: ControllerRole[];
  updates: EksUpdate[];
  insights: EksInsight[];
  insightsRefresh?: { startedMs: number; endsMs: number };
  /** Calls of APIs that a later minor no longer serves. EKS remembers them for thirty days. */
  deprecatedCalls: { path: string; userAgent: string; atMs: number }[];
  /** By ARN. */
  tags: Record<string, Record<string, string>>;
  network: Network;
  /** Versions offered, newest first, with support dates (ISO). */
  versions: { version: string; platformVersion: string; releaseDate: string; endOfStandardSupport: string; endOfExtendedSupport: string }[];
  /** Machine images that there are, oldest release first; absent: the twin's usual ones. */
  images?: readonly Ami[];
  /** Add-on versions offered per minor, newest first. */
  addOnCatalogue: Record<string, { version: string; minors: string[]; defaultFor: string[] }[]>;
}
