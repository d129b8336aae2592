/** What a step changes, in the words of the parts of a cluster: add-ons, Istio, charts, node classes. */
import type { DeliveredChart, GatewayFact, Deliverer, NodeAgentFact, UninjectedFact } from '../../facts/facts.ts';

export interface AddOnChange {
  name: string;
  from: string;
  to: string;
  managed: boolean;
}

/** istio-cni or ztunnel to another minor: in place, node by node, since there is no canary for them. */
export interface NodeAgentChange {
  kind: NodeAgentFact['kind'];
  namespace: string;
  daemonSet: string;
  from: string;
  /** Minor; any patch of it will do. */
  toMinor: string;
}

/** How a gateway comes to the revision of a canary. */
export interface GatewayMove {
  kind: GatewayFact['kind'];
  namespace: string;
  name: string;
  /** Index of its wave in `waves`. */
  wave: number;
  /**
   * relabel: it names the revision itself, and gets the new one; restart: the tag that it follows has moved; follows: namespace or tag move it,
   * it is verified; owner: its template names an image, whoever renders it is asked.
   */
  how: 'relabel' | 'restart' | 'follows' | 'owner';
  /** The tag that it follows, where that is moved. */
  tag?: string;
  /** istiod of the old revision takes its configuration away as soon as it changes hands (istio/istio#59959). */
  drops?: true;
}

/** Labels of Istio as they were: null means absent. */
export interface MeshLabels {
  namespace: string;
  injection: string | null;
  rev: string | null;
}

/** Label istio.io/rev of a gateway as it was: null means absent. */
export interface GatewayLabel {
  kind: GatewayFact['kind'];
  namespace: string;
  name: string;
  rev: string | null;
}

/** What is different where a canary takes a mesh back to the revision that it came from. */
export interface CanaryBack {
  /** Where Helm keeps the record of the retired revision, which is installed again from it; absent: its istiod runs. */
  release?: { namespace: string; name: string };
  /** Set when waves, tags and defaults are back, where they were others than istio.io/rev of the revision. */
  labels?: MeshLabels[];
  gateways?: GatewayLabel[];
  /** The newer revision was there before the run: it stays, and so do the defaults. */
  keeps?: true;
}

/** One canary: install a revision beside the old one, move namespaces in waves, retire the old one. */
export interface IstioCanary {
  fromRevision: string;
  fromVersion: string;
  /** e.g. "1-28" */
  toRevision: string;
  /** Minor, "1.28": any patch of it will do; `toVersion` names the newest known to the planner where known. */
  toMinor: string;
  toVersion?: string;
  /** Tags that point at fromRevision; moved with the first wave where moveBy is tag. */
  tags?: string[];
  /** Namespaces by wave, first wave first. The wave of gateways has those namespaces that hold nothing else; it may have none. */
  waves: string[][];
  /** Absent: none of this revision. */
  gateways?: GatewayMove[];
  /** In these waves, and left out of them: istiod gives them no proxy. */
  uninjected?: UninjectedFact[];
  /** How the old revision goes: after a bake, the defaults moved first, its stray webhooks swept. */
  /** `gate`: the bake before it has a gate, at which people may end it; absent: it is short, or the plan is older than that. */
  retire: { bakeMs: number; gate?: true };
  /** Before the canary: node agents that are so old that the new istiod would be two minors ahead of them. */
  agentsBefore?: NodeAgentChange[];
  /** After the old revision is retired: node agents follow the oldest istiod that is left. */
  agentsAfter?: NodeAgentChange[];
  /** Absent: to a newer version. */
  back?: CanaryBack;
}

/** How Belay itself brings a new version of a chart: by the helm binary, or through the objects of GitOps, CRDs first. */
export type Delivery = { kind: 'helm' } | { kind: 'gitops'; charts: DeliveredChart[] };

/** Objects of one tool of GitOps that deliver charts, in the order in which they are to be changed. */
export interface GitOpsDelivery {
  kind: DeliveredChart['kind'];
  charts: DeliveredChart[];
}

/** How an EC2NodeClass chooses AMIs, as in its amiSelectorTerms. */
export interface SelectorTerm {
  alias?: string;
  id?: string;
}

/** An edit of an EC2NodeClass whose AMIs do not move by themselves; made under the freeze, once the control plane has moved. */
export interface AmiMove {
  nodeClass: string;
  /** Pools that use it. */
  nodePools: string[];
  /** In words: "al2023@v20250403", "ami-1, ami-2". */
  before: string;
  terms: SelectorTerm[];
  /** Absent: stays as it is. null: there is none any more. */
  amiFamily?: string | null;
  why: string;
  /** Who has left marks on the object and is asked for the change; absent: Belay makes it. */
  owner?: Deliverer;
}

/** A node class for which there is no release to promote, and what it chooses instead. */
export interface Unpromoted {
  nodeClass: string;
  /** In words: "al2023@latest". */
  chooses: string;
  /** `unknown`: it could not be seen. */
  status: 'fail' | 'unknown';
  why: string;
}
