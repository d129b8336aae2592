/** What other clusters' Karpenter nodes run, and since when: the evidence for promoting their AMI release. Reads only. */
import { aliasFamilyOf, parseAlias, readImageName } from '../../../domain/facts/ami-names.ts';
import type { PromoteFrom } from '../../../domain/policy/ami-promotion.ts';
import { aliasBeforeHold, aliasOf } from '../../karpenter/amis/hold-amis.ts';
import { EC2_NODE_CLASSES, ec2ClassOf, NODE_CLAIMS } from '../../karpenter/objects/node-pools.ts';
import { listServed } from '../../kubernetes/objects/lists.ts';
import type { NodeClaim, NodeClass } from '../../clients/kubernetes/objects.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { see, type OnTransient } from '../../runtime/see.ts';
import type { PromotionSource, RunningRelease } from '../../../domain/facts/facts.ts';

/** One after the other: there are few, and this is a plan. A cluster that cannot be read is a source that says why. */
export async function readPromotion(
  { clusterPorts }: Pick<KubernetesDeps, 'clusterPorts'>,
  { clusters }: PromoteFrom,
  onTransient: OnTransient,
): Promise<PromotionSource[]> {
  const sources: PromotionSource[] = [];
  for (const cluster of clusters) {
    const doing = `reading the AMIs of ${cluster.name}`;
    const seen = await see(doing, async () => await readSource(cluster.name, (await clusterPorts(cluster)).kubernetes), onTransient);
    sources.push(seen.ok ? seen.value : { cluster: cluster.name, releases: [], unknown: [], unseen: seen.unseen.why, readAt: '' });
  }
  return sources;
}

async function readSource(cluster: string, port: KubernetesPort): Promise<PromotionSource> {
  const classes = await listServed<NodeClass>(port, EC2_NODE_CLASSES);
  const claims = await listServed<NodeClaim>(port, NODE_CLAIMS);
  const classOf = new Map(classes.map((nodeClass) => [nodeClass.metadata.name, nodeClass]));
  const releases = new Map<string, RunningRelease>();
  const unknown = new Map<string, number>();
  for (const claim of claims) {
    const { status, metadata } = claim;
    const image = status?.imageID;
    if (image === undefined || image === '' || metadata.deletionTimestamp !== undefined) continue;
    const nodeClass = classOf.get(ec2ClassOf(claim) ?? '');
    const chosen = readImageName(nodeClass?.status?.amis?.find(({ id }) => id === image)?.name ?? '');
    const family = chosen?.family ?? familyOf(nodeClass);
    const bornAt = metadata.creationTimestamp;
    // Images of others belong to no release of Amazon's.
    if (family === undefined) continue;
    if (chosen === undefined || bornAt === undefined) unknown.set(family, (unknown.get(family) ?? 0) + 1);
    else add(releases, chosen, bornAt);
  }
  return {
    cluster,
    releases: [...releases.values()],
    unknown: [...unknown].map(([family, nodeCount]) => ({ family, nodeCount })),
    readAt: port.serverDate() ?? new Date().toISOString(),
  };
}

function add(
  releases: Map<string, RunningRelease>,
  { family, release, minor }: { family: string; release: string; minor: string },
  bornAt: string,
) {
  const key = `${family}@${release}`;
  const known = releases.get(key) ?? { family, release, minors: [], nodeCount: 0, firstAt: bornAt, lastAt: bornAt };
  releases.set(key, {
    ...known,
    minors: [...new Set([...known.minors, minor])],
    nodeCount: known.nodeCount + 1,
    firstAt: bornAt < known.firstAt ? bornAt : known.firstAt,
    lastAt: bornAt > known.lastAt ? bornAt : known.lastAt,
  });
}

function familyOf(nodeClass: NodeClass | undefined): string | undefined {
  if (nodeClass === undefined) return undefined;
  const alias = aliasOf(nodeClass.spec?.amiSelectorTerms) ?? aliasBeforeHold(nodeClass);
  return parseAlias(alias ?? '')?.family ?? aliasFamilyOf(nodeClass.spec?.amiFamily ?? '');
}
