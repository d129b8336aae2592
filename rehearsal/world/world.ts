/** The twin's world: one object that servers, controllers and scenarios share. */
import type { EksState } from '../aws/eks/state.ts';
import type { ObjectStore } from '../kubernetes/store.ts';
import type { Monitoring } from '../neighbours/prometheus/monitoring.ts';
import type { WorldClock } from './clock.ts';
import type { FaultBoard } from './faults.ts';
import type { Journal } from './journal.ts';

/** Knobs of the world's behaviour, in world milliseconds. Scenarios change one thing. */
export interface WorldTempo {
  controlPlaneUpdateMs: number;
  /** How long after UpdateClusterVersion the API server already answers with the new minor (seeds/000: before EKS says Successful). */
  apiServerMovesAfterMs: number;
  /** How long connections drop while the API server moves. */
  apiServerDropsMs: number;
  addOnUpdateMs: number;
  nodeLaunchMs: number;
  nodeDrainMs: number;
  karpenterLoopMs: number;
  podStartMs: number;
  /** By NodePool, where it was measured: from launch to Ready. */
  pools?: Record<string, { nodeLaunchMs: number }>;
  /** By "Deployment shop/web", where it was measured: from a node to Ready, and the time that its containers take to end. */
  workloads?: Record<string, { podStartMs?: number; podStopMs?: number }>;
  insightsRefreshMs: number;
}

/** A kind of instance, as kubelets of a loaded cluster describe it. */
export interface MachineKind {
  /** Those that all nodes of the kind have: instance type, architecture, what Karpenter says of the type. */
  labels: Record<string, string>;
  capacity: Record<string, string>;
  allocatable: Record<string, string>;
}

/** What instances a loaded cluster has. */
export interface Machines {
  /** Smallest first. */
  kinds: MachineKind[];
  /** By NodePool and by managed node group, the most used first. */
  pools: Record<string, MachineKind[]>;
  groups: Record<string, MachineKind[]>;
  zones: string[];
}

export interface World {
  /** What goes wrong in this world, and when. */
  faults: FaultBoard;
  clock: WorldClock;
  journal: Journal;
  store: ObjectStore;
  eks: EksState;
  tempo: WorldTempo;
  /** Kubernetes is real: its own controllers write what budgets allow, and the store has only some of its types. */
  realParts?: true;
  /** Of a cluster that was loaded; absent: all instances are alike. */
  machines?: Machines;
  /** Absent: a Prometheus of its own, and nothing silenced. */
  monitoring?: Monitoring;
  /** Minor that the Kubernetes API server answers with now, e.g. "1.32"; may run ahead of EKS. */
  apiServerVersion(): string;
  /** Does the API server drop connections at this moment? */
  apiServerDown(): boolean;
}

/** A behaviour that runs in world time until stopped. One file each under controllers/. */
export interface Controller {
  name: string;
  /** Called every `everyMs` world milliseconds (not under 20 ms wall). Must not throw for transient. */
  everyMs: number;
  tick(world: World): void;
}
