/** What a snapshot says of what it could not read. */
import type { SnapshotGap } from '../../../domain/facts/snapshot/format.ts';
import { withoutCaller } from '../../../domain/facts/snapshot/without-caller.ts';
import type { Unseen } from '../../../domain/readiness/model/evidence.ts';

export const gapOf = (what: string, { kind, why }: Pick<Unseen, 'kind' | 'why'>): SnapshotGap => ({
  kind: 'gap',
  what,
  why: withoutCaller(why),
  ...(kind === 'denied' ? { denied: true } : {}),
});
