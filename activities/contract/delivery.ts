/** What workflows may ask for where Belay itself brings a new version of what runs beside Kubernetes. */
import type { DeliveredChart } from '../../domain/facts/facts.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { Target, Waiting } from './target.ts';

/** Karpenter's controller in the cluster. */
export interface KarpenterPlace {
  namespace: string;
  deployment: string;
}

/** May the controller's role do what the new version does? `unknown`: it could not be asked, `why` says what is missing. */
export interface PermissionFinding {
  action: string;
  granted: 'yes' | 'no' | 'unknown';
  why?: string;
}

export interface KarpenterState {
  claimCount: number;
  /** NodeClaims that Karpenter wants to replace because they differ from what it would launch. */
  driftedCount: number;
  /** NodePools in which nothing may be replaced for drift now. */
  frozenPools: number;
  poolCount: number;
  /** NodePools and EC2NodeClasses that are not Ready: "NodePool batch", and the same with its reason. */
  notReady: { name: string; line: string }[];
  /** CRDs that no Helm release has marked as its own. */
  unowned: string[];
  /** What the new version needs that the old one did not, of all versions between. */
  needs: string[];
  permissions: PermissionFinding[];
}

export type KarpenterChart = 'karpenter' | 'karpenter-crd';

/** How a delivery ended. */
export type Delivered =
  /** `version`: as delivered. */
  | { kind: 'converged'; version?: string }
  | { kind: 'failed'; why: string }
  | { kind: 'put-back'; version: string }
  | { kind: 'timed-out'; note: string };

export interface DeliveryActivities {
  /** Reads what a change of Karpenter must leave as it is, and asks IAM for what the new version needs. */
  examineKarpenter(input: Target & KarpenterPlace & { from: string; to: string }): Promise<KarpenterState>;
  /**
   * `helm upgrade` of karpenter-crd and then of karpenter, with the values of their releases. CRDs that are nobody's are adopted first, and named.
   * Looks at the releases first: one that is there already is left alone, one on which others are at work is refused. Heartbeats.
   */
  upgradeKarpenterWithHelm(
    input: Target &
      KarpenterPlace & {
        to: string;
        token: string;
        /** One chart alone; absent: both. */
        only?: KarpenterChart;
        /** What else changes, over the values that the release has. */
        values?: ValueEdit[];
        where: Pick<UpgradePolicy['karpenter'], 'chart' | 'crdChart' | 'release' | 'crdRelease' | 'releaseNamespace'>;
      },
  ): Promise<{ adopted: string[] }>;
  /**
   * Loops until node pools and classes are Ready, CRDs Established, and a pod of `leader`'s version renews the Lease; then watches for `watchMs`
   * that no more NodeClaims drift than before; `driftedCount` absent: drift is not watched. `notReady`: names of those that were not Ready before; they are given back, and are no trouble.
   * `leaderUnknown`: the Lease is renewed, and which pod does it is not known. Heartbeats.
   */
  verifyKarpenter(
    input: Target &
      Waiting & { driftedCount?: number; notReady?: readonly string[]; watchMs: number; leader?: KarpenterPlace & { version: string } },
  ): Promise<{ troubles: string[]; stillNotReady?: string[]; leaderUnknown?: string }>;
  /**
   * Karpenter launches one node more, as NodePool `nodePool` would have it, and it becomes Ready; or why not. `name`: of its NodeClaim; one that is
   * there is taken up. No pod lands on it. Whoever asks removes it. Heartbeats.
   */
  tryCanaryNode(
    input: Target & Waiting & { nodePool: string; name: string; timeoutMs: number },
  ): Promise<{ kind: 'ready'; node: string } | { kind: 'failed'; why: string }>;
  /** Deletes that NodeClaim, and waits until it has gone with its node. A claim of others is left alone. Heartbeats. */
  removeCanaryNode(input: Target & Waiting & { name: string; timeoutMs: number }): Promise<{ gone: boolean }>;
  /**
   * Writes the version into the object of Flux or Argo CD and has it reconciled. `owned`: somebody would put that back, so nothing was changed.
   * `to`: a version, or a minor: then a range is written, which the chart's source resolves to its newest patch. `skipCrds`: another object
   * delivers the CRDs. `values`: what else changes. Idempotent by token.
   */
  setDeliveredVersion(
    input: Target & { chart: DeliveredChart; to: Wanted; token: string; skipCrds: boolean; values?: ValueEdit[] },
  ): Promise<{ kind: 'set' } | { kind: 'owned'; owner: string }>;
  /** Loops until the object has delivered the version. `token`: that of our own change; absent: somebody else makes it, and is waited for. Heartbeats. */
  awaitDelivered(input: Target & Waiting & { chart: DeliveredChart; to: Wanted; token?: string }): Promise<Delivered>;
}

export type Scalar = string | number | boolean;

/** `value` absent: the place is emptied. */
export interface ValueEdit {
  path: readonly string[];
  value?: Scalar;
}

/** "1.28.3", or "1.28" for any patch of it. */
export type Wanted = string;
