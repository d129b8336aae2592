/** Ends EKS updates badly where a fault says so, before the controllers of the resource do anything about them. */
import { fail } from '../../controllers/updates.ts';
import type { EksUpdate } from '../../aws/eks/state.ts';
import type { Controller, World } from '../world.ts';
import type { FaultOrder } from './fault.ts';

/** A control plane's update ends so before its API server moves; the others at once. */
const FAILS_AFTER_MS = 120_000;

/** EKS's own words for some codes; others carry their code alone. */
const MESSAGES: Readonly<Record<string, string>> = {
  InsufficientFreeAddresses: 'One or more of the subnets does not have enough available IP addresses.',
  PodEvictionFailure: 'Reached max retries while trying to evict pods from nodes in node group.',
  NodeCreationFailure: "Couldn't proceed with upgrade process as new nodes are not joining node group.",
};

export function createUpdateFaults(world: World): Controller {
  const doomed = new Map<EksUpdate, FaultOrder>();
  const seen = new WeakSet<EksUpdate>();

  function judge(update: EksUpdate): void {
    seen.add(update);
    if (!/^(VersionUpdate|AddonUpdate)$/.test(update.type)) return;
    const order = world.faults.takes('eks:update-failed') ?? world.faults.takes('eks:update-cancelled');
    if (order === undefined) return;
    // At once, before a controller has begun anything.
    if (update.resource.kind === 'cluster') doomed.set(update, order);
    else endBadly(world, update, order);
  }

  function look(): void {
    for (const update of world.eks.updates) if (update.status === 'InProgress' && !seen.has(update)) judge(update);
  }

  world.journal.onMutation(({ api }) => (api === 'eks' ? look() : undefined));
  return {
    name: 'update-faults',
    everyMs: 1_000,
    tick() {
      look();
      for (const [update, order] of doomed) {
        if (update.status === 'InProgress' && world.clock.nowMs() - update.createdAtMs >= failsAfterMs(world))
          endBadly(world, update, order);
      }
    },
  };
}

const failsAfterMs = ({ tempo }: World): number => Math.min(FAILS_AFTER_MS, tempo.apiServerMovesAfterMs / 2);

function endBadly(world: World, update: EksUpdate, order: FaultOrder): void {
  const { cluster } = world.eks;
  if (order.word === undefined) {
    update.status = 'Cancelled';
    update.endedAtMs = world.clock.nowMs();
    world.journal.tell(`EKS update ${update.id} is cancelled`);
  } else {
    const resourceIds = order.word === 'InsufficientFreeAddresses' ? world.eks.cluster.subnetIds.slice(0, 1) : [];
    fail(world, update, { errorCode: order.word, errorMessage: MESSAGES[order.word] ?? order.word, resourceIds });
    world.journal.tell(`EKS gives up update ${update.id}: ${order.word}`);
  }
  if (update.resource.kind === 'cluster') cluster.status = 'ACTIVE';
}
