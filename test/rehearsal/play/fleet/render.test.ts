/** What a rehearsal of a fleet says of each cluster, each ring and the whole. */
import { describe, expect, test } from '@jest/globals';
import { problemOf } from '../../../../rehearsal/play/fleet/members.ts';
import type { MemberReport } from '../../../../rehearsal/play/fleet/options.ts';
import { memberLine, problemsIn, ringLine } from '../../../../rehearsal/play/fleet/render.ts';

const FINE: MemberReport = {
  outcome: 'completed',
  expected: 'completed',
  scenario: 'dev-1',
  cluster: 'dev-1',
  environment: 'dev',
  account: '111122223333',
  region: 'eu-central-1',
  from: '1.31',
  to: '1.32',
  workflowId: 'eks-upgrade/111122223333/eu-central-1/dev-1',
  wallSeconds: 10,
  worldSeconds: 3_000,
  steps: [],
  gates: [],
  mutations: [],
  killed: [],
  faults: [],
  leftBehind: [],
  unmet: [],
  historyEvents: 1,
  historyBytes: 1,
};
const CORDONED = { kind: 'cordon' as const, resource: 'nodes/one', what: 'the node is still cordoned' };
const ABORTED = 'Aborted by sam: Control plane 1.31 → 1.32 failed';

describe('whether a cluster is as its scenario says', () => {
  test.each<[string, Partial<MemberReport>, string | undefined]>([
    ['completed as it should', {}, undefined],
    [
      'aborted as it should: what it did not reach is no problem',
      { outcome: 'aborted', expected: 'aborted', unmet: ['1 node'] },
      undefined,
    ],
    ['aborted where it should have completed', { outcome: 'aborted' }, 'ended as aborted, not as completed'],
    ['completed where it should have gone bad', { expected: 'aborted' }, 'ended as completed, not as aborted'],
    [
      'aborted as it should, with a node left cordoned',
      { outcome: 'aborted', expected: 'aborted', leftBehind: [CORDONED] },
      'left behind: nodes/one: the node is still cordoned',
    ],
    ['completed, and a node is behind', { unmet: ['1 nodes are not at 1.32, first one'] }, '1 nodes are not at 1.32, first one'],
    [
      'no record',
      { outcome: 'unknown (the run wrote no record; Temporal says nothing)' },
      'ended as unknown (the run wrote no record; Temporal says nothing), not as completed',
    ],
  ])('%s', (_name, changed, problem) => {
    expect(problemOf({ ...FINE, ...changed })).toBe(problem);
  });
});

describe('lines', () => {
  test.each<[string, Partial<MemberReport>, string | undefined, string]>([
    ['completed', {}, 'Completed', 'dev-1, 1.31 → 1.32: completed in 50 min; nothing left behind'],
    [
      'aborted as it should be',
      { outcome: 'aborted', expected: 'aborted' },
      ABORTED,
      `dev-1, 1.31 → 1.32: aborted (${ABORTED}) in 50 min; as it should, and nothing left behind`,
    ],
    [
      'with a problem',
      { outcome: 'aborted', problem: 'ended as aborted, not as completed' },
      undefined,
      'dev-1, 1.31 → 1.32: aborted in 50 min; ended as aborted, not as completed',
    ],
  ])('of a cluster %s', (_name, changed, headline, line) => {
    expect(memberLine({ ...FINE, ...changed }, headline)).toBe(line);
  });

  test('of a ring, and of the whole where something is wrong', () => {
    const bad = { ...FINE, cluster: 'dev-2', outcome: 'aborted', problem: 'ended as aborted, not as completed' };
    expect(ringLine('dev', [FINE, bad, FINE])).toBe('ring dev: 2 completed, 1 aborted of 3 clusters');
    expect(ringLine('dev', [FINE])).toBe('ring dev: 1 completed of 1 cluster');
    expect(problemsIn({ clusters: [FINE, bad] })).toBe(
      '1 of 2 clusters are not as they should be.\n  dev-2: ended as aborted, not as completed',
    );
    expect(problemsIn({ clusters: [FINE] })).toBe('');
  });
});
