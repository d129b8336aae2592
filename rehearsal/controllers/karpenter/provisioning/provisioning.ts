/** New nodes for pods that the scheduler cannot place. */
import { conditionOf, isTerminating } from '../../../kubernetes/pods/pods.ts';
import type { KubeObject } from '../../../kubernetes/store.ts';
import type { World } from '../../../world/world.ts';
import { isTrue } from '../../conditions.ts';
import { recordEvent } from '../events.ts';
import { launchClaim, poolOf } from '../claims.ts';
import { machineOfBin, pack } from './packing.ts';
import { launchMachine, PROVISIONER_LABEL, provisionerOf } from '../migration/machines.ts';

/** One node per pool at a time: pods that fit on it need no second one. */
export function provision(world: World, replacements: ReadonlySet<string>): void {
  const pending = unschedulable(world);
  if (pending.length === 0) return;
  if (world.machines !== undefined) return provisionPacked(world, pending);
  const coming = new Set(
    world.store
      .list('nodeclaims')
      .filter((c) => !isTrue(c, 'Initialized') && !isTerminating(c) && !replacements.has(c.metadata.name))
      .map(poolOf),
  );
  for (const pod of pending) {
    const pool = world.store.list('nodepools').find((p) => isTrue(p, 'Ready') && fits(p, pod));
    if (pool === undefined || coming.has(pool.metadata.name)) continue;
    const claim = launchClaim(world, pool);
    if (claim === undefined) continue;
    coming.add(pool.metadata.name);
    recordEvent(world, pod, 'Normal', 'Nominated', `Pod should schedule on: nodeclaim/${claim.metadata.name}`);
    world.journal.tell(`Karpenter launches ${claim.metadata.name} for pod ${pod.metadata.namespace}/${pod.metadata.name}`);
  }
}

/** As many nodes as the pods need. */
function provisionPacked(world: World, pending: readonly KubeObject[]): void {
  const coming = world.store.list('nodeclaims').filter((claim) => !isTrue(claim, 'Initialized') && !isTerminating(claim));
  for (const bin of pack(world, pending, coming)) {
    const claim = launchClaim(world, bin.pool, { machine: machineOfBin(bin) });
    if (claim === undefined) continue;
    for (const pod of bin.pods) recordEvent(world, pod, 'Normal', 'Nominated', `Pod should schedule on: nodeclaim/${claim.metadata.name}`);
    const [first, ...others] = bin.pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    world.journal.tell(`Karpenter launches ${claim.metadata.name} for pod ${first}${more}`);
  }
}

/** What the scheduler has said of them. */
export function unschedulable({ store }: World): KubeObject[] {
  return store.list('pods').filter((pod) => {
    if (pod.spec?.nodeName || isTerminating(pod)) return false;
    const scheduled = conditionOf(pod, 'PodScheduled');
    return scheduled?.status === 'False' && scheduled.reason === 'Unschedulable';
  });
}

/** 0.31: one Machine per Provisioner at a time. */
export function provisionByMachines(world: World): void {
  const machines = world.store.list('machines');
  for (const provisioner of world.store.list('provisioners').filter((each) => !isTerminating(each) && each.spec.taints === undefined)) {
    const { name } = provisioner.metadata;
    const coming = machines.some((machine) => provisionerOf(machine) === name && !isTrue(machine, 'MachineInitialized'));
    const labels: Record<string, string> = { ...provisioner.spec.labels, [PROVISIONER_LABEL]: name };
    const pod = unschedulable(world).find((each) => selects(each, labels));
    if (!coming && pod !== undefined) launchMachine(world, provisioner);
  }
}

function fits(pool: KubeObject, pod: KubeObject): boolean {
  const labels: Record<string, string> = {
    ...pool.spec.template.metadata?.labels,
    'karpenter.sh/nodepool': pool.metadata.name,
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
  };
  return selects(pod, labels);
}

const selects = (pod: KubeObject, labels: Record<string, string>): boolean =>
  Object.entries<string>(pod.spec?.nodeSelector ?? {}).every(
    ([key, value]) => labels[key] === value || key.startsWith('topology.kubernetes.io/'),
  );
