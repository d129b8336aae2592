/** Machines of v1alpha5 as 0.31 and 0.32 keep them: launched for a Provisioner, drifted where its taints or the gate say so, drained one at a time. */
import { latestAmi } from '../../../aws/eks/nodes/amis.ts';
import { nameSuffix } from '../../../kubernetes/names.ts';
import { isTerminating } from '../../../kubernetes/pods/pods.ts';
import { stableJson } from '../../../kubernetes/json.ts';
import type { KubeObject } from '../../../kubernetes/store.ts';
import type { World } from '../../../world/world.ts';
import { clearCondition, isTrue, setCondition } from '../../conditions.ts';
import { blockers, reschedulable } from '../../drain.ts';
import { createNode, nextNumber, setReady } from '../../nodes.ts';
import { FINALIZER, launchClaim, nodeOf, remove, terminate } from '../claims.ts';
import { karpenterDeployment } from '../release.ts';

export const PROVISIONER_LABEL = 'karpenter.sh/provisioner-name';
const HASH = 'karpenter.sh/provisioner-hash';

export const provisionerOf = ({ metadata }: KubeObject): string => metadata.labels?.[PROVISIONER_LABEL] ?? '';
const has = (world: World, plural: string): boolean => world.store.type(plural) !== undefined;
const machinesOf = (world: World): KubeObject[] => (has(world, 'machines') ? world.store.list('machines') : []);

/** Of what a node is made from: a change makes its Machine drift. */
const hashOf = ({ spec }: KubeObject): string => stableJson([spec.taints ?? [], spec.labels ?? {}, spec.providerRef ?? {}]);

