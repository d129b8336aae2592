/** Runs add-on updates: the workload in kube-system rolls to the new image, then EKS says Successful. */
import type { EksUpdate } from '../eks/state.ts';
import { paramOf } from '../world/api-server.ts';
import { strikes } from '../world/faults.ts';
import type { Controller, World } from '../world/world.ts';
import { fail, succeed } from './updates.ts';

/** EKS gives a workload this long to become healthy. */
const ROLLOUT_LIMIT_MS = 20 * 60_000;

interface Part {
  plural: 'daemonsets' | 'deployments';
  name: string;
  container: string;
  repository: string;
  /** kube-proxy's tags carry the image flavour between version and build. */
  tag?: (version: string) => string;
}

/** What each add-on runs, all in kube-system. */
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
  coredns: [{ plural: 'deployments', name: 'coredns', container: 'coredns', repository: 'eks/coredns' }],
  'aws-ebs-csi-driver': [
    { plural: 'daemonsets', name: 'ebs-csi-node', container: 'ebs-plugin', repository: 'eks/aws-ebs-csi-driver' },
    { plural: 'deployments', name: 'ebs-csi-controller', container: 'ebs-plugin', repository: 'eks/aws-ebs-csi-driver' },
  ],
};

export function imageOf(world: World, part: Part, version: string): string {
  return `602401143452.dkr.ecr.${world.eks.cluster.region}.amazonaws.com/${part.repository}:${part.tag?.(version) ?? version}`;
}

export function createAddOns(): Controller {
  return {
    name: 'add-ons',
    everyMs: 5_000,
    tick(world) {
      for (const update of world.eks.updates) {
        if (update.status === 'InProgress' && update.resource.kind === 'add-on') tickUpdate(world, update, update.resource.name);
      }
    },
  };
}

function tickUpdate(world: World, update: EksUpdate, name: string): void {
  const addOn = world.eks.addOns.find((a) => a.name === name);
  const version = paramOf(update, 'AddonVersion');
  if (addOn === undefined || version === undefined) return fail(world, update);
  const ageMs = world.clock.nowMs() - update.createdAtMs;
  if (addOn.status === 'ACTIVE' || addOn.status === 'UPDATE_FAILED') {
    if (paramOf(update, 'ResolveConflicts') === 'NONE' && strikes(world, 'add-on-conflict')) return conflict(world, update, name);
    addOn.status = 'UPDATING';
    addOn.health = [];
    world.journal.tell(`EKS updates add-on ${name} from ${addOn.version} to ${version}`);
    for (const part of ADD_ON_PARTS[name] ?? []) setImage(world, part, version);
  }
  if (ageMs < world.tempo.addOnUpdateMs) return;
  if ((ADD_ON_PARTS[name] ?? []).every((part) => rolledOut(world, part))) {
    addOn.version = version;
    addOn.status = 'ACTIVE';
    succeed(world, update);
    world.journal.tell(`add-on ${name} is at ${version}`);
  } else if (ageMs > ROLLOUT_LIMIT_MS) {
    addOn.status = 'DEGRADED';
    const message = 'The add-on is unhealthy because it does not have the desired number of replicas.';
    addOn.health = [{ code: 'InsufficientNumberOfReplicas', message, resourceIds: [] }];
    fail(world, update, { errorCode: 'InsufficientNumberOfReplicas', errorMessage: message, resourceIds: [] });
  }
}

function conflict(world: World, update: EksUpdate, name: string): void {
  const message = `Conflicts found when trying to apply. Will not continue due to resolve conflicts mode. Conflicts: ConfigMap ${name} - .data`;
  fail(world, update, { errorCode: 'ConfigurationConflict', errorMessage: message, resourceIds: [name] });
  world.journal.tell(`add-on ${name} keeps its version: live edits conflict with the update`);
}

function setImage(world: World, part: Part, version: string): void {
  if (world.store.get(part.plural, part.name, 'kube-system') === undefined) return;
  world.store.update(part.plural, part.name, 'kube-system', (copy) => {
    for (const container of copy.spec.template.spec.containers) {
      if (container.name === part.container) container.image = imageOf(world, part, version);
    }
  });
}

function rolledOut(world: World, part: Part): boolean {
  const workload = world.store.get(part.plural, part.name, 'kube-system');
  if (workload === undefined) return true;
  const { status, spec, metadata } = workload;
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 1)) return false;
  if (part.plural === 'deployments') return status.updatedReplicas === spec.replicas && status.readyReplicas === spec.replicas;
  return status.updatedNumberScheduled === status.desiredNumberScheduled;
}
