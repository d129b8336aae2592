/** AWS's side of a scenario's cluster, and what EKS puts into kube-system. */
import { familyOf, latestAmi, releaseVersionOf } from '../../aws/eks/nodes/amis.ts';
import { ADD_ON_PARTS, specOf } from '../../controllers/add-on-workloads.ts';
import { launchGroupNode } from '../../controllers/group-nodes.ts';
import type { EksNodeGroup } from '../../aws/eks/state.ts';
import type { World } from '../../world/world.ts';

const CRITICAL_ONLY = { key: 'CriticalAddonsOnly', value: 'true', effect: 'NO_SCHEDULE' };

/** A managed node group with its nodes Ready. `dedicated`: only pods that tolerate CriticalAddonsOnly run there, as for Karpenter's own group. `over`: what is unusual about it. */
export function addNodeGroup(
  world: World,
  { over = {}, ...options }: { name: string; size: number; dedicated?: boolean; over?: Partial<EksNodeGroup> },
): void {
  const { version } = world.eks.cluster;
  const { amiType = 'AL2023_x86_64_STANDARD' } = over;
  const ami = latestAmi(familyOf(amiType), version, world.clock.now());
  if (ami === undefined) throw new Error(`no ${amiType} image for ${version} at this scenario's date`);
  const group: EksNodeGroup = {
    name: options.name,
    version,
    releaseVersion: releaseVersionOf(ami),
    amiType,
    status: 'ACTIVE',
    desiredSize: options.size,
    minSize: 1,
    maxSize: options.size + 7,
    maxUnavailable: 1,
    labels: {},
    taints: options.dedicated ? [CRITICAL_ONLY] : [],
    health: [],
    createdAtMs: world.eks.cluster.createdAtMs,
    ...over,
  };
  world.eks.nodeGroups.push(group);
  for (let index = 0; index < options.size; index += 1) launchGroupNode(world, group, ami, true);
}

/** An EKS add-on with its workloads in kube-system. `role`: name of the IAM role of its service account (IRSA). */
export function addAddOn(world: World, name: string, version: string, role?: string): void {
  const { account, createdAtMs } = world.eks.cluster;
  const irsa = role === undefined ? {} : { serviceAccountRoleArn: `arn:aws:iam::${account}:role/${role}` };
  world.eks.addOns.push({ name, version, status: 'ACTIVE', health: [], createdAtMs, ...irsa });
  for (const part of ADD_ON_PARTS[name] ?? []) {
    const labels = { 'k8s-app': part.app ?? part.name };
    world.store.create(part.plural, {
      apiVersion: 'apps/v1',
      kind: part.plural === 'daemonsets' ? 'DaemonSet' : 'Deployment',
      metadata: { name: part.name, namespace: 'kube-system', labels },
      spec: specOf(world, part, version),
    });
    if (part.plural === 'deployments') addBudget(world, { namespace: 'kube-system', name: part.name, labels, spec: { maxUnavailable: 1 } });
  }
}

export function addBudget(
  world: World,
  options: { namespace: string; name: string; labels: Record<string, string>; spec: Record<string, unknown> },
): void {
  world.store.create('poddisruptionbudgets', {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: options.name, namespace: options.namespace, labels: options.labels },
    spec: { ...options.spec, selector: { matchLabels: options.labels } },
  });
}