/** Creates a Machine and its instance. `ready`: with a Ready node at once. undefined where the template has no image. */
export function launchMachine(world: World, provisioner: KubeObject, options: { ready?: boolean } = {}): KubeObject | undefined {
  const { spec, metadata } = provisioner;
  const template = world.store.get('awsnodetemplates', spec.providerRef?.name ?? '');
  const family = template?.spec?.amiFamily === 'AL2023' ? 'al2023' : 'al2';
  const ami = latestAmi(family, world.apiServerVersion(), world.clock.now(), 'x86_64', world.eks.images);
  if (template === undefined || ami === undefined) return undefined;
  const machine = world.store.create('machines', {
    apiVersion: 'karpenter.sh/v1alpha5',
    kind: 'Machine',
    metadata: {
      name: `${metadata.name}-${nameSuffix(nextNumber(world))}`,
      labels: { ...spec.labels, [PROVISIONER_LABEL]: metadata.name, 'karpenter.sh/capacity-type': 'on-demand' },
      annotations: { [HASH]: hashOf(provisioner) },
      finalizers: [FINALIZER],
      ownerReferences: [
        {
          apiVersion: 'karpenter.sh/v1alpha5',
          kind: 'Provisioner',
          name: metadata.name,
          uid: metadata.uid ?? '',
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      machineTemplateRef: spec.providerRef,
      requirements: spec.requirements ?? [],
      ...(spec.taints === undefined ? {} : { taints: spec.taints }),
    },
    status: { imageID: ami.id },
  });
  const launched = world.store.update('machines', machine.metadata.name, undefined, (copy) =>
    setCondition(world, copy, 'MachineLaunched', 'True'),
  );
  if (options.ready === true) register(world, launched, ami);
  return launched;
}

function register(
  world: World,
  machine: KubeObject,
  ami = latestAmi('al2', world.apiServerVersion(), world.clock.now(), 'x86_64', world.eks.images),
): void {
  if (ami === undefined) return;
  const { name, uid = '', labels } = machine.metadata;
  const node = createNode(world, {
    ami,
    labels: { ...labels, 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' },
    ...(machine.spec.taints === undefined ? {} : { taints: machine.spec.taints }),
  });
  world.store.update('nodes', node.metadata.name, undefined, ({ metadata }) => {
    metadata.finalizers = [FINALIZER];
    metadata.ownerReferences = [{ apiVersion: 'karpenter.sh/v1alpha5', kind: 'Machine', name, uid, blockOwnerDeletion: true }];
  });
  setReady(world, node.metadata.name, true);
  world.store.update('machines', name, undefined, (copy) => {
    Object.assign(copy.status, { nodeName: node.metadata.name, providerID: node.spec.providerID });
    for (const type of ['MachineRegistered', 'MachineInitialized', 'Ready']) setCondition(world, copy, type, 'True');
  });
}

/** Moves every Machine on by what world time allows, and replaces one that has drifted: below 0.34 there are no budgets, one goes at a time. */
export function advanceMachines(world: World): void {
  for (const machine of machinesOf(world)) {
    if (isTerminating(machine)) terminate(world, machine);
    else if (!isTrue(machine, 'MachineRegistered')) {
      if (world.clock.nowMs() - Date.parse(machine.metadata.creationTimestamp ?? '') >= world.tempo.nodeLaunchMs) register(world, machine);
    } else {
      const node = nodeOf(world, machine);
      if (node === undefined || isTerminating(node)) remove(world, machine, 'node deleted');
    }
  }
  markDrifted(world);
  replaceOne(world);
}

/** FEATURE_GATES of the controller, off unless somebody has switched it on. */
export function driftGate(world: World): boolean {
  const containers: { name: string; env?: { name: string; value?: string }[] }[] =
    karpenterDeployment(world)?.spec.template.spec.containers ?? [];
  return containers.some(({ env = [] }) =>
    env.some(({ name, value }) => name === 'FEATURE_GATES' && value?.includes('Drift=true') === true),
  );
}

function markDrifted(world: World): void {
  const gate = driftGate(world);
  for (const machine of machinesOf(world).filter((each) => !isTerminating(each))) {
    const provisioner = world.store.get('provisioners', provisionerOf(machine));
    const drifted = gate && provisioner !== undefined && hashOf(provisioner) !== machine.metadata.annotations?.[HASH];
    if (drifted === isTrue(machine, 'MachineDrifted')) continue;
    world.store.update('machines', machine.metadata.name, undefined, (copy) => {
      if (drifted) setCondition(world, copy, 'MachineDrifted', 'True', 'ProvisionerStaticDrift');
      else clearCondition(copy, 'MachineDrifted');
    });
  }
}

const REPLACED_BY = 'twin/replaced-by';

function replaceOne(world: World): void {
  const machines = machinesOf(world);
  const going = machines.filter((machine) => isTerminating(machine) || machine.metadata.annotations?.[REPLACED_BY] !== undefined);
  for (const machine of going.filter((each) => !isTerminating(each))) {
    const replacement = world.store.get('nodeclaims', machine.metadata.annotations?.[REPLACED_BY] ?? '');
    if (replacement !== undefined && isTrue(replacement, 'Initialized')) remove(world, machine, 'drifted');
    else if (replacement === undefined)
      world.store.update('machines', machine.metadata.name, undefined, ({ metadata }) => void delete metadata.annotations?.[REPLACED_BY]);
  }
  if (going.length > 0) return;
  const next = machines.find((machine) => {
    const node = nodeOf(world, machine);
    return isTrue(machine, 'MachineDrifted') && node !== undefined && blockers(world, node.metadata.name).length === 0;
  });
  if (next !== undefined) replace(world, next);
}

/** A Provisioner with a taint that no pod tolerates has no place for them: a NodePool has. */
function replace(world: World, machine: KubeObject): void {
  const node = String(machine.status?.nodeName);
  if (reschedulable(world, node).length === 0) return remove(world, machine, 'drifted, empty');
  const pools = world.store.list('nodepools').filter((pool) => isTrue(pool, 'Ready'));
  const pool = pools.find(({ metadata }) => metadata.name === provisionerOf(machine)) ?? pools[0];
  const claim = pool === undefined ? undefined : launchClaim(world, pool);
  if (claim === undefined) return;
  world.store.update('machines', machine.metadata.name, undefined, ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, [REPLACED_BY]: claim.metadata.name };
  });
  world.journal.tell(`Karpenter replaces ${node} of Provisioner ${provisionerOf(machine)} by ${claim.metadata.name}: drifted`);
}
