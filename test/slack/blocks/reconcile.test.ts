/** What runs have left behind, as Slack shows it: a line for each, and what of it is in source code. */
import { expect, test } from 'vitest';
import type { ReconcileReport } from '../../../domain/run/leftovers.ts';
import { leftBehindBlocks } from '../../../slack/blocks/reconcile.ts';
import { read } from '../reading.ts';

const IN_CODE = 'Changes of the last run in your source code';
const shown = (report: Partial<ReconcileReport>): string =>
  read(leftBehindBlocks('staging', { applied: false, items: [], unseen: [], ...report })).text.trim();

test('nothing was left behind: one line, and none about code', () => {
  const text = shown({});
  expect(text).toContain('staging');
  expect(text).not.toContain('•');
  expect(text).not.toContain(IN_CODE);
});

test('an object, what cannot be seen, and a change in code: a line each, with its reason', () => {
  const text = shown({
    items: [{ what: 'NodePools default', outcome: 'left', why: '3 nodes are at 1.31' }],
    unseen: [{ what: 'EC2NodeClasses', why: 'the role may not list them' }],
    merges: [{ object: 'HelmRelease kube-system/karpenter', state: 'not-merged', why: 'it says 1.4.0' }],
  });
  expect(text).toMatch(/NodePools default \(3 nodes are at 1\.31\)/);
  expect(text).toContain('• UNKNOWN: EC2NodeClasses cannot be seen (the role may not list them)');
  expect(text.split('\n').findIndex((line) => line.includes(IN_CODE))).toBeLessThan(
    text.split('\n').findIndex((line) => line.includes('HelmRelease kube-system/karpenter (it says 1.4.0)')),
  );
  expect(text).toContain(IN_CODE);
});
