/**
 * EKS Auto Mode: its nodes follow the control plane within the budgets of their pools. In a rollback EKS takes them back first, one after the other, and
 * only then the control plane.
 */
import { latestAmi } from '../aws/eks/nodes/amis.ts';
import { minorOf } from '../aws/eks/catalogue.ts';
import type { EksUpdate } from '../aws/eks/state.ts';
import type { KubeObject } from '../kubernetes/store.ts';
import { paramOf } from '../world/api-server.ts';
import type { Controller, World } from '../world/world.ts';
import { drain } from './drain.ts';
import { allowedByBudgets } from './karpenter/budgets.ts';
import { cordon, createNode, kubeletMinor } from './nodes.ts';

export const AUTO_MODE_LABELS = { 'eks.amazonaws.com/compute-type': 'auto' };

const newerNodes = (world: World, update: EksUpdate): KubeObject[] => {
  const version = paramOf(update, 'Version') ?? world.eks.cluster.version;
  return world.store.list('nodes', { labels: AUTO_MODE_LABELS }).filter((n) => minorOf(kubeletMinor(n)) > minorOf(version));
};

/** One step of the way that nodes go back before the control plane does; it can be cancelled, and ends by itself after its timeout. */
export function rollBackNodes(world: World, update: EksUpdate): void {
  const left = newerNodes(world, update);
  const ageMs = world.clock.nowMs() - update.createdAtMs;
  if (update.cancellation === undefined && ageMs > (update.nodesTimeoutMs ?? Infinity))
    update.cancellation = { status: 'InProgress', reason: 'The nodes did not roll back in time' };
  if (update.cancellation !== undefined) return cancel(world, update, left);
  if (left.length > 0) return replaceOne(world, paramOf(update, 'Version') ?? '', nextBack(world, left));
  update.nodesFirst = false;
  update.controlPlaneFromMs = world.clock.nowMs();
}

const POOL = 'karpenter.sh/nodepool';

/** A node that must not be disrupted stays, whatever is asked of EKS. */
export const isMarked = ({ metadata }: KubeObject): boolean => metadata.annotations?.['karpenter.sh/do-not-disrupt'] === 'true';

/** The budgets of the pool let no node go now. */
export function forbidsDrift(world: World, pool: KubeObject): boolean {
  const nodes = world.store.list('nodes', { labels: { ...AUTO_MODE_LABELS, [POOL]: pool.metadata.name } });
  return allowedByBudgets(pool.spec?.disruption?.budgets, Math.max(1, nodes.length), 'Drifted', world.clock.now()) === 0;
}

/** The one that is on its way out, else the first that nothing holds. */
function nextBack(world: World, left: readonly KubeObject[]): KubeObject | undefined {
  const held = new Set(world.store.list('nodepools').flatMap((pool) => (forbidsDrift(world, pool) ? [pool.metadata.name] : [])));
  const mayGo = (node: KubeObject): boolean => !isMarked(node) && !held.has(node.metadata.labels?.[POOL] ?? '');
  return left.find((node) => node.spec?.unschedulable === true) ?? left.find(mayGo);
}

/** Nodes stay as they are; the one that was being drained takes pods again. */
function cancel(world: World, update: EksUpdate, left: KubeObject[]): void {
  for (const node of left) cordon(world, node.metadata.name, false);
  update.cancellation = { ...update.cancellation, status: 'Successful' };
  update.nodesFirst = false;
  update.status = 'Cancelled';
  update.endedAtMs = world.clock.nowMs();
  world.journal.tell('EKS stops the version rollback before it reaches the control plane');
}

/** Budgets of pods hold even where the rollback is forced. */
function replaceOne(world: World, minor: string, node: KubeObject | undefined): void {
  const ami = latestAmi('bottlerocket', minor, world.clock.now(), 'x86_64', world.eks.images);
  if (node === undefined || ami === undefined) return;
  const { name, labels = {} } = node.metadata;
  if (node.spec?.unschedulable !== true) {
    cordon(world, name, true);
    const { 'kubernetes.io/hostname': _hostname, ...kept } = labels;
    createNode(world, { ami, labels: { ...kept }, ready: true });
    world.journal.tell(`EKS Auto Mode replaces ${name} by a node at ${ami.minor}`);
  }
  if (drain(world, name).left === 0) world.store.delete('nodes', name);
}

/** After an update nodes drift at once, pool by pool, as many at a time as the pool's budgets allow. */
export function createAutoMode(): Controller {
  return {
    name: 'auto-mode',
    everyMs: 10_000,
    tick(world) {
      const { cluster, updates } = world.eks;
      if (!cluster.autoMode || updates.some(({ type, status }) => type === 'VersionRollback' && status === 'InProgress')) return;
      for (const pool of world.store.list('nodepools')) followControlPlane(world, pool);
    },
  };
}

function followControlPlane(world: World, pool: KubeObject): void {
  const { version } = world.eks.cluster;
  const nodes = world.store.list('nodes', { labels: { ...AUTO_MODE_LABELS, [POOL]: pool.metadata.name } });
  const old = nodes.filter((node) => minorOf(kubeletMinor(node)) < minorOf(version));
  const leaving = old.filter((node) => node.spec?.unschedulable === true);
  const size = nodes.length - leaving.length;
  const allowed = allowedByBudgets(pool.spec?.disruption?.budgets, size, 'Drifted', world.clock.now());
  const next = old.filter((node) => !leaving.includes(node)).slice(0, Math.max(0, allowed - leaving.length));
  for (const node of [...leaving, ...next]) replaceOne(world, version, node);
}
