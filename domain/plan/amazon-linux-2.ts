/** Amazon Linux 2: who uses it, and the minor that has no images of it any more. */
import type { NodeClassFact, NodeGroupFact } from '../facts.ts';
import type { KubernetesVersion } from '../version.ts';
import { aliasOf } from './nodes.ts';

/** The first minor for which EKS publishes no Amazon Linux 2 AMI (EKS user guide, "AL2 AMI deprecation"). */
export const FIRST_WITHOUT_AL2: KubernetesVersion = { major: 1, minor: 33 };

export function isAl2Group(group: NodeGroupFact): boolean {
  return group.amiType.startsWith('AL2_');
}

/** By alias, an earlier run's hold included. */
export function isAl2Class(nodeClass: NodeClassFact): boolean {
  return aliasOf(nodeClass)?.startsWith('al2@') === true;
}
