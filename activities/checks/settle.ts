/** Right after a change some checks fail for a moment: looks again until they pass, and reports the last look. */
import { verdictOf, type Finding } from '../../domain/findings.ts';
import type { Timing } from '../../domain/policy.ts';
import { waitUntil } from '../wait-until.ts';
import { type CheckReport, report } from './catalogue.ts';

/** This many longest polls are given to settle, and never less than the minimum. */
const SETTLING_POLLS = 10;
const SETTLING_MIN_MS = 10_000;

export async function settle(timing: Timing, doing: string, look: () => Promise<Finding[]>): Promise<CheckReport> {
  let last: Finding[] = [];
  await waitUntil<undefined>({ timing, doing, timeoutMs: Math.max(SETTLING_MIN_MS, SETTLING_POLLS * timing.pollMaxMs) }, async () => {
    last = await look();
    if (verdictOf(last) !== 'required-findings') return { done: true, value: undefined };
    const first = last.find((one) => one.severity === 'required' && one.status === 'fail');
    return { done: false, note: first?.message };
  });
  return report(last);
}
