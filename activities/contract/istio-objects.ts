/** What activities on Istio are given and what they answer. */
import type { GatewayMove } from '../../domain/plan/model/changes.ts';
import type { DeliveredChart, Deliverer } from '../../domain/facts/facts.ts';
import type { TrafficReading } from '../../domain/health/mesh/wave-health.ts';
import type { ConnectedReading } from '../../domain/health/mesh/wave-connections.ts';
import type { AnalysisReading } from '../../domain/health/mesh/istioctl-analysis.ts';
import type { ValueEdit } from './delivery.ts';

export interface WaveBefore {
  namespace: string;
  /** Labels as they were: null means absent. */
  injection: string | null;
  rev: string | null;
}

/** A revision tag or the default validator whose owner would put a patch back: its owner is asked. */
export interface HeldPointer {
  /** Absent: the default validator. */
  tag?: string;
  /** "tag prod (MutatingWebhookConfiguration istio-revision-tag-prod)" */
  what: string;
  /** "Argo CD" */
  by: string;
}

/** What tells gateways apart. */
export type GatewayRef = Pick<GatewayMove, 'kind' | 'namespace' | 'name'>;

/** A gateway before it moves: its label for the way back, and what must be as before afterwards. Small. */
export interface GatewayBefore extends GatewayRef {
  how: GatewayMove['how'];
  /** Label istio.io/rev of the Gateway, or of the workload's template. */
  rev: string | null;
  services: GatewayService[];
  /** Condition of a Gateway. */
  programmed?: true;
}

export interface GatewayService {
  name: string;
  /** Host names and addresses of its load balancer. */
  addresses: string[];
  readyCount: number;
}

/** A gateway that only its owner moves. */
export interface HeldGateway {
  gateway: GatewayRef;
  /** "Deployment istio-ingress/ingress" */
  what: string;
  /** "Argo CD", or why else Belay does not edit it. */
  by: string;
}

/** A namespace whose labels of Istio are declared elsewhere: `by` would put a patch back. */
export interface HeldLabels {
  namespace: string;
  by: string;
}

/** A set whose pods change only when they are deleted. */
export interface OnDeleteSet {
  kind: 'StatefulSet' | 'DaemonSet';
  namespace: string;
  name: string;
}

/** A pod without a controller: nothing brings it back. */
export interface NakedPod {
  namespace: string;
  name: string;
  uid: string;
}

/** istiod with one replica, whose budget lets it not go. */
export interface LoneIstiod {
  namespace: string;
  deployment: string;
  /** Name of its PodDisruptionBudget. */
  budget: string;
  /** The HorizontalPodAutoscaler that sets its replicas. */
  autoscaler?: string;
  /** Who keeps the replicas as they are declared elsewhere, and is asked; absent: Belay sets them. */
  owner?: Exclude<Deliverer, 'helm'>;
}

export interface RestartResult {
  restarted: number;
  /** The first few. */
  skipped: { workload: string; why: string }[];
  /** What only a deletion moves; absent: nothing. */
  byHand?: { sets: OnDeleteSet[]; pods: NakedPod[] };
  notes?: string[];
  /** Nothing was done: the labels of these have to be changed where they are declared. */
  heldLabels?: HeldLabels[];
}

/** How a wave's namespaces are before their move. */
export interface WaveBaseline {
  before: TrafficReading;
  connected: ConnectedReading;
  /** By istioctl; absent: there is none. */
  analysis?: AnalysisReading;
  /** The namespaces as `readWave` reads them, where they were asked for. */
  labels?: WaveBefore[];
}

/** What Flux or Argo CD deliver of a canary, and what would be made of it. */
export interface IstioDelivery {
  /** Absent: nothing of GitOps delivers istio-base. `values`: what has to change beside the version; `changes`: that in words; `ahead`: newer already. */
  base?: { chart: DeliveredChart; values: ValueEdit[]; changes: string[]; ahead?: true };
  /** Of the old revision; absent: nothing of GitOps delivers it, or not by itself. */
  old?: DeliveredChart;
  /** Of the new one. `owner`: who keeps the old object as in Git, so that the new one has to be added there. `manifest`: without what may be secret. */
  fresh?: { chart: DeliveredChart; changes: string[]; manifest: string; withheld: boolean; owner?: string };
  /** Why Belay may not copy the old object. */
  cannot?: string;
  /** The new revision is delivered already. */
  done?: true;
}
