/** What a plan says of a cluster's readiness: the finding that makes the verdict, not the one that comes first. */
import { expect, test } from 'vitest';
import { memberReadiness } from '../../../../domain/plan/campaign/readiness.ts';
import type { OpenFinding } from '../../../../domain/readiness/summary.ts';

const finding = (code: string, status: OpenFinding['status'], message: string): OpenFinding => ({
  code,
  title: code,
  severity: status === 'unknown' ? 'required' : 'recommended',
  status,
  message,
  named: [],
  resourceCount: 0,
});
const ADVICE = finding('EKS021', 'fail', 'Control-plane logging is off for api and audit.');
const BLIND = finding('K8S004', 'unknown', 'not permitted to list pods');
const counts = { required: 0, recommended: 1, unknown: 2, passed: 50, waived: 0 };

test.each<[string, Parameters<typeof memberReadiness>[0], ReturnType<typeof memberReadiness>]>([
  [
    'unknown by what could not be seen, whatever else is recommended',
    { verdict: 'unknowns-only', counts, open: [ADVICE, BLIND] },
    { verdict: 'unknown', why: 'K8S004: not permitted to list pods' },
  ],
  [
    'unknown by what is not among the findings that are named',
    { verdict: 'unknowns-only', counts, open: [ADVICE] },
    { verdict: 'unknown', why: '2 checks could not see everything' },
  ],
  [
    'not ready by the worst',
    { verdict: 'required-findings', counts, open: [finding('K8S018', 'fail', 'x'.repeat(300)), BLIND] },
    { verdict: 'not-ready', why: `K8S018: ${'x'.repeat(192)}` },
  ],
  [
    'ready, with advice',
    { verdict: 'ready', counts, open: [ADVICE] },
    { verdict: 'ready', why: 'EKS021: Control-plane logging is off for api and audit.' },
  ],
  ['ready', { verdict: 'ready', counts, open: [] }, { verdict: 'ready' }],
])('%s', (_name, summary, readiness) => {
  expect(memberReadiness(summary)).toEqual(readiness);
});
