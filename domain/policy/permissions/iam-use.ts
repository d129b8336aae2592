/** What of AWS a cluster of belay.yaml uses, and the shape of policy documents. */

export interface Statement {
  Sid: string;
  Effect: 'Allow';
  Action: string[];
  Resource: '*' | string[];
  Condition?: Record<string, Record<string, string | readonly string[]>>;
}

export interface PolicyDocument {
  Version: '2012-10-17';
  Statement: Statement[];
}

export interface ClusterPlace {
  name: string;
  region: string;
  account: string;
}

/** What of Belay is used on a cluster. */
export interface AwsUse {
  controlPlane: boolean;
  nodeGroups: boolean;
  addOns: boolean;
  logging: boolean;
  selfManaged: boolean;
  migration: boolean;
  amazonPrometheus: boolean;
  /** Roles that its add-ons have. */
  addOnRoles: readonly string[];
  /** Roles of nodes that its launch templates name. */
  nodeRoles: readonly string[];
  /** lt-…; none: those with the tag `belay`, whose value is the cluster's name. */
  launchTemplates: readonly string[];
}

/** The three files of deploy/. */
export const IAM_PARTS = ['iam-policy', 'iam-policy-optional', 'iam-policy-self-managed'] as const;

export type IamPart = (typeof IAM_PARTS)[number];

export const EVERYTHING: Omit<AwsUse, 'addOnRoles' | 'nodeRoles' | 'launchTemplates'> = {
  controlPlane: true,
  nodeGroups: true,
  addOns: true,
  logging: true,
  selfManaged: true,
  migration: true,
  amazonPrometheus: true,
};

/** By the beginnings of regions' names, as the table of partitions in the AWS SDK (@aws-sdk/core, partitions.js) has them. */
const PARTITIONS = [
  ['cn-', 'aws-cn'],
  ['us-gov-', 'aws-us-gov'],
  ['eusc-', 'aws-eusc'],
  ['us-iso-', 'aws-iso'],
  ['us-isob-', 'aws-iso-b'],
  ['eu-isoe-', 'aws-iso-e'],
  ['us-isof-', 'aws-iso-f'],
] as const;

export function partitionOf(region: string): 'aws' | (typeof PARTITIONS)[number][1] {
  return PARTITIONS.find(([start]) => region.startsWith(start))?.[1] ?? 'aws';
}
