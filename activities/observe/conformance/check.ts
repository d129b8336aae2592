/** What a conformance check is given, and what it answers. A check has the id of the belief that it tries. */
import type { KMSClient } from '@aws-sdk/client-kms';
import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { EC2Client } from '@aws-sdk/client-ec2';
import type { EKSClient } from '@aws-sdk/client-eks';
import type { IAMClient } from '@aws-sdk/client-iam';
import type { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { STSClient } from '@aws-sdk/client-sts';
import type { Untried, Verdict } from '../../../domain/tables/beliefs/verdict.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

export const held = (saw: string): Verdict => ({ kind: 'held', saw });
export const broken = (saw: string): Verdict => ({ kind: 'broken', saw });
/** Nothing of that kind is there, unless it says otherwise. */
export const untried = (why: string, because: Untried = 'absent'): Verdict => ({ kind: 'untried', because, why });

/** Thrown where a check cannot go on. */
export class CannotTry extends Error {
  override readonly name = 'CannotTry';
  readonly because: Untried;

  constructor(why: string, because: Untried = 'absent') {
    super(why);
    this.because = because;
  }
}

export type KubeMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface KubeOptions {
  body?: unknown;
  /** Of a patch; default: JSON patch for a list, else merge patch. */
  contentType?: string;
  accept?: string;
  /** 403 is an answer like others. */
  mayBeForbidden?: boolean;
}

export interface KubeAnswer {
  status: number;
  /** Parsed JSON; the text where it is none. */
  body: unknown;
}

/** The outside of one cluster, on the wire. */
export interface Ground {
  ref: ClusterRef;
  eks: EKSClient;
  sts: STSClient;
  ec2(): Promise<EC2Client>;
  autoScaling(): Promise<AutoScalingClient>;
  iam(): Promise<IAMClient>;
  ssm(): Promise<SSMClient>;
  kms(): Promise<KMSClient>;
  quotas(): Promise<ServiceQuotasClient>;
  cloudWatch(): Promise<CloudWatchClient>;
  /** The Date of EKS's last answer, ISO 8601. */
  eksDate(): string | undefined;
  /** Any status is an answer. Throws CannotTry on 403. `path`: with its query. */
  kube(method: KubeMethod, path: string, options?: KubeOptions): Promise<KubeAnswer>;
  /** The Date of the API server's last answer, ISO 8601. */
  kubeDate(): string | undefined;
  /** The status with which the API server answers this bearer token. CannotTry where a kubeconfig says who we are. */
  statusOfToken(token: string): Promise<number>;
  /** Milliseconds: between two looks, and at most altogether. */
  pollMs: number;
  limitMs: number;
  /** For how long it is watched that something does not happen. */
  holdMs: number;
}

/** What has to be put back, in reverse order; each is tried, and said. `what`: "tag belay-conformance of the cluster". */
export type Owe = (what: string, putBack: () => Promise<void>) => void;

export type ReadCheck = (ground: Ground) => Promise<Verdict>;
export type ChangeCheck = (ground: Ground, owe: Owe) => Promise<Verdict>;
