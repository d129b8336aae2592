/** EC2 instances behind the world's nodes. */
import { createHash } from 'node:crypto';
import { type Ami, amiById } from './eks/nodes/amis.ts';
import type { KubeObject } from '../kubernetes/store.ts';
import type { World } from '../world/world.ts';

export interface Instance {
  id: string;
  type: string;
  zone: string;
  subnetId: string;
  imageId: string;
  architecture: string;
  vcpus: number;
  spot: boolean;
  address: string;
  node: string;
  nodeGroup: string | undefined;
  nodePool: string | undefined;
  /** One's own. */
  autoScalingGroup: string | undefined;
  launched: Date;
}

/** As eksctl labels the nodes of groups that EKS does not manage. */
export const OWN_GROUP = 'alpha.eksctl.io/nodegroup-name';

/** One of each node that EC2 knows; Fargate's and hybrid nodes have no providerID of that kind. */
export function instancesOf(world: World): Instance[] {
  const images = new Map(
    world.store.list('nodeclaims').map((claim) => [String(claim.status?.nodeName), String(claim.status?.imageID ?? '')]),
  );
  // Thousands of nodes have a few images.
  const amis = new Map<string, Ami | undefined>();
  const amiOf = (id: string): Ami | undefined => {
    if (!amis.has(id)) amis.set(id, amiById(id, world.eks.images));
    return amis.get(id);
  };
  return world.store.list('nodes').flatMap((node) => instanceOf(world, node, images, amiOf));
}

/** The group of one's own that a node belongs to, by its label or as its instance is one of the group's. */
export function ownGroupOf({ eks }: World, node: KubeObject): string | undefined {
  const id = /i-[0-9a-f]+$/.exec(String(node.spec?.providerID ?? ''))?.[0] ?? '';
  const group = eks.network.autoScalingGroups.find(({ instances }) => instances?.includes(id) === true);
  return group?.name ?? node.metadata.labels?.[OWN_GROUP];
}

function instanceOf(world: World, node: KubeObject, images: Map<string, string>, amiOf: (imageId: string) => Ami | undefined): Instance[] {
  const [, zone = '', id = ''] = /^aws:\/\/\/([^/]+)\/(i-[0-9a-f]+)$/.exec(String(node.spec?.providerID ?? '')) ?? [];
  if (id === '') return [];
  const { name, labels = {} } = node.metadata;
  const imageId = labels['eks.amazonaws.com/nodegroup-image'] ?? images.get(name) ?? '';
  const subnets = world.eks.network.subnets;
  const address = (node.status?.addresses ?? []).find(({ type }: { type: string }) => type === 'InternalIP')?.address;
  return [
    {
      id,
      type: labels['node.kubernetes.io/instance-type'] ?? 'm6i.xlarge',
      zone,
      subnetId: (subnets.find((s) => s.zone === zone) ?? subnets[0])?.id ?? '',
      imageId,
      architecture: amiOf(imageId)?.arch ?? 'x86_64',
      vcpus: Number(node.status?.capacity?.cpu ?? 4),
      spot: (labels['karpenter.sh/capacity-type'] ?? labels['eks.amazonaws.com/capacityType'])?.toLowerCase() === 'spot',
      address: String(address ?? ''),
      node: name,
      nodeGroup: labels['eks.amazonaws.com/nodegroup'],
      nodePool: labels['karpenter.sh/nodepool'],
      autoScalingGroup: ownGroupOf(world, node),
      launched: new Date(node.metadata.creationTimestamp ?? 0),
    },
  ];
}

/** An id such as vol-0…, the same for the same text in every run. */
export const idOf = (prefix: string, text: string): string => `${prefix}-0${createHash('sha1').update(text).digest('hex').slice(0, 16)}`;
