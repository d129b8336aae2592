/** What belay.yaml says about one cluster, resolved: recorded at the start of a run, so an edit of the file cannot bend a running upgrade. */
import type { ManagedBy } from '../facts/facts.ts';
import type { FreezeMean } from './freeze-means.ts';
import type { HealthPolicy } from '../health/checks.ts';
import type { People } from './identities.ts';
import type { PromoteFrom } from './ami-promotion.ts';
import type { AfterEnvironment } from './environments.ts';
import type { DeliveryTerms } from './deliveries.ts';
import type { WindowPolicy } from './windows.ts';
import type { ClusterRef } from '../core/cluster-ref.ts';
import type { ApprovalPolicy } from '../gates/approvals.ts';

/** Logs of the control plane that EKS can send to CloudWatch (EKS API reference, LogSetup). */
export const CONTROL_PLANE_LOGS = ['api', 'audit', 'authenticator', 'controllerManager', 'scheduler'] as const;
export type ControlPlaneLog = (typeof CONTROL_PLANE_LOGS)[number];

/** How long things usually take on this cluster, in milliseconds: shown beside the elapsed time, never waited for. */
export interface ExpectedDurations {
  /** One minor. */
  controlPlaneMs: number;
  /** Node groups are moved side by side. */
  nodeGroupMs: number;
  /** Each node that Karpenter replaces. */
  karpenterNodeMs: number;
  addOnMs: number;
  /** Somebody's merge or apply of Karpenter's or Istio's new version, and its rollout. */
  rolloutMs: number;
  istioWaveMs: number;
  checksMs: number;
}

/** All durations of a run, in milliseconds. */
export interface Timing {
  /** Poll interval = clamp(pollShare x time elapsed, pollMinMs, pollMaxMs). */
  pollMinMs: number;
  pollMaxMs: number;
  pollShare: number;
  /** Wall time in rehearsals too. */
  heartbeatTimeoutMs: number;
  /** After the control plane's update, before nodes may move. */
  bakeMs: number;
  /** A gate expires this long after it opened: expiry stops, it never approves. */
  gateDeadlineMs: number;
  /** Shares of that time at which people are reminded, rising: 0.5 and 0.9. */
  gateReminders: number[];
  /** How often the guard looks whether the freeze still stands. */
  freezeCheckMs: number;
  /** How long a self-expiring freeze lasts when nobody renews it, by the API server's clock: real time in rehearsals, too. Absent: a day. */
  freezeExpiryMs?: number;
  /** How often a kept freeze is said again. */
  freezeReminderMs: number;
  controlPlaneTimeoutMs: number;
  /** How long the seven days last in which EKS takes a control plane back. */
  rollbackWindowMs: number;
  /** How long EKS may take to take nodes of Auto Mode back. */
  autoModeRollbackMs: number;
  nodeGroupTimeoutMs: number;
  addOnTimeoutMs: number;
  /** Waiting for a human's merge, a GitOps sync or a Terraform apply. */
  askTimeoutMs: number;
  /** A drifted node that is not replaced for this long while budgets allow it counts as blocked. */
  driftBlockedAfterMs: number;
  /** The same where what is in the way cannot go by itself, such as a budget that allows nothing while every pod is healthy. Absent: as above. */
  driftNamedAfterMs?: number;
  driftTimeoutMs: number;
  /** Watching time at each pace of Karpenter drift before the next, faster one. */
  paceStepMs: number;
  rolloutTimeoutMs: number;
  /** Watching time after each Istio wave. */
  waveBakeMs: number;
  /** Watching time after the last wave of an Istio revision, before the old one may be retired. */
  retireBakeMs: number;
  /** The API server may drop connections this long during the control-plane step. */
  apiTransientMs: number;
  /** Board edits coalesce for this long. Wall time in rehearsals too. */
  boardEditMs: number;
  /** Absent ones are as in reports of real upgrades. */
  expected?: Partial<ExpectedDurations>;
}

/** clamp(pollShare x elapsed, pollMinMs, pollMaxMs): the end of a step is noticed within a few per cent of its length. */
export function pollIntervalMs(timing: Pick<Timing, 'pollMinMs' | 'pollMaxMs' | 'pollShare'>, elapsedMs: number): number {
  return Math.min(timing.pollMaxMs, Math.max(timing.pollMinMs, timing.pollShare * elapsedMs));
}

export const WAVES_BY = ['zone', 'nodepool', 'count'] as const;
export type WaveBy = (typeof WAVES_BY)[number];

/** Karpenter's nodes in waves: `nodes` per wave where they go by count; with `gate` people decide between waves. */
export interface NodeWaves {
  by: WaveBy;
  nodes?: number;
  gate?: boolean;
}

/** What a way back does about newer pods on Fargate: refuse the plan, or scale what owns them to 0 until the control plane is back. */
export const FARGATE_BACK = ['refuse', 'stop', 'stop-with-dns'] as const;
export type FargateBackPolicy = (typeof FARGATE_BACK)[number];

