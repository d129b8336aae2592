/** Findings at a gate: what weighs is never pushed out by advice, and what is left out is counted. */
import { expect, test } from 'vitest';
import type { Finding } from '../../../domain/core/findings.ts';
import { findingsEvidence } from '../../../workflows/reporting/finding-evidence.ts';

const finding = (code: string, change: Partial<Finding> = {}): Finding => ({
  code,
  title: `Title of ${code}`,
  severity: 'recommended',
  status: 'fail',
  message: `Message of ${code}.`,
  resources: [],
  resourceCount: 0,
  ...change,
});
const advice = Array.from({ length: 14 }, (_, index) => finding(`K8S${index + 100}`));

test('what cannot be seen stands above advice, however much of that there is', () => {
  const { lines } = findingsEvidence('Pre-checks', [...advice, finding('EKS010', { severity: 'required', status: 'unknown' })], 90);
  expect(lines).toEqual([
    '90 checks passed, 1 unknown, 14 recommendations',
    'UNKNOWN Title of EKS010: Message of EKS010. [EKS010]',
    ...advice.slice(0, 5).map(({ code }) => `Message of ${code}. [${code}]`),
    '9 more: belay check shows them',
  ]);
});

test('many that stop the step leave no room for advice; those beyond a dozen are counted', () => {
  const stopping = Array.from({ length: 13 }, (_, index) => finding(`EKS${index + 100}`, { severity: 'required' }));
  const { lines } = findingsEvidence('Pre-checks', [...advice, ...stopping], 90);
  expect(lines).toHaveLength(14);
  expect(lines[12]).toBe('FAILED Title of EKS111: Message of EKS111. [EKS111]');
  expect(lines[13]).toBe('15 more: belay check shows them');
});

test('a resource that the message names is not said again, not even by its ARN', () => {
  const arn = 'arn:aws:eks:eu-central-1:111122223333:addon/prod/vpc-cni/7ace86ff-8a4c-47b4-a0bd-ed998ff833d8';
  const named = finding('EKS001', { message: 'vpc-cni v1.18.5 is too old.', resources: [arn], resourceCount: 1 });
  const other = finding('EKS002', { resources: [arn], resourceCount: 1 });
  const { lines } = findingsEvidence('Pre-checks', [named, other], 0);
  expect(lines.slice(1)).toEqual(['vpc-cni v1.18.5 is too old. [EKS001]', `Message of EKS002. (${arn}) [EKS002]`]);
});
