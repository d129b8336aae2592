/** Every way to fail has a row: what it means, what to do, and what can be chosen. */
import { describe, expect, test } from 'vitest';
import { AddonIssueCode, ClusterIssueCode, ErrorCode, NodegroupIssueCode } from '@aws-sdk/client-eks';
import { choicesFor, type FailureCause, helpedBy } from '../../../domain/run/failure-causes.ts';
import { FAILURES } from '../../../domain/core/failure-types.ts';
import { FAILURE_TABLE } from '../../../domain/tables/failures.ts';
import type { FailureScope } from '../../../domain/tables/failure-advice.ts';

const CODES: [FailureScope, readonly string[]][] = [
  ['update', Object.values(ErrorCode)],
  ['node-group', Object.values(NodegroupIssueCode)],
  ['add-on', Object.values(AddonIssueCode)],
  ['cluster', Object.values(ClusterIssueCode)],
  ['belay', [...Object.keys(FAILURES), 'Cancelled', 'TimedOut', 'Vanished', 'NotAsReported', 'NodesNotBack', 'GoingBack']],
];

test.each(CODES)('every code of %s has a row, and no row is left over', (scope, codes) => {
  expect(Object.keys(FAILURE_TABLE[scope]).toSorted()).toEqual([...codes].toSorted());
});

test.each(CODES)('rows of %s say in whole sentences what it means and what to do, and can always be aborted', (scope) => {
  for (const { says, suggestion, choices } of Object.values(FAILURE_TABLE[scope])) {
    expect(says).toMatch(/^[A-Z].+\.$/);
    expect(suggestion).toMatch(/^[A-Z].+\.$/);
    expect(says.length + suggestion.length).toBeLessThan(300);
    expect(choices.at(-1)).toBe('abort');
  }
});

const group = (code: string, own = true): FailureCause => ({
  scope: 'update',
  code,
  resource: { kind: 'node-group', name: 'workers' },
  own,
});
const addOn = (code: string, own = true): FailureCause => ({ scope: 'update', code, resource: { kind: 'add-on', name: 'coredns' }, own });

describe('choices', () => {
  test.each<[string, FailureCause[], string[]]>([
    ['nothing is known', [], ['retry', 'skip', 'abort']],
    ['a code newer than the table', [group('SomethingNew')], ['retry', 'skip', 'abort']],
    ['pods that are not evicted', [group('PodEvictionFailure')], ['retry', 'force', 'skip', 'abort']],
    ['the same where Terraform rolls the group', [group('PodEvictionFailure', false)], ['retry', 'skip', 'abort']],
    ['a conflict of an add-on', [addOn('ConfigurationConflict')], ['preserve', 'overwrite', 'skip', 'abort']],
    ['the same where Terraform updates it', [addOn('ConfigurationConflict', false)], ['retry', 'skip', 'abort']],
    ['no addresses', [group('InsufficientFreeAddresses')], ['fixed', 'skip', 'abort']],
    ['two groups, of which one wants mending', [group('PodEvictionFailure'), group('AccessDenied')], ['fixed', 'force', 'skip', 'abort']],
    ['a VPC that is gone', [{ scope: 'update', code: 'VpcIdNotFound' }], ['fixed', 'abort']],
  ])('%s', (_, causes, choices) => {
    expect(choicesFor(causes)).toEqual(choices);
  });

  test('force is for those that failed so, and only for those', () => {
    const second = { ...group('PodEvictionFailure'), resource: { kind: 'node-group', name: 'gpu' } as const };
    expect(helpedBy('force', [group('AccessDenied'), second, second])).toEqual(['gpu']);
  });
});
