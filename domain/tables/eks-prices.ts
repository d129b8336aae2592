/**
 * What a control plane costs, USD per cluster and hour, at list price: https://aws.amazon.com/eks/pricing/ and
 * https://aws.amazon.com/blogs/containers/amazon-eks-extended-support-for-kubernetes-versions-pricing/.
 */
export const STANDARD_USD_PER_HOUR = 0.1;
export const EXTENDED_USD_PER_HOUR = 0.6;
/** What extended support adds. */
export const EXTRA_USD_PER_HOUR = EXTENDED_USD_PER_HOUR - STANDARD_USD_PER_HOUR;

/** From when AWS charges it, in ms: the first moment (UTC) of the day on which standard support ends (EKS user guide, "Amazon EKS Kubernetes release calendar"). */
export const chargedFromMs = (endOfStandardSupport: string): number => Date.parse(endOfStandardSupport);
