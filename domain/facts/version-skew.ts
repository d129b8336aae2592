/** How far kubelets and kube-proxy may lag behind the API server. */
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
