/** What a rehearsal of a fleet says of each cluster, each ring and the whole. */
import { describe, expect, test } from 'vitest';
import { problemOf } from '../../../../rehearsal/play/fleet/members.ts';
import type { MemberReport } from '../../../../rehearsal/play/fleet/options.ts';
import { problemsIn, ringLine, runLine } from '../../../../rehearsal/play/fleet/render.ts';
import { REHEARSAL_REPORT } from '../../../support/rehearsal-report.ts';

const FINE: MemberReport = {
  ...REHEARSAL_REPORT,
  expected: ['completed'],
  runs: [{ runId: 'one', startedAt: '2026-11-20T08:00:00.000Z', outcome: 'completed' }],
  environment: 'dev',
  account: '111122223333',
  region: 'eu-central-1',
};
const CORDONED = { kind: 'cordon' as const, resource: 'nodes/one', what: 'the node is still cordoned' };
const ABORTED = 'Aborted by sam: Control plane 1.31 → 1.32 failed';

type Ended = Partial<Pick<MemberReport, 'outcome' | 'leftBehind' | 'unmet'>>;

describe('whether a run has ended as its scenario says', () => {
  test.each<[string, Ended, 'completed' | 'aborted' | undefined, string | undefined]>([
    ['completed as it should', {}, 'completed', undefined],
    ['aborted as it should: what it did not reach is no problem', { outcome: 'aborted', unmet: ['1 node'] }, 'aborted', undefined],
    ['aborted where it should have completed', { outcome: 'aborted' }, 'completed', 'ended as aborted, not as completed'],
    ['completed where it should have gone bad', {}, 'aborted', 'ended as completed, not as aborted'],
    ['a run too many', {}, undefined, 'ran once more, and ended as completed'],
    [
      'aborted as it should, with a node left cordoned',
      { outcome: 'aborted', leftBehind: [CORDONED] },
      'aborted',
      'left behind: nodes/one: the node is still cordoned',
    ],
    [
      'completed, and a node is behind',
      { unmet: ['nodes that are not at 1.32: 1, the first is one'] },
      'completed',
      'nodes that are not at 1.32: 1, the first is one',
    ],
    [
      'no record',
      { outcome: 'unknown (the run wrote no record; Temporal says nothing)' },
      'completed',
      'ended as unknown (the run wrote no record; Temporal says nothing), not as completed',
    ],
  ])('%s', (_name, ended, expected, problem) => {
    expect(problemOf({ ...FINE, ...ended }, expected)).toBe(problem);
  });
});

describe('lines', () => {
  test.each<[string, Parameters<typeof runLine>[0], string | undefined, string]>([
    ['completed', { ...FINE, expected: 'completed' }, 'Completed', 'dev-1, 1.31 → 1.32: completed in 50 min; nothing left behind'],
    [
      'aborted as it should be',
      { ...FINE, outcome: 'aborted', expected: 'aborted' },
      ABORTED,
      `dev-1, 1.31 → 1.32: aborted (${ABORTED}) in 50 min; as it should, and nothing left behind`,
    ],
    [
      'with a problem',
      { ...FINE, outcome: 'aborted', expected: 'completed', problem: 'ended as aborted, not as completed' },
      undefined,
      'dev-1, 1.31 → 1.32: aborted in 50 min; ended as aborted, not as completed',
    ],
  ])('of a run %s', (_name, run, headline, line) => {
    expect(runLine(run, headline)).toBe(line);
  });

  test.each<[Parameters<typeof ringLine>[0], string[], number, string]>([
    [{ name: 'dev', state: 'complete' }, ['completed'], 1, 'ring dev: 1 completed of 1 cluster; complete'],
    [
      { name: 'staging', state: 'stopped', why: '1 failure, and at most 0 allowed: staging-1 (failed: aborted)' },
      ['aborted', 'completed'],
      4,
      'ring staging: 1 aborted, 1 completed of 4 clusters; stopped: 1 failure, and at most 0 allowed: staging-1 (failed: aborted)',
    ],
    [{ name: 'dev', state: 'complete-with-exceptions' }, [], 2, 'ring dev: none ended of 2 clusters; complete with exceptions'],
  ])('of a ring: %j', (ring, outcomes, of, line) => {
    expect(ringLine(ring, outcomes, of)).toBe(line);
  });

  test('of the whole where something is wrong', () => {
    const bad = { ...FINE, cluster: 'dev-2', problem: 'ended as aborted, not as completed' };
    const campaign = { name: 'to-1-32', state: 'complete', rings: [] };
    expect(problemsIn({ campaign, clusters: [FINE] })).toBe('');
    expect(problemsIn({ campaign, clusters: [FINE, bad] })).toBe(
      '1 of 2 clusters are not as they should be.\n  dev-2: ended as aborted, not as completed',
    );
    expect(problemsIn({ campaign: { ...campaign, state: 'stopped' }, clusters: [FINE] })).toBe(
      'The campaign to-1-32 is stopped, not complete.',
    );
  });
});
