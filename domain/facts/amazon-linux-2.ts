/** Amazon Linux 2: who uses it, and the minor that has no images of it any more. */
import type { NodeClassFact, NodeGroupFact } from './facts.ts';
import type { KubernetesVersion } from '../core/version.ts';
import { aliasOf } from './node-classes.ts';

/** The first minor for which EKS publishes no Amazon Linux 2 AMI (EKS user guide, "AL2 AMI deprecation"). */
export const FIRST_WITHOUT_AL2: KubernetesVersion = { major: 1, minor: 33 };

/** From the last minor with images on people are told; after it nothing can be replaced. */
export const AL2_SEVERITY = [
  { from: '1.32', severity: 'recommended' },
  { from: '1.33', severity: 'required' },
] as const;

export const isAl2Alias = (alias: string): boolean => alias.startsWith('al2@');

export function isAl2Group(group: NodeGroupFact): boolean {
  return group.amiType.startsWith('AL2_');
}

/** "amazon-eks-node-1.32-v20250601", "amazon-eks-arm64-node-1.32-v20250601", "ours-amzn2-1.32". */
const AL2_IMAGE = /^amazon-eks-(?:arm64-|gpu-)?node-\d|(?:^|[^a-z0-9])(?:al2|amzn2|amazon-linux-2)(?![a-z0-9])/i;

/**
 * amiFamily AL2 with images of one's own says how they boot, and not what they are: since Karpenter v1 has no family for Ubuntu, Ubuntu's images are
 * chosen so (karpenter.sh, "v1 Migration"; EC2NodeClass, spec.amiSelectorTerms). Their names may say. undefined: they do not.
 */
export function areAl2Images(names: readonly string[]): boolean | undefined {
  if (names.some((name) => AL2_IMAGE.test(name))) return true;
  return names.length > 0 && names.every((name) => /ubuntu/i.test(name)) ? false : undefined;
}

/** By alias, an earlier run's hold included. */
export function isAl2Class(nodeClass: NodeClassFact): boolean {
  const alias = aliasOf(nodeClass);
  return alias !== undefined && isAl2Alias(alias);
}