/** How nodes of Karpenter's Machines are replaced by nodes of its NodePools; `ask`: people choose at a gate. */
export const MOVE_NODES = ['ask', 'drift', 'cascade', 'by-hand'] as const;
export type MoveNodes = (typeof MOVE_NODES)[number];

/** As `channel` where belay.yaml uses no Slack: messages stay in the run's history, where `belay logs` reads them. No channel is called so. */
export const NO_SLACK = '';

/** Do people hear of it in Slack, and decide there? */
export const isInSlack = (channel: string | undefined): channel is string => channel !== undefined && channel !== NO_SLACK;

export interface UpgradePolicy {
  cluster: ClusterRef;
  environment: string;
  /** Slack channel id or name, or NO_SLACK; undefined: none is named, and nothing is told. */
  channel?: string;
  /** Slack channel for those who only look on: told that a run has started, needs people, has finished. */
  stakeholders?: string;
  /** Who hears of the run beside Slack: a run keeps what it began with. Absent: nobody. */
  deliveries?: DeliveryTerms[];
  /** The run is of a campaign that tells exceptions alone (campaigns.NAME.notify). */
  quiet?: true;
  strategy?: NodeStrategy;
  /** Each hop must be able to be rolled back by itself: prefers every-hop. */
  rollbackEachHop: boolean;
  managedBy: {
    controlPlane: ManagedBy;
    nodeGroups: ManagedBy;
    addOns: ManagedBy;
    karpenter: ManagedBy;
    istio: ManagedBy;
  };
  approvals: ApprovalPolicy;
  /** As it was at the start; steps ask what belay.yaml says at their time. Absent: belay.yaml has none. */
  windows?: WindowPolicy;
  /** What steps are watched by. Absent without a Prometheus. */
  health?: HealthPolicy;
  /** Is the cluster's own state watched during the run? Absent where belay.yaml switches it off. */
  watch?: true;
  /** The environment that comes before this one. */
  after?: AfterEnvironment;
  /** Who is who on the command line. Absent: nobody is known there. */
  people?: People;
  /** The worker may run on the cluster itself. Absent: then no plan is made. */
  allowWorkerOnCluster?: true;
  /** Search attributes that Temporal's namespace lacked when the run began: it goes on without them. */
  missingSearchAttributes?: string[];
  timing: Timing;
  karpenter: {
    /** Budgets' `nodes` values, one after the other, before the original budgets come back. */
    paces: string[];
    /** Reasons that the freeze stops. */
    freezeReasons: string[];
    /** By which means. auto, as where absent: node by node where Flux, Argo CD or Terraform keeps the NodePool, else by budget. */
    freezeBy?: 'auto' | FreezeMean;
    /** Where managedBy is helm: locations of the charts, and the releases, where they are not what Karpenter's guide has. */
    chart?: string;
    crdChart?: string;
    release?: string;
    crdRelease?: string;
    /** Namespace of both releases. */
    releaseNamespace?: string;
    /** Labels and annotations that name the people behind a workload, the best first. */
    ownerKeys?: string[];
    /** Absent: all nodes at once, at the pace of the budgets. */
    waves?: NodeWaves;
    /** AMIs of node classes by their names, set once the control plane has moved: one alias, or ids. */
    amis?: Record<string, string[]>;
    /** Node classes are pinned to the images in use from the freeze to the roll: new nodes, too, stay at the version from before. */
    holdAmis?: boolean;
    /** NodePool as which one node is launched once a new controller runs, and removed again. Absent: none is. */
    canaryNode?: string;
    /** The AMI release that these clusters have baked becomes this one's pin, where `amis` names no other. */
    promoteFrom?: PromoteFrom;
    migration?: { moveNodes?: MoveNodes };
    /** NodePools that are pointed at another EC2NodeClass as soon as the freeze stands. */
    switchNodeClass?: { nodePool: string; to: string }[];
  };
  nodeGroups: {
    /** What happens to a Cluster Autoscaler while groups are moved. */
    clusterAutoscaler: 'pause' | 'leave';
    /** Who replaces the instances of Auto Scaling groups of one's own. */
    selfManaged: 'refresh' | 'ask';
    /** Share of such a group that stays in service. */
    minHealthyPercent?: number;
  };
  rollback: { fargate: FargateBackPolicy };
  /** `prices`: of an hour by instance type. `currency` absent: USD. */
  forecast?: { prices?: Record<string, number>; currency?: string };
  /** `logging`: control-plane logs that are switched on before the first hop. */
  controlPlane: { logging: ControlPlaneLog[] };
  istio: {
    moveBy: 'tag' | 'label';
    /** Share of namespaces per wave after the first single one; 1 is "the rest". */
    waves: number[];
    /** When gateways that name a revision or a tag themselves are moved. */
    gateways: 'first' | 'last';
    /** Helm chart location where managedBy is helm. */
    chart?: string;
  };
  /** Address of Temporal UI, for links. */
  temporalUi?: string;
}

export const NODE_STRATEGIES = ['every-hop', 'once-at-the-end'] as const;

export type NodeStrategy = (typeof NODE_STRATEGIES)[number];
