/** How often messages of a campaign are edited that change all the time. */
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';

/** A ring of a hundred clusters changes all the time: one edit in so long. */
const EDIT_MS = 10_000;

export const editPaceMs = ({ boardEditMs }: Pick<UpgradePolicy['timing'], 'boardEditMs'>): number =>
  Math.max(boardEditMs, Math.min(EDIT_MS, 10 * boardEditMs));
