/** A control plane that has come to its minor by an update of EKS. */
import type { EksUpdate } from '../../../rehearsal/aws/eks/state.ts';
import type { Twin } from './twin.ts';

const DAY_MS = 24 * 3_600_000;

/** Its last update, of ten minutes, began so many days ago. */
export function movedUp(twin: Twin, to: string, days: number, change: Partial<EksUpdate> = {}): void {
  const { eks, clock } = twin.built.world;
  const beganMs = clock.nowMs() - days * DAY_MS;
  eks.updates.push({
    id: 'up',
    resource: { kind: 'cluster' },
    type: 'VersionUpdate',
    status: 'Successful',
    params: [{ type: 'Version', value: to }],
    createdAtMs: beganMs,
    endedAtMs: beganMs + 600_000,
    errors: [],
    ...change,
  });
}
