/** What has come of one press for equal gates of many runs. */
import type { Bundle } from './bundles.ts';

/** What became of one run. Only `voted` and `voted-before` count. */
export type BundleResult =
  | { kind: 'voted' | 'voted-before' }
  /** Temporal keeps the vote until a worker answers. */
  | { kind: 'kept' }
  /** It does not ask any more what was shown. */
  | { kind: 'dropped'; why: string }
  /** By the run's own rules. */
  | { kind: 'refused'; why: string }
  | { kind: 'unreached'; why: string };

export interface BundleOutcome {
  bundle: Pick<Bundle, 'step' | 'rules'>;
  /** In the order of its members. */
  results: { cluster: string; result: BundleResult }[];
}
