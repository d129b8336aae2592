/** Plays an upgrade in a loaded world without anybody who watches: control plane, node groups, then Karpenter's drift as long as it moves. */
import type { Snapshot } from '../../../domain/facts/snapshot/format.ts';
import { kubeletMinor } from '../../../rehearsal/controllers/nodes.ts';
import type { UpdateResource } from '../../../rehearsal/aws/eks/state.ts';
import { snapshotScenario } from '../../../rehearsal/scenarios/snapshot/index.ts';
import { type BuiltWorld, buildWorld } from '../../../rehearsal/world/build.ts';
import { ManualClock } from '../../../rehearsal/world/manual-clock.ts';

const MINUTE = 60_000;
const LONGEST = 24 * 60;
/** Nothing has changed for so many minutes: the rest is held by something. */
const STILL = 15;

export function load(snapshot: Snapshot, to: string): BuiltWorld & { limits: readonly string[] } {
  const scenario = snapshotScenario(snapshot, to);
  const built = buildWorld({ scenario, speed: 1, clock: new ManualClock({ startsAt: scenario.startsAt }) });
  return { ...built, limits: scenario.limits?.(built.world) ?? [] };
}

/** Minutes that it took; nodes that are still old, by name. */
export function playOut(twin: BuiltWorld, to: string): { minutes: number; old: string[] } {
  const { world } = twin;
  const beganMs = world.clock.nowMs();
  begin(twin, { kind: 'cluster' }, to);
  for (const { name } of world.eks.nodeGroups) begin(twin, { kind: 'node-group', name }, to);
  const old = (): string[] => world.store.list('nodes').flatMap((node) => (kubeletMinor(node) === to ? [] : [node.metadata.name]));
  let still = 0;
  for (let left = old().length, minute = 0; left > 0 && still < STILL && minute < LONGEST; minute += 1) {
    twin.step(MINUTE);
    const now = old().length;
    still = now === left ? still + 1 : 0;
    left = now;
  }
  return { minutes: Math.round((world.clock.nowMs() - beganMs) / MINUTE) - still, old: old().toSorted() };
}

/** An update of EKS, to its end. */
function begin({ world, step }: BuiltWorld, resource: UpdateResource, to: string): void {
  const params = [{ type: 'Version', value: to }];
  const id = `update-${world.eks.updates.length}`;
  world.eks.updates.push({
    id,
    resource,
    type: 'VersionUpdate',
    status: 'InProgress',
    params,
    createdAtMs: world.clock.nowMs(),
    errors: [],
  });
  for (let minute = 0; minute < LONGEST; minute += 1) {
    if (world.eks.updates.find((update) => update.id === id)?.status !== 'InProgress') return;
    step(MINUTE);
  }
}
