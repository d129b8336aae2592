/** Runs add-on updates: the workload in kube-system rolls to the new image, then EKS says Successful. */
import type { EksAddOn, EksUpdate } from '../aws/eks/state.ts';
import { paramOf } from '../world/api-server.ts';
import type { Controller, World } from '../world/world.ts';
import { ADD_ON_PARTS, apply, conflicts, rolledOut } from './add-on-workloads.ts';
import { fail, succeed } from './updates.ts';

/** EKS gives a workload this long to become healthy. */
const ROLLOUT_LIMIT_MS = 20 * 60_000;

export function createAddOns(): Controller {
  const begun = new WeakSet<EksUpdate>();
  return {
    name: 'add-ons',
    everyMs: 5_000,
    tick(world) {
      for (const update of world.eks.updates) {
        if (update.status !== 'InProgress' || update.resource.kind !== 'add-on') continue;
        const { name } = update.resource;
        const addOn = world.eks.addOns.find((a) => a.name === name);
        const version = paramOf(update, 'AddonVersion');
        if (addOn === undefined || version === undefined) fail(world, update);
        else if (!begun.has(update)) {
          begun.add(update);
          begin(world, update, addOn, version);
        } else watch(world, update, addOn, version);
      }
    },
  };
}

function begin(world: World, update: EksUpdate, addOn: EksAddOn, version: string): void {
  const mode = paramOf(update, 'ResolveConflicts');
  if (mode === 'NONE') {
    const found = conflicts(world, addOn);
    if (found.length === 0 && world.faults.takes('eks:add-on-conflict') !== undefined) found.push(...inventedConflict(addOn));
    if (found.length > 0) return refuse(world, update, addOn, found);
  }
  addOn.status = 'UPDATING';
  addOn.health = [];
  world.journal.tell(`EKS updates add-on ${addOn.name} from ${addOn.version} to ${version}`);
  apply(world, addOn, version, mode === 'OVERWRITE');
}

/** For a fault: a live edit that nobody made. */
function inventedConflict({ name }: EksAddOn): string[] {
  return (ADD_ON_PARTS[name] ?? []).slice(0, 1).map((part) => {
    const kind = part.plural === 'daemonsets' ? 'DaemonSet.apps' : 'Deployment.apps';
    return `${kind} ${part.name} - .spec.template.spec.containers[name="${part.container}"].resources.requests.cpu`;
  });
}

/** The add-on keeps running as it is; EKS names the fields. */
function refuse(world: World, update: EksUpdate, addOn: EksAddOn, fields: string[]): void {
  const message = `Conflicts found when trying to apply. Will not continue due to resolve conflicts mode. Conflicts:\n${fields.join('\n')}`;
  addOn.status = 'UPDATE_FAILED';
  addOn.health = [{ code: 'ConfigurationConflict', message, resourceIds: [] }];
  fail(world, update, { errorCode: 'ConfigurationConflict', errorMessage: message, resourceIds: [addOn.name] });
  world.journal.tell(`add-on ${addOn.name} keeps its version: live edits conflict with the update`);
}

function watch(world: World, update: EksUpdate, addOn: EksAddOn, version: string): void {
  const ageMs = world.clock.nowMs() - update.createdAtMs;
  if (ageMs < world.tempo.addOnUpdateMs) return;
  if (rolledOut(world, addOn.name)) {
    addOn.version = version;
    addOn.status = 'ACTIVE';
    addOn.modifiedAtMs = world.clock.nowMs();
    succeed(world, update);
    world.journal.tell(`add-on ${addOn.name} is at ${version}`);
  } else if (ageMs > ROLLOUT_LIMIT_MS) {
    addOn.status = 'DEGRADED';
    const message = 'The add-on is unhealthy because it does not have the desired number of replicas.';
    addOn.health = [{ code: 'InsufficientNumberOfReplicas', message, resourceIds: [] }];
    fail(world, update, { errorCode: 'InsufficientNumberOfReplicas', errorMessage: message, resourceIds: [] });
  }
}
