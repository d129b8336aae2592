/** Karpenter: node classes, claims, drift and provisioning, as long as one of its pods runs. */
import { randomUUID } from 'node:crypto';
import { minorOf } from '../../aws/eks/catalogue.ts';
import { conditionOf, isReady, isTerminating } from '../../kubernetes/pods/pods.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { Controller, World, WorldTempo } from '../../world/world.ts';
import { isTrue, setCondition } from '../conditions.ts';
import { advanceClaims, poolOf } from './claims.ts';
import { type Command, disrupt, markDrift } from './drift.ts';
import { resolveNodeClass } from './node-classes.ts';
import { advanceMachines } from './migration/machines.ts';
import { keepPoolHashes } from './pool-hash.ts';
import { keepPods, runningVersion } from './pods.ts';
import { provision, provisionByMachines } from './provisioning/provisioning.ts';
import { migrateStoredVersions } from './migration/stored-versions.ts';
import { isSince } from './migration/versions.ts';

/** How often images and drift are looked at; the seeds saw drift in under a minute. */
const RESOLVE_EVERY_MS = 45_000;
/** Newest minor that a Karpenter minor supports; outside of it Karpenter only logs. */
const NEWEST_SUPPORTED: Record<string, number> = {
  '1.0': 31,
  '1.1': 31,
  '1.2': 32,
  '1.3': 32,
  '1.4': 32,
  '1.5': 33,
  '1.6': 34,
  '1.7': 34,
  '1.8': 34,
  '1.9': 35,
};

const KARPENTER_PODS = { 'app.kubernetes.io/name': 'karpenter' };
const LEASE = 'karpenter-leader-election';
const HEALTH = 'NodeRegistrationHealthy';

export function createKarpenter(tempo: WorldTempo): Controller {
  const commands = new Map<string, Command>();
  const warned = new Set<string>();
  let resolvedAtMs = Number.NEGATIVE_INFINITY;

  return {
    name: 'karpenter',
    everyMs: tempo.karpenterLoopMs,
    tick(world) {
      keepPods(world);
      const version = runningVersion(world);
      // Its connections drop as everybody's do while the API server moves.
      if (version === undefined || world.apiServerDown()) return;
      renewLease(world);
      if (world.clock.nowMs() - resolvedAtMs >= RESOLVE_EVERY_MS) {
        resolvedAtMs = world.clock.nowMs();
        for (const nodeClass of world.store.list('ec2nodeclasses')) resolveNodeClass(world, nodeClass, version);
        warnOnce(world, version, warned);
        if (isSince(version, '1.0.6') && !isSince(version, '1.1')) migrateStoredVersions(world);
        if (isSince(version, '0.33')) keepPoolHashes(world);
        markDrift(world, version);
      }
      if (!isSince(version, '0.33')) advanceMachines(world);
      if (!isSince(version, '0.32')) return provisionByMachines(world);
      advanceClaims(world, version, (pool, healthy) => setHealth(world, pool, healthy));
      disrupt(world, commands);
      provision(world, new Set([...commands.values()].flatMap((c) => c.replacements)));
      for (const pool of world.store.list('nodepools')) updatePool(world, pool);
    },
  };
}

/** One of its pods leads as long as it runs; the identity is controller-runtime's. */
function renewLease({ store, clock }: World): void {
  const running = store.list('pods', { labels: KARPENTER_PODS }).filter((pod) => isReady(pod) && !isTerminating(pod));
  const namespace = running[0]?.metadata.namespace;
  if (namespace === undefined) return;
  const renewTime = clock.now().toISOString().replace(/Z$/, '000Z');
  const held = store.get('leases', LEASE, namespace);
  const leads = running.find(({ metadata }) => String(held?.spec?.holderIdentity).startsWith(`${metadata.name}_`));
  const holderIdentity = leads === undefined ? `${running[0]?.metadata.name}_${randomUUID()}` : held?.spec?.holderIdentity;
  const spec = { holderIdentity, leaseDurationSeconds: 15, renewTime };
  if (held === undefined) {
    store.create('leases', { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: LEASE, namespace }, spec });
  } else store.update('leases', LEASE, namespace, (copy) => void (copy.spec = spec));
}

function warnOnce(world: World, version: string, warned: Set<string>): void {
  const minor = world.apiServerVersion();
  const newest = NEWEST_SUPPORTED[version.split('.').slice(0, 2).join('.')];
  const key = `${version} on ${minor}`;
  if (newest === undefined || minorOf(minor) <= newest || warned.has(key)) return;
  warned.add(key);
  world.journal.tell(`Karpenter ${version} logs "karpenter is not compatible with kubernetes version" (${minor}) and goes on`);
}

function setHealth(world: World, pool: string, healthy: boolean): void {
  if (world.store.get('nodepools', pool) === undefined) return;
  world.store.update('nodepools', pool, undefined, (copy) => {
    if (healthy) setCondition(world, copy, HEALTH, 'True');
    else setCondition(world, copy, HEALTH, 'False', 'RegistrationFailed', 'Node did not register within the registration timeout');
  });
}

/** Node count, what counts against limits, and conditions. A new generation resets NodeRegistrationHealthy to Unknown. */
function updatePool(world: World, pool: KubeObject): void {
  const name = pool.metadata.name;
  const generation = pool.metadata.generation ?? 1;
  const nodeClass = world.store.get('ec2nodeclasses', pool.spec.template.spec.nodeClassRef.name);
  const classReady = nodeClass !== undefined && isTrue(nodeClass, 'Ready') ? 'True' : 'False';
  const own = world.store.list('nodes').filter((n) => poolOf(n) === name);
  const nodes = own.length;
  const cpu = own.reduce((sum, node) => sum + Number(node.status?.capacity?.cpu ?? 0), 0);
  world.store.update('nodepools', name, undefined, (copy) => {
    copy.status = {
      ...copy.status,
      nodes,
      resources: { cpu: String(cpu), nodes: String(nodes) },
      nodeClassObservedGeneration: nodeClass?.metadata.generation ?? 0,
    };
    setCondition(world, copy, 'ValidationSucceeded', 'True');
    setCondition(world, copy, 'NodeClassReady', classReady);
    setCondition(world, copy, 'Ready', classReady);
    const health = conditionOf(copy, HEALTH);
    const proven = health === undefined ? 0 : Number('observedGeneration' in health ? health.observedGeneration : 1);
    if (proven === generation) return;
    setCondition(world, copy, HEALTH, 'Unknown', proven === 0 ? 'AwaitingReconciliation' : 'NodePoolChanged');
    Object.assign(conditionOf(copy, HEALTH) ?? {}, { observedGeneration: generation });
  });
}
