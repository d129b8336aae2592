/** The steps between Karpenter's APIs, and how texts are told that speak of an older one. */

export type Step = 'v1beta1' | 'v1';

/** Names that a manifest of the older API has somewhere. */
export const OLD_NAMES: Record<Step, RegExp> = {
  v1beta1: /karpenter\.sh\/v1alpha5|karpenter\.k8s\.aws\/v1alpha1|karpenter\.sh\/(?:do-not-evict|do-not-consolidate|provisioner-name)/,
  v1: /karpenter(?:\.k8s\.aws|\.sh)\/(?:v1beta1|do-not-evict|do-not-consolidate|disruption\b)/,
};
