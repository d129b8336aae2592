/** What stands before a ring. */
import type { RingView } from '../../../domain/run/campaign/view.ts';

export const RING_MARKS: Readonly<Record<RingView['state'], string>> = {
  pending: '○',
  'awaiting-approval': '🔒',
  running: '▶',
  soaking: '⏳',
  stopped: '⏹',
  complete: '✅',
  'complete-with-exceptions': '⚠',
};
