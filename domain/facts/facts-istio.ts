/** What inspection reads about Istio. */
import type { DeliveredChart } from './facts-delivery.ts';

export interface IstioRevisionFact {
  /** "1-26" or "default". */
  revision: string;
  /** "1.26.2" from istiod's image tag. */
  version: string;
  namespace: string;
  ready: boolean;
}

export interface MeshNamespaceFact {
  name: string;
  /** How the namespace selects its injector. */
  mode: 'revision' | 'tag' | 'injection-label';
  /** The label's value: a revision or a tag; "default" for istio-injection=enabled. */
  selector: string;
  /** The revision behind the selector. */
  revision: string;
  /** Whatever of it is in the mesh is a gateway: it moves with them. */
  gatewaysOnly?: true;
  /** Requests per second by Prometheus; undefined where Prometheus cannot tell. */
  requestsPerSecond?: number;
}

export const NODE_AGENTS = ['istio-cni', 'ztunnel'] as const;

/** What of Istio runs on every node, as a DaemonSet. */
export interface NodeAgentFact {
  kind: (typeof NODE_AGENTS)[number];
  namespace: string;
  daemonSet: string;
  /** "1.27.3" from its image's tag. */
  version: string;
}

export const GATEWAY_KINDS = ['Deployment', 'DaemonSet', 'Gateway'] as const;

/** A proxy with a Service of its own: where traffic enters or leaves the mesh, or a waypoint of ambient mode. */
export interface GatewayFact {
  /** What names its revision: the workload that is injected, or a Gateway of the Gateway API, whose Deployment istiod makes. */
  kind: (typeof GATEWAY_KINDS)[number];
  namespace: string;
  name: string;
  /** GatewayClass of a Gateway. */
  className?: string;
  /**
   * What decides its revision: label istio.io/rev of its own (of a workload: of its template), its namespace, or the default revision;
   * `image`: it is not injected, its template names a proxy image, and only what renders it can move it.
   */
  by: 'own-label' | 'namespace' | 'default' | 'image';
  /** Revision or tag; "default" for istio-injection=enabled and where nothing is said. */
  selector: string;
  /** The revision behind the selector. */
  revision: string;
  replicas: number;
  /** Labels of its pods, as far as a budget may select them. */
  podLabels?: Record<string, string>;
  /** Who would put an edit back ("Argo CD"): its owner is asked instead. */
  keptBy?: string;
}

/** A workload or gateway whose own label chooses its revision. */
export interface OwnChoiceFact {
  kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'Gateway';
  namespace: string;
  name: string;
  /** The whole label: "istio.io/rev=prod", "sidecar.istio.io/inject=true". */
  label: string;
  /** The revision behind it; absent: there is none, and its next pods start without a proxy. */
  revision?: string;
}

/** A workload in a namespace of the mesh whose pods run without a proxy, although its template does not decline one. */
export interface UninjectedFact {
  /** A Deployment stands for an Argo Rollout as well. */
  kind: 'Deployment' | 'StatefulSet' | 'DaemonSet';
  namespace: string;
  name: string;
}

export interface IstioFact {
  revisions: IstioRevisionFact[];
  tags: { tag: string; revision: string }[];
  namespaces: MeshNamespaceFact[];
  /** istio-cni or ztunnel DaemonSets exist: two-minor jumps are not allowed. */
  hasCniOrZtunnel: boolean;
  /** Can Prometheus judge traffic? `blind`: it cannot be asked, or has no series of proxies. undefined: not read. */
  prometheus?: 'none' | 'blind' | 'sees';
  /** Those whose version can be read. */
  nodeAgents?: NodeAgentFact[];
  /** PodDisruptionBudgets ("istio-system/istiod") of istiods with one replica, which a run gives a second one while nodes move. */
  loneBudgets?: string[];
  /** Namespaces whose traffic goes through ztunnel (istio.io/dataplane-mode=ambient). */
  ambient?: string[];
  /** undefined: not read. */
  gateways?: GatewayFact[];
  /** Gateways that choose a revision that is not there. */
  lostGateways?: OwnChoiceFact[];
  /** Workloads that are no gateways and choose for themselves, in namespaces that choose nothing: no wave moves them. */
  ownChoice?: OwnChoiceFact[];
  /** Only a plan asks for them. */
  uninjected?: UninjectedFact[];
  /** What Flux and Argo CD deliver of it, istio-base first; absent: neither delivers any of it, or it could not be read. */
  deliveredCharts?: DeliveredChart[];
}

/** Revisions that serve a namespace, a gateway or a workload; where nothing is served that way, as in an ambient mesh, every one. */
export function revisionsInUse({ revisions, namespaces, gateways = [], ownChoice = [] }: IstioFact): IstioRevisionFact[] {
  const used = revisions.filter(({ revision }) => [...namespaces, ...gateways, ...ownChoice].some((each) => each.revision === revision));
  return used.length === 0 ? revisions : used;
}
