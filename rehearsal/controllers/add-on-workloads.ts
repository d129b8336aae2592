/** What each add-on runs in kube-system, how EKS applies it, and which of its fields somebody else has changed. */
import type { EksAddOn } from '../aws/eks/state.ts';
import { equalJson, isObject } from '../kubernetes/json.ts';
import type { KubeObject } from '../kubernetes/store.ts';
import { paramOf } from '../world/api-server.ts';
import type { World } from '../world/world.ts';

export interface Part {
  plural: 'daemonsets' | 'deployments';
  name: string;
  container: string;
  repository: string;
  /** Value of its label k8s-app, where that is not its name. */
  app?: string;
  /** kube-proxy's tags carry the image flavour between version and build. */
  tag?: (version: string) => string;
}

/** All in kube-system. */
export const ADD_ON_PARTS: Record<string, readonly Part[]> = {
  'vpc-cni': [{ plural: 'daemonsets', name: 'aws-node', container: 'aws-node', repository: 'amazon-k8s-cni' }],
  'kube-proxy': [
    {
      plural: 'daemonsets',
      name: 'kube-proxy',
      container: 'kube-proxy',
      repository: 'eks/kube-proxy',
      tag: (version) => version.replace('-eksbuild', '-minimal-eksbuild'),
    },
  ],
  coredns: [{ plural: 'deployments', name: 'coredns', container: 'coredns', repository: 'eks/coredns', app: 'kube-dns' }],
  'aws-ebs-csi-driver': [
    { plural: 'daemonsets', name: 'ebs-csi-node', container: 'ebs-plugin', repository: 'eks/aws-ebs-csi-driver' },
    { plural: 'deployments', name: 'ebs-csi-controller', container: 'ebs-plugin', repository: 'eks/aws-ebs-csi-driver' },
  ],
};

export function imageOf(world: World, part: Part, version: string): string {
  return `602401143452.dkr.ecr.${world.eks.cluster.region}.amazonaws.com/${part.repository}:${part.tag?.(version) ?? version}`;
}

/** As the manifests of aws-node and kube-proxy have it: no DaemonSet runs on Fargate. */
const NOT_ON_FARGATE = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'eks.amazonaws.com/compute-type', operator: 'NotIn', values: ['fargate'] }] }],
    },
  },
};

/** The spec that EKS applies for a part. */
export function specOf(world: World, part: Part, version: string): KubeObject['spec'] {
  const labels = { 'k8s-app': part.app ?? part.name };
  const daemon = part.plural === 'daemonsets';
  const spec = {
    priorityClassName: 'system-node-critical',
    tolerations: daemon ? [{ operator: 'Exists' }] : [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
    ...(daemon ? { affinity: NOT_ON_FARGATE } : {}),
    containers: [{ name: part.container, image: imageOf(world, part, version), resources: { requests: { cpu: '50m', memory: '64Mi' } } }],
  };
  const template = { metadata: { labels }, spec };
  const selector = { matchLabels: labels };
  return daemon
    ? { selector, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } }, template }
    : { replicas: 2, selector, template };
}

/** Fields of an add-on's workloads that differ from what EKS applied, in the words of its conflicts: `Deployment.apps coredns - .spec.replicas`. */
export function conflicts(world: World, addOn: EksAddOn): string[] {
  return (ADD_ON_PARTS[addOn.name] ?? []).flatMap((part) => {
    const live = world.store.get(part.plural, part.name, 'kube-system');
    if (live === undefined) return [];
    const kind = part.plural === 'daemonsets' ? 'DaemonSet.apps' : 'Deployment.apps';
    const differing = differences(specOf(world, part, addOn.version), live.spec, '.spec');
    return differing
      .filter((path) => !(isImage(path) && imagesApplied(world, addOn, part).has(imageNow(live, part))))
      .map((path) => `${kind} ${part.name} - ${path}`);
  });
}

const isImage = (path: string): boolean => path.endsWith('.image');
const imageNow = (live: KubeObject, part: Part): string =>
  String(live.spec.template.spec.containers.find((c: { name: string }) => c.name === part.container)?.image);

/** An update that failed half-way has left its image behind: that is EKS's own change. */
function imagesApplied(world: World, addOn: EksAddOn, part: Part): Set<string> {
  const updates = world.eks.updates.filter(({ resource }) => resource.kind === 'add-on' && resource.name === addOn.name);
  return new Set(updates.map((update) => imageOf(world, part, paramOf(update, 'AddonVersion') ?? addOn.version)));
}

/** Paths at which a live object no longer has what was applied. Lists whose items have names are compared by name. */
function differences(applied: unknown, live: unknown, path: string): string[] {
  if (Array.isArray(applied) && applied.every((item) => isObject(item) && typeof item['name'] === 'string')) {
    const items = Array.isArray(live) ? live.filter(isObject) : [];
    return applied.flatMap((item) =>
      differences(
        item,
        items.find((other) => other['name'] === item['name']),
        `${path}[name="${item['name']}"]`,
      ),
    );
  }
  if (!isObject(applied) || Array.isArray(applied)) return equalJson(applied, live) ? [] : [path];
  const found = isObject(live) ? live : {};
  return Object.entries(applied).flatMap(([key, value]) => differences(value, found[key], `${path}.${key}`));
}

/** Rolls an add-on's workloads to a version. OVERWRITE also puts back what others changed; else only the image moves. */
export function apply(world: World, addOn: EksAddOn, version: string, overwrite: boolean): void {
  for (const part of ADD_ON_PARTS[addOn.name] ?? []) {
    if (world.store.get(part.plural, part.name, 'kube-system') === undefined) continue;
    world.store.update(part.plural, part.name, 'kube-system', (copy) => {
      if (overwrite) copy.spec = merged(specOf(world, part, addOn.version), copy.spec) as KubeObject['spec'];
      for (const container of copy.spec.template.spec.containers) {
        if (container.name === part.container) container.image = imageOf(world, part, version);
      }
    });
  }
}

/** A live value with all that was applied put back in. */
function merged(applied: unknown, live: unknown): unknown {
  if (Array.isArray(applied) && Array.isArray(live) && applied.every((item) => isObject(item) && 'name' in item)) {
    return live.map((item: unknown) => {
      const own = isObject(item) ? applied.find((other: unknown) => isObject(other) && other['name'] === item['name']) : undefined;
      return own === undefined ? item : merged(own, item);
    });
  }
  if (!isObject(applied) || Array.isArray(applied)) return applied;
  const found = isObject(live) ? live : {};
  return { ...found, ...Object.fromEntries(Object.entries(applied).map(([key, value]) => [key, merged(value, found[key])])) };
}

/** True when all pods of an add-on run its present template. */
export function rolledOut(world: World, addOn: string): boolean {
  return (ADD_ON_PARTS[addOn] ?? []).every((part) => {
    const workload = world.store.get(part.plural, part.name, 'kube-system');
    if (workload === undefined) return true;
    const { status, spec, metadata } = workload;
    if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 1)) return false;
    if (part.plural === 'deployments') return status.updatedReplicas === spec.replicas && status.readyReplicas === spec.replicas;
    return status.updatedNumberScheduled === status.desiredNumberScheduled;
  });
}
