/** Whether anything is to do in a world: one that has come to rest, and that nobody talks to, need not be looked after. */
import type { World } from './world.ts';

/** Longer than what goes on unseen: a pod that starts, a node that boots, a merge that somebody waits for. World time. */
const QUIET_AFTER_MS = 15 * 60_000;
/** How often one that dozes is looked after, for what falls due by itself: events that expire, a budget with a schedule. World time. */
const NAP_MS = 60 * 60_000;

export class Doze {
  readonly #world: World;
  #changes = 0;
  #pulse = '';
  #changedAtMs: number;
  #nappedAtMs: number;

  constructor(world: World) {
    this.#world = world;
    this.#changedAtMs = world.clock.nowMs();
    this.#nappedAtMs = this.#changedAtMs;
    // A leader renews its Lease for ever, and nothing follows from it.
    world.store.watch(({ plural }) => void (this.#changes += plural === 'leases' ? 0 : 1));
  }

  /** Somebody talks to the world, and may be waiting for something that controllers do: a Lease that is renewed. */
  touch(): void {
    this.#changes += 1;
  }

  /** Asked again and again: nothing has changed for a while, and nothing is under way. */
  asleep(): boolean {
    const nowMs = this.#world.clock.nowMs();
    const pulse = `${this.#changes} ${pulseOf(this.#world)}`;
    if (pulse !== this.#pulse || isBusy(this.#world)) this.#changedAtMs = nowMs;
    this.#pulse = pulse;
    return nowMs - this.#changedAtMs >= QUIET_AFTER_MS;
  }

  /** Has it slept so long that it is to be looked after once? Says so once. */
  napIsOver(): boolean {
    const nowMs = this.#world.clock.nowMs();
    if (nowMs - Math.max(this.#nappedAtMs, this.#changedAtMs) < NAP_MS) return false;
    this.#nappedAtMs = nowMs;
    return true;
  }
}

/** Differs after whatever a client or a controller has done outside of Kubernetes. */
function pulseOf({ journal, eks }: World): string {
  const templates = eks.network.launchTemplates.reduce((sum, { versions }) => sum + versions.length, 0);
  return [journal.mutations.length, journal.events.length, eks.updates.length, templates].join(' ');
}

/** Takes its time, and ends by itself. */
function isBusy({ eks, clock, faults }: World): boolean {
  return (
    faults.orders.some(({ name, lastsMs }) => lastsMs !== undefined && faults.inForce(name)) ||
    eks.updates.some(({ status }) => status === 'InProgress') ||
    (eks.insightsRefresh?.endsMs ?? 0) > clock.nowMs() ||
    eks.nodeGroups.some(({ status }) => /^(CREATING|UPDATING|DELETING)$/.test(status)) ||
    eks.network.autoScalingGroups.some(
      ({ leaving = [], refreshes = [] }) => leaving.length > 0 || refreshes.some(({ endedAtMs }) => endedAtMs === undefined),
    )
  );
}
