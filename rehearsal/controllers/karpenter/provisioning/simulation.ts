/**
 * Where the pods of a node would go, which Karpenter asks before it replaces the node (sigs.k8s.io/karpenter v1.14.1,
 * pkg/controllers/disruption/helpers.go: SimulateScheduling). Of a loaded cluster only: its kinds of instances are known.
 */
import { budgetsOf } from '../../../kubernetes/pods/eviction.ts';
import { controllerOf, isTerminating } from '../../../kubernetes/pods/pods.ts';
import { type Room, roomsOf } from '../../../kubernetes/controllers/scheduling/rooms.ts';
import type { KubeObject } from '../../../kubernetes/store.ts';
import type { World } from '../../../world/world.ts';
import { isTrue } from '../../conditions.ts';
import { reschedulable } from '../../drain.ts';
import { holds } from '../do-not-disrupt.ts';
import { type Bin, place, roomOfClaim, settled } from './packing.ts';
import { unschedulable } from './provisioning.ts';

/** Nodes that have to come first, none where there is room; or what keeps the pods where they are, in Karpenter's words. */
export type Simulated = { bins: Bin[] } | { blocked: string };

/**
 * `commands`: by name, the claims that are being replaced already. `moved`: pods that have just been evicted; a second later, before Karpenter's next look,
 * they are somewhere else.
 */
export function simulate(
  world: World,
  claim: KubeObject,
  commands: ReadonlyMap<string, unknown>,
  moved: readonly KubeObject[] = [],
): Simulated {
  const claims = world.store.list('nodeclaims');
  const leaving = claims.filter((each) => isTerminating(each) || commands.has(each.metadata.name));
  const own = movable(world, claim);
  const others = leaving.flatMap((each) => movable(world, each));
  const pending = unschedulable(world);
  const away = new Set([claim, ...leaving].map(({ status }) => String(status?.nodeName ?? '')));
  const coming = comingRooms(world, claims, away);
  const rooms = [...standingRooms(world, claims, away), ...coming.keys()];
  const { bins, at, left } = place(world, [...pending, ...own, ...others], rooms, {
    going: new Set([claim, ...leaving].map(({ metadata }) => metadata.name)),
    before: moved,
  });
  // Pods of nodes that are going already are expected on nodes that are coming for them; no new command may rely on these.
  const why = own.flatMap((pod) => {
    const on = coming.get(at.get(pod) ?? NOWHERE);
    if (on !== undefined) return [`${nameOf(pod)} => would schedule against uninitialized nodeclaim/${on.metadata.name}`];
    return left.includes(pod) ? [`${nameOf(pod)} => no instance type has enough resources`] : [];
  });
  // Also those that pods of nodes that are going, and pending ones, need beside this one's: Karpenter launches them all and waits for all (drift.go).
  return why.length === 0 ? { bins } : { blocked: `Not all pods would schedule, ${why.slice(0, MOST_NAMED).join(' ')}` };
}

const MOST_NAMED = 5;
const NOWHERE = {} as Room;
const nameOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;

/** Pods of its node that look for a place, those of a StatefulSet until they have ended (pkg/utils/pod/scheduling.go: IsReschedulable). */
export function movable(world: World, { status }: KubeObject): KubeObject[] {
  return reschedulable(world, String(status?.nodeName ?? '')).filter(
    (pod) => !staysFor(world, pod) && (!isTerminating(pod) || controllerOf(pod)?.kind === 'StatefulSet'),
  );
}

/** No room is made for what will never be evicted (pkg/utils/pdb/pdb.go: IsCurrentlyReschedulable). */
const staysFor = (world: World, pod: KubeObject): boolean =>
  holds(world, pod) ||
  budgetsOf(world.store, pod).some(
    ({ spec: { minAvailable, maxUnavailable } }) => maxUnavailable === 0 || maxUnavailable === '0%' || minAvailable === '100%',
  );

/** Initialized nodes and those of nobody's claim, by name (provisioning/scheduling/scheduler.go: calculateExistingNodeClaims). */
function standingRooms(world: World, claims: readonly KubeObject[], away: ReadonlySet<string>): Room[] {
  const young = new Set(claims.filter((each) => !isTrue(each, 'Initialized')).map(({ status }) => String(status?.nodeName ?? '')));
  return roomsOf(world.store)
    .all.filter(({ node, open }) => open && !away.has(node.metadata.name) && !young.has(node.metadata.name))
    .toSorted((a, b) => (a.node.metadata.name < b.node.metadata.name ? -1 : 1));
}

/** Of claims that are not Initialized, with or without a node. */
function comingRooms(world: World, claims: readonly KubeObject[], away: ReadonlySet<string>): Map<Room, KubeObject> {
  const rooms = roomsOf(world.store);
  const coming = claims.filter(
    (each) => !isTrue(each, 'Initialized') && !isTerminating(each) && !away.has(String(each.status?.nodeName ?? 'none yet')),
  );
  return new Map(
    coming.map((each) => {
      const room = rooms.of(each.status?.nodeName);
      return [room === undefined ? roomOfClaim(world, each) : settled(room), each];
    }),
  );
}
