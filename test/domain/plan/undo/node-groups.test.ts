/** The way back of node groups within their minor: EKS takes none to an older AMI release, which is said with the way out. */
import { expect, test } from 'vitest';
import type { NodeGroupFact } from '../../../../domain/facts/facts.ts';
import { planUndo } from '../../../../domain/plan/undo/plan-undo.ts';
import type { LastRun } from '../../../../domain/plan/undo/last-run.ts';
import { pointOf } from '../../../../domain/facts/rollback-point.ts';
import { healthyFacts, policy } from '../../../support/facts.ts';
import { step } from '../../../support/plan.ts';

const [SYSTEM] = healthyFacts().nodeGroups;
if (SYSTEM === undefined) throw new Error('these facts have a node group');
const FOUND: NodeGroupFact = { ...SYSTEM, releaseVersion: '1.33.2-20260501' };
const point = pointOf(healthyFacts({ nodeGroups: [FOUND] }), 'run-1');

function movedFrom(from: string): LastRun {
  const groups = [{ name: 'system', from, count: 3 }];
  const params = { phase: 'node-groups' as const, to: '1.33', groups, managedBy: 'eks' as const };
  return { runId: 'run-1', startedAt: '2026-09-01T08:00:00.000Z', begun: [step('node-groups', { id: 'node-groups@1.33', params })] };
}

function refused(now: NodeGroupFact, of: typeof point | undefined): string[] {
  const facts = healthyFacts({ nodeGroups: [now] });
  const result = planUndo(facts, { run: movedFrom('1.33'), ...(of === undefined ? {} : { point: of }) }, 'node-groups', policy());
  return result.kind === 'plan' ? ['planned'] : result.violations.map(({ rule, message, remedy }) => `${rule} ${message} ${remedy}`);
}

test('a newer release of the same minor stays; a new group at the old one is the way', () => {
  expect(refused(SYSTEM, point)).toEqual([
    'RBK109 Node group system is at 1.33 as before, but at AMI release 1.33.4-20260801 where the run found 1.33.2-20260501: EKS takes no node group to an older release of the same minor. ' +
      'Make a new node group of 1.33 at that release (aws eks create-nodegroup --release-version 1.33.2-20260501) with the same labels and taints, drain this one, and delete it when its pods have moved.',
  ]);
});

const NOTHING = 'RBK103 Every node group that the run of 2026-09-01 08:00 UTC moved is at its minor before. There is nothing to do.';

test.each([
  { what: 'the release of before', now: FOUND, of: point },
  {
    what: 'an image of its own, which has no release',
    now: { ...SYSTEM, amiType: 'CUSTOM', releaseVersion: undefined },
    of: pointOf(healthyFacts({ nodeGroups: [{ ...SYSTEM, releaseVersion: undefined }] }), 'run-1'),
  },
  { what: 'without a rollback point nothing is known of releases', now: SYSTEM, of: undefined },
])('nothing to do: $what', ({ now, of }) => {
  expect(refused(now, of)).toEqual([NOTHING]);
});

test('an update that failed halfway is not taken for undone: EKS says the older minor, the nodes do not', () => {
  const half = { ...SYSTEM, version: '1.32' };
  const facts = healthyFacts({
    nodeGroups: [half],
    kubelets: [
      { minor: '1.32', count: 2, owner: 'node-group' },
      { minor: '1.33', count: 1, owner: 'node-group' },
    ],
  });
  const result = planUndo(facts, { run: movedFrom('1.32') }, 'node-groups', policy());
  expect(result).toMatchObject({
    kind: 'refused',
    violations: [
      {
        rule: 'RBK109',
        message:
          'EKS gives 1.32 as the version of every node group, but some of their nodes are newer: an update that did not end well has replaced them.',
        remedy:
          'EKS rolls back whole groups: repeat the update with aws eks update-nodegroup-version --cluster-name prod --nodegroup-name system --kubernetes-version 1.33, then request this again.',
      },
    ],
  });
});

test('a minor to which the run has not brought it: somebody else has, and it is left to them', () => {
  expect(refused({ ...SYSTEM, version: '1.34' }, undefined)).toEqual([
    expect.stringMatching(
      /^RBK104 Node group system is at 1\.34, to which the run has not brought it \(1\.33\): somebody has changed it since\. /,
    ),
  ]);
});

test('a group that is gone, or could not be read, is named', () => {
  expect(refused({ ...SYSTEM, name: 'another' }, undefined)[0]).toMatch(
    /^RBK104 Node group system is not there any more, or could not be read\. /,
  );
});
