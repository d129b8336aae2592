/** What a way back is planned from, beside the facts of every plan. */
import type { Insight } from '../../readiness/model/evidence.ts';
import type { NewerApi } from '../../facts/newer-apis.ts';
import type { WayBack } from '../../facts/rollback-window.ts';
import type { ClusterFacts } from '../../facts/facts.ts';
import type { KubernetesVersion } from '../../core/version.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import type { PhaseId } from '../../core/phases.ts';

export interface SeenForBack {
  back: WayBack;
  /** EKS's own judgement, refreshed; a text: why it could not be read. Absent: not asked, since a refresh takes minutes; the first step asks. */
  insights?: Pick<Insight, 'name' | 'category' | 'status' | 'reason' | 'recommendation'>[] | string;
  /** What is newer on Fargate; a text: why it could not be read. Absent: no node of Fargate is newer. */
  fargate?: FargateBack | string;
  /** What is kept in the APIs that only the newer minor has. Absent: nobody has looked. */
  newerApis?: NewerApiSeen[];
}

export interface NewerApiSeen {
  api: NewerApi;
  /** A text: why they could not be listed. */
  objects: NewerObject[] | string;
}

export interface NewerObject {
  name: string;
  namespace?: string;
  /** By managedFields: each who wrote it, and in which version ("v1"). */
  writers: { manager: string; version: string }[];
}

export interface RollbackContext {
  facts: ClusterFacts;
  seen: SeenForBack;
  backTo: KubernetesVersion;
  policy: Pick<UpgradePolicy, 'managedBy' | 'rollback' | 'nodeGroups'>;
  /** Phases that are still to come: what they bring in order stands in nobody's way. */
  later: readonly PhaseId[];
}

export interface FargateWorkload {
  kind: 'Deployment' | 'StatefulSet';
  namespace: string;
  name: string;
  replicas: number;
  /** HorizontalPodAutoscaler, which stands still while there are no replicas. */
  autoscaler?: string;
  /** Who may start it again meanwhile: "Argo CD". */
  keptBy?: string;
}

/** What runs on Fargate and is newer. */
export interface FargateBack {
  podCount: number;
  workloads: FargateWorkload[];
  /** What Belay does not stop, why, and what people can do. */
  stuck: { workload: string; why: string }[];
  /** Cluster DNS is among the workloads. */
  dns: boolean;
  /** "batch/nightly": may start pods meanwhile. */
  cronJobs: string[];
  /** "batch/worker": PodDisruptionBudgets, which hold back an eviction and not this. */
  budgets: string[];
}
