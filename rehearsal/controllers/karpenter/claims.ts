/** NodeClaims from launch to termination: each stands for one instance and its Node. */
import { amiById } from '../../aws/eks/nodes/amis.ts';
import { nameSuffix } from '../../kubernetes/names.ts';
import { isTerminating } from '../../kubernetes/pods/pods.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { isTrue, setCondition } from '../conditions.ts';
import { recordEvent } from './events.ts';
import { drain } from '../drain.ts';
import { archOf, labelsOf, type Machine, machinesFor, poolLabels } from '../machines.ts';
import { createNode, nextNumber, setReady, taint } from '../nodes.ts';
import { imageFor } from './node-classes.ts';
import { isSince } from './migration/versions.ts';
import { durationMinutes } from './schedule.ts';

export const DISRUPTED_TAINT = 'karpenter.sh/disrupted';
export const FINALIZER = 'karpenter.sh/termination';
const REGISTRATION_LIMIT_MS = 15 * 60_000;
/** Mark on a claim whose instance boots a broken image. */
const BROKEN = 'twin/broken-image';
/** Mark on a claim for which EC2 has no instance. */
const NO_CAPACITY = 'twin/no-capacity';
/** Mark on a claim that waits for the service-linked role of Spot; Karpenter gives it up after five minutes. */
const NO_SPOT_ROLE = 'twin/no-spot-role';
/** From then on it counts for no budget (kubernetes-sigs/karpenter#1735; v1.0.8 is the first that was looked into). */
const TELLS_OF_ENDING_SINCE = '1.0.8';
const LAUNCH_LIMIT_MS = 5 * 60_000;
/** As CreateFleet says it (karpenter.sh, troubleshooting: "Missing Service Linked Role"). */
const SPOT_ERROR =
  'creating instance, with fleet error(s), AuthFailure.ServiceLinkedRoleCreationNotPermitted: The provided credentials do not have permission to create the service-linked role for EC2 Spot Instances.';

export const poolOf = (object: KubeObject): string => object.metadata.labels?.['karpenter.sh/nodepool'] ?? '';
export const nodeOf = (world: World, claim: KubeObject): KubeObject | undefined => {
  const name = claim.status?.nodeName;
  return typeof name === 'string' ? world.store.get('nodes', name) : undefined;
};

/**
 * Creates a claim and its instance. `ready`: with a Ready node at once, for the state a scenario starts from. `machine`: which of a loaded cluster's
 * kinds; by default the first that the pool may launch. undefined when the class has no image.
 */
export function launchClaim(world: World, pool: KubeObject, options: { ready?: boolean; machine?: Machine } = {}): KubeObject | undefined {
  const template = pool.spec.template;
  const ref = template.spec.nodeClassRef;
  const machine = options.machine ?? machinesFor(world, pool)[0];
  const nodeClass = world.store.get('ec2nodeclasses', ref.name);
  const ami = imageFor(world, nodeClass, machine && { arch: archOf(machine), variant: variantOf(world, pool) });
  if (ami === undefined) return undefined;
  const noSpotRole = world.faults.inForce('karpenter:spot-role-missing');
  const noCapacity = world.faults.takes('karpenter:launch-fails') !== undefined;
  const labels =
    machine === undefined
      ? { ...template.metadata?.labels, 'karpenter.sh/nodepool': pool.metadata.name, 'karpenter.sh/capacity-type': 'on-demand' }
      : { ...poolLabels(pool), ...labelsOf(machine) };
  const claim = world.store.create('nodeclaims', {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: freeClaim(world, pool.metadata.name),
      labels,
      annotations: {
        'karpenter.sh/nodepool-hash': pool.metadata.annotations?.['karpenter.sh/nodepool-hash'] ?? '',
        'karpenter.sh/nodepool-hash-version': 'v3',
        ...(world.faults.takes('karpenter:never-registers') === undefined ? {} : { [BROKEN]: 'true' }),
        ...(noSpotRole ? { [NO_SPOT_ROLE]: 'true' } : {}),
        ...(noCapacity ? { [NO_CAPACITY]: 'true' } : {}),
      },
      finalizers: [FINALIZER],
      ownerReferences: [{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: pool.metadata.name, uid: pool.metadata.uid ?? '' }],
    },
    spec: {
      nodeClassRef: ref,
      requirements: template.spec.requirements ?? [],
      ...(template.spec.taints === undefined ? {} : { taints: template.spec.taints }),
      ...(template.spec.expireAfter === undefined ? {} : { expireAfter: template.spec.expireAfter }),
      ...(template.spec.terminationGracePeriod === undefined ? {} : { terminationGracePeriod: template.spec.terminationGracePeriod }),
    },
    status: {
      ...(noCapacity ? {} : { imageID: ami.id }),
      ...(machine === undefined ? {} : { capacity: machine.kind.capacity, allocatable: machine.kind.allocatable }),
    },
  });
  const launched = world.store.update('nodeclaims', claim.metadata.name, undefined, (copy) => {
    if (noCapacity) setCondition(world, copy, 'Launched', 'Unknown', 'AwaitingReconciliation', 'object is awaiting reconciliation');
    else if (noSpotRole) setCondition(world, copy, 'Launched', 'Unknown', 'LaunchFailed', SPOT_ERROR);
    else setCondition(world, copy, 'Launched', 'True');
  });
  if (options.ready) register(world, launched, true);
  return world.store.get('nodeclaims', claim.metadata.name);
}

