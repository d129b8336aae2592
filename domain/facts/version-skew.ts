/** How far kubelets and kube-proxy may lag behind the API server, and which of them do. */
import { type KubernetesVersion, minorDistance } from '../core/version.ts';

/**
 * Minors that a kubelet or kube-proxy of this minor may lag behind the API server: three, two below 1.25
 * (Kubernetes version skew policy).
 */
export function allowedSkew(component: KubernetesVersion): number {
  return component.minor >= 25 ? 3 : 2;
}

/** Would this component lag too far behind a control plane at `apiServer`? */
export function lagsTooFar(component: KubernetesVersion, apiServer: KubernetesVersion): boolean {
  return minorDistance(component, apiServer) > allowedSkew(component);
}

/** Minors of a cluster as they are now: "unknown" where one could not be told. */
export interface SkewSeen {
  controlPlane: string;
  /** EKS is updating the control plane. */
  updating: boolean;
  /** How many nodes are at each kubelet minor. */
  nodes: Record<string, number>;
  /** Of Karpenter's nodes alone: only they wait for the freeze. */
  karpenterNodes?: Record<string, number>;
}

/** Karpenter's nodes that are not at `minor`; of all nodes where nobody told them apart. */
export function nodesNotAt(
  minor: string,
  { nodes, karpenterNodes = nodes }: SkewSeen,
): { count: number; byMinor: [minor: string, count: number][] } {
  const byMinor = Object.entries(karpenterNodes).filter(([own, count]) => own !== minor && count > 0);
  return { count: byMinor.reduce((sum, [, count]) => sum + count, 0), byMinor };
}
