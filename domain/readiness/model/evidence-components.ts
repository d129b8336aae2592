/** What was seen of Karpenter, of Istio and of who delivers them. */
import type { IstioFact, KarpenterFact, ManagedBy, Deliverer, NodeClassFact, NodePoolFact } from '../../facts/facts.ts';

/** A NodePool beside what the planner knows of it. */
export interface NodePoolSeen extends NodePoolFact {
  /** Of spec.limits, and what status.resources has used of them. */
  limits: { resource: string; limit: string; used?: string }[];
}

export interface NodeClassSeen extends NodeClassFact {
  aliases: string[];
  /** amiSelectorTerms that are no alias: ids, names, tags, SSM parameters. */
  pinned: boolean;
  /** Names of status.amis: they say the minor they are built for. */
  amiNames: string[];
}

export interface KarpenterSeen extends Omit<KarpenterFact, 'nodePools' | 'nodeClasses'> {
  nodePools: NodePoolSeen[];
  nodeClasses: NodeClassSeen[];
  claims: { name: string; pool: string; createdAt: string; expireAfter?: string }[];
  /** Provisioners, AWSNodeTemplates, Machines: objects of before v1beta1. */
  oldObjects: { kind: string; name: string }[];
  /** Labels of the controller's Deployment. */
  labels: Record<string, string>;
  deliveredBy?: Deliverer;
}

export interface IstioSeen extends IstioFact {
  /** Namespaces with `istio-injection` and `istio.io/rev` at once. */
  doubled: string[];
  /** Namespaces whose label no webhook answers to; `selector` is the whole label ("istio.io/rev=prod"). */
  unanswered: { namespace: string; selector: string }[];
  /** Webhooks whose istiod is gone. */
  deadWebhooks: { configuration: string; service: string }[];
  /** istiod Deployments: replicas, and whether their budget lets one go. */
  istiods: { name: string; namespace: string; replicas: number; deliveredBy?: Deliverer }[];
  cniVersion?: string;
  ztunnelVersion?: string;
  /** Routes and configuration with label istio.io/rev: istiod of that very revision reads them, and no other. */
  bound: { kind: string; namespace: string; name: string; revision: string }[];
  /** EnvoyFilters whose patches apply to some versions of the proxy only, by `match.proxy.proxyVersion`. */
  versionedFilters: { namespace: string; name: string; proxyVersions: string[] }[];
}

/** An object of Flux or Argo CD that delivers a chart. */
export interface GitOpsSeen {
  kind: string;
  namespace: string;
  name: string;
  chart: string;
  /** As written: "1.6.2", "1.x", "*". */
  version: string;
  /** A range that may move by itself. */
  range: boolean;
  by: Extract<ManagedBy, 'flux' | 'argocd'>;
}
