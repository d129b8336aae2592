/** Which nodes are to be replaced: by their kubelet's minor, or by the image that their node class would launch today. */
import { listServed } from '../../kubernetes/objects/lists.ts';
import type { ClusterNode, NodeClaim, NodeClass } from '../../clients/kubernetes/objects.ts';
import { kubeletMinor } from '../../kubernetes/objects/kubelet-versions.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { EC2_NODE_CLASSES, ec2ClassOf } from '../objects/node-pools.ts';

/** `byImage`: EC2NodeClasses whose images change while the minor may stay. A node without a NodeClaim, or of another class, is told by its kubelet. */
export async function readIsOld(
  port: KubernetesPort,
  { to, byImage = [], claims }: { to: string; byImage?: readonly string[]; claims: readonly NodeClaim[] },
): Promise<(node: ClusterNode) => boolean> {
  if (byImage.length === 0) return (node) => kubeletMinor(node) !== to;
  const classes = await listServed<NodeClass>(port, EC2_NODE_CLASSES);
  const selected = new Map(
    classes
      .filter(({ metadata }) => byImage.includes(metadata.name))
      .map(({ metadata, status }) => [metadata.name, new Set((status?.amis ?? []).flatMap(({ id }) => id ?? []))]),
  );
  const claimOf = new Map(claims.map((claim) => [claim.status?.nodeName, claim]));
  return (node) => {
    const claim = claimOf.get(node.metadata.name);
    const images = claim === undefined ? undefined : selected.get(ec2ClassOf(claim) ?? '');
    return images === undefined ? kubeletMinor(node) !== to : !images.has(claim?.status?.imageID ?? '');
  };
}
