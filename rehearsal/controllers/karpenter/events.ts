/** Events as Karpenter records them. */
import { recordEvent as record } from '../../kubernetes/events.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';

/** The same event is not recorded again within this time. */
const QUIET_MS = 60_000;

export function recordEvent(world: World, about: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
  record(world.store, { about, type, reason, message, component: 'karpenter', nowMs: world.clock.nowMs(), quietMs: QUIET_MS });
}
