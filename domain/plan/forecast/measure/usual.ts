/** What belay.yaml or reports say about a length. */
import { USUAL_DURATIONS } from '../../durations/defaults.ts';
import type { ExpectedDurations, Timing } from '../../../policy/policy.ts';

export const usually = (timing: Timing, what: keyof ExpectedDurations): number => timing.expected?.[what] ?? USUAL_DURATIONS[what];
