/** Right after a change some checks fail for a moment: looks again until they pass, and reports the last look. */
import { type Finding, stops, verdictOf } from '../../../domain/core/findings.ts';
import type { Timing } from '../../../domain/policy/policy.ts';
import { type WaitResult, waitUntil } from '../../runtime/wait-until.ts';
import type { CheckReport } from '../../contract/belay-activities.ts';
import { finding, report, UPGRADE_CHECKS } from './catalogue.ts';

/** This many longest polls are given to settle, and never less than the minimum. */
const SETTLING_POLLS = 10;
const SETTLING_MIN_MS = 10_000;

/**
 * A last look that could not be taken is unknown, whatever the looks before it saw; while the API server is away it is waited for as long as
 * transient failures may last.
 */
export async function settle(
  timing: Timing,
  doing: string,
  look: () => Promise<Finding[]>,
  timeoutMs = Math.max(SETTLING_MIN_MS, SETTLING_POLLS * timing.pollMaxMs),
): Promise<CheckReport> {
  let last: Finding[] | undefined;
  const watch = (limitMs: number): Promise<WaitResult<undefined>> =>
    waitUntil<undefined>({ timing, doing, timeoutMs: limitMs }, async () => {
      last = undefined;
      const findings = await look();
      last = findings;
      const failed = findings.find((one) => stops(one) && one.status === 'fail');
      const lasts = failed !== undefined && UPGRADE_CHECKS.get(failed.code)?.lasting === true;
      if (lasts || verdictOf(findings) !== 'required-findings') return { done: true, value: undefined };
      return { done: false, note: failed?.message };
    });
  let end = await watch(timeoutMs);
  if (end.kind === 'timed-out' && last === undefined && timing.apiTransientMs > timeoutMs)
    end = await watch(timing.apiTransientMs - timeoutMs);
  if (last !== undefined) return report(last);
  const why = end.kind === 'timed-out' ? (end.lastNote ?? 'no answer') : 'no answer';
  return report([finding('K8S101', { status: 'unknown', message: `The checks could not be made: ${why}` })]);
}
