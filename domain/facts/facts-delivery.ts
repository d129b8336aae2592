/** Who delivers what stands in a cluster, and by which objects. */
export type ManagedBy = 'eks' | 'helm' | 'flux' | 'argocd' | 'terraform' | 'manual';

/** Who left marks on an object. Helm's own are also what Terraform's helm_release leaves. */
export type Deliverer = Extract<ManagedBy, 'flux' | 'argocd' | 'helm' | 'terraform'>;

/** A chart that GitOps delivers, and the object that says its version. */
export interface DeliveredChart {
  kind: 'HelmRelease' | 'Application';
  namespace: string;
  name: string;
  /** "karpenter", "karpenter-crd" */
  chart: string;
  /** As written: a version, a tag or a range. */
  version: string;
  /** The OCIRepository in which the version is written; absent: in the object itself. */
  repository?: { namespace: string; name: string };
  /** What would put a change of the object back, e.g. "Kustomization flux-system/platform"; absent: nobody. */
  owner?: string;
}