/** A loaded cluster may have a claim of that name. */
function freeClaim(world: World, pool: string): string {
  const name = `${pool}-${nameSuffix(nextNumber(world))}`;
  return world.store.get('nodeclaims', name) === undefined ? name : freeClaim(world, pool);
}

/** The image variant that a loaded pool's nodes boot: GPUs have images of their own. */
function variantOf(world: World, pool: KubeObject): string | undefined {
  const [claim] = world.store.list('nodeclaims', { labels: { 'karpenter.sh/nodepool': pool.metadata.name } });
  return claim === undefined ? undefined : amiById(String(claim.status?.imageID), world.eks.images)?.variant;
}

/** The kubelet has registered: the Node exists and is Ready. */
function register(world: World, claim: KubeObject, quiet = false): void {
  const ami = amiById(String(claim.status?.imageID), world.eks.images);
  if (ami === undefined) return;
  const { capacity, allocatable } = claim.status ?? {};
  const node = createNode(world, {
    ami,
    labels: { ...claim.metadata.labels, 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' },
    ...(claim.spec?.taints === undefined ? {} : { taints: claim.spec.taints }),
    ...(capacity === undefined ? {} : { size: { capacity, allocatable } }),
  });
  const name = node.metadata.name;
  world.store.update('nodes', name, undefined, (copy) => {
    copy.metadata.finalizers = [FINALIZER];
    copy.metadata.ownerReferences = [
      { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: claim.metadata.name, uid: claim.metadata.uid ?? '' },
    ];
  });
  setReady(world, name, true);
  world.store.update('nodeclaims', claim.metadata.name, undefined, (copy) => {
    Object.assign(copy.status, { nodeName: name, providerID: node.spec.providerID });
    for (const type of ['Registered', 'Initialized', 'Ready']) setCondition(world, copy, type, 'True');
  });
  if (!quiet) world.journal.tell(`Karpenter's ${claim.metadata.name} is ready as ${name} with kubelet ${ami.minor}`);
}

/**
 * Moves every claim on by what world time allows. `version`: Karpenter's; since 1.0 what has expired goes, whatever budgets say. `onHealth`: a pool's
 * registrations work or do not.
 */
export function advanceClaims(world: World, version: string, onHealth: (pool: string, healthy: boolean) => void): void {
  const byForce = isSince(version, '1.0');
  const tells = isSince(version, TELLS_OF_ENDING_SINCE);
  for (const claim of world.store.list('nodeclaims')) {
    if (isTerminating(claim)) terminate(world, claim, tells);
    else if (claim.metadata.annotations?.[NO_CAPACITY] !== undefined) giveUp(world, claim);
    else if (claim.status?.imageID === undefined) adopt(world, claim);
    else if (!isTrue(claim, 'Registered')) boot(world, claim, onHealth);
    else if (byForce && expired(world, claim)) remove(world, claim, 'expired');
    else {
      const node = nodeOf(world, claim);
      // Somebody deleted the Node: the instance goes too.
      if (node === undefined || isTerminating(node)) remove(world, claim, 'node deleted');
    }
  }
}

/** A claim that somebody else has made, of no NodePool: it gets its instance as any other. */
function adopt(world: World, claim: KubeObject): void {
  const { name } = claim.metadata;
  const ami = imageFor(world, world.store.get('ec2nodeclasses', claim.spec.nodeClassRef?.name ?? ''));
  const broken = world.faults.takes('karpenter:never-registers') !== undefined;
  world.store.update('nodeclaims', name, undefined, (copy) => {
    copy.metadata.finalizers = [FINALIZER];
    if (broken) copy.metadata.annotations = { ...copy.metadata.annotations, [BROKEN]: 'true' };
    if (ami === undefined) return setCondition(world, copy, 'Launched', 'Unknown', 'NodeClassNotReady', 'the node class has no image');
    copy.status = { ...copy.status, imageID: ami.id };
    setCondition(world, copy, 'Launched', 'True');
    setCondition(world, copy, 'Registered', 'Unknown', 'NodeNotFound', 'Node not registered with cluster');
  });
  if (ami !== undefined) world.journal.tell(`Karpenter launches an instance for NodeClaim ${name}, which is of no NodePool`);
}

const ageMs = (world: World, claim: KubeObject): number => world.clock.nowMs() - Date.parse(claim.metadata.creationTimestamp ?? '');

/** As nodeclaim/lifecycle/launch.go: an event and no condition. */
function giveUp(world: World, claim: KubeObject): void {
  const message = `NodeClaim ${claim.metadata.name} event: all requested instance types were unavailable during launch`;
  recordEvent(world, claim, 'Warning', 'InsufficientCapacityError', message);
  remove(world, claim, 'insufficient capacity');
}

function boot(world: World, claim: KubeObject, onHealth: (pool: string, healthy: boolean) => void): void {
  if (claim.metadata.annotations?.[NO_SPOT_ROLE] !== undefined) {
    if (ageMs(world, claim) >= LAUNCH_LIMIT_MS) return remove(world, claim, 'launch timeout');
    if (world.faults.inForce('karpenter:spot-role-missing')) return;
    world.store.update('nodeclaims', claim.metadata.name, undefined, (copy) => {
      delete copy.metadata.annotations?.[NO_SPOT_ROLE];
      setCondition(world, copy, 'Launched', 'True');
    });
  } else if (claim.metadata.annotations?.[BROKEN] !== undefined) {
    if (ageMs(world, claim) < REGISTRATION_LIMIT_MS) return;
    onHealth(poolOf(claim), false);
    remove(world, claim, 'registration timeout');
  } else if (ageMs(world, claim) >= (world.tempo.pools?.[poolOf(claim)]?.nodeLaunchMs ?? world.tempo.nodeLaunchMs)) {
    register(world, claim);
    onHealth(poolOf(claim), true);
  }
}

export function expired(world: World, claim: KubeObject): boolean {
  return ageMs(world, claim) > durationMs(claim.spec?.expireAfter);
}

/** Without the field, and for `Never`: without end. */
function durationMs(text: unknown): number {
  const minutes = typeof text === 'string' ? durationMinutes(text) : undefined;
  return minutes === undefined ? Number.POSITIVE_INFINITY : minutes * 60_000;
}

/** Of a NodeClaim, or of a Machine of v1alpha5. */
const pluralOf = ({ kind }: KubeObject): 'nodeclaims' | 'machines' => (kind === 'Machine' ? 'machines' : 'nodeclaims');

/** Deletes a claim: its finalizer holds it until the node is drained. */
export function remove(world: World, claim: KubeObject, why: string): void {
  if (isTerminating(claim)) return;
  world.store.delete(pluralOf(claim), claim.metadata.name);
  const node = nodeOf(world, claim);
  if (node !== undefined && !isTerminating(node)) world.store.delete('nodes', node.metadata.name);
  world.journal.tell(`Karpenter removes ${claim.metadata.name}${node === undefined ? '' : ` (${node.metadata.name})`}: ${why}`);
}

/** Drains the node, ends its instance, then lets node and claim go. `tells`: of an instance that ends, by a condition. */
export function terminate(world: World, claim: KubeObject, tells = false): void {
  const node = nodeOf(world, claim);
  if (node === undefined) return release(world, pluralOf(claim), claim.metadata.name);
  const name = node.metadata.name;
  if (!(node.spec.taints ?? []).some((t: { key: string }) => t.key === DISRUPTED_TAINT)) taint(world, name, DISRUPTED_TAINT, 'NoSchedule');
  const sinceMs = world.clock.nowMs() - Date.parse(claim.metadata.deletionTimestamp ?? '');
  const { left, blocked } = drain(world, name, { force: sinceMs > durationMs(claim.spec?.terminationGracePeriod) });
  if (blocked.length > 0)
    recordEvent(world, node, 'Warning', 'FailedDraining', `Failed to drain node, ${left} pods are waiting to be evicted`);
  if (left > 0) return;
  if (tells && !isTrue(claim, 'InstanceTerminating'))
    world.store.update('nodeclaims', claim.metadata.name, undefined, (copy) => setCondition(world, copy, 'InstanceTerminating', 'True'));
  if (sinceMs < world.tempo.nodeDrainMs) return;
  release(world, 'nodes', name);
  release(world, pluralOf(claim), claim.metadata.name);
}

function release(world: World, plural: 'nodes' | 'nodeclaims' | 'machines', name: string): void {
  const object = world.store.get(plural, name);
  if (object === undefined) return;
  if (!isTerminating(object)) world.store.delete(plural, name);
  if (world.store.get(plural, name) === undefined) return;
  world.store.update(plural, name, undefined, (copy) => void delete copy.metadata.finalizers);
}
