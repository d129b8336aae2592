/** Whether a change that Belay asked for in code has been merged. */

export const MERGED_WORDS = {
  merged: 'merged',
  'not-merged': 'NOT MERGED',
  'not-synced': 'NOT SYNCED',
  'taken-back': 'REVERTED',
  unknown: 'UNKNOWN',
} as const;

export interface MergeFinding {
  /** "HelmRelease karpenter/karpenter" */
  object: string;
  state: keyof typeof MERGED_WORDS;
  why: string;
}
