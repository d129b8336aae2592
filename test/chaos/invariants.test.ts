/** What a run may leave behind, by `left` of invariants.ts: the referee has rules of its own to hold. */
import { expect, test } from 'vitest';
import type { RehearsalReport, RunRecord } from '../../rehearsal/play/report.ts';
import { REHEARSAL_REPORT } from '../support/rehearsal-report.ts';
import { broken } from './invariants.ts';

const ROLE = {
  kind: 'add-on-settings',
  resource: 'addons/kube-proxy',
  what: 'add-on-settings differ from before',
  after: '"role"',
} as const;
const BUDGETS = { kind: 'budgets', resource: 'nodepools/default', what: 'budgets differ from before' } as const;

function recordOf(decided: readonly [title: string, choice: string][]): RunRecord {
  return {
    outcome: 'completed',
    status: { workflowId: 'belay/staging', headline: 'Completed: staging is at 1.32', steps: [] },
    decisions: decided.map(([title, choice], index) => ({
      kind: 'decided',
      gate: { id: `gate-${index}`, title, openedAt: '2026-03-03T11:00:00.000Z' },
      decision: { choice, actor: { id: 'U0SAM' }, at: '2026-03-03T11:01:00.000Z' },
    })),
    leftBehind: [],
  };
}

const CHANGED = 'Something else changed: add-on kube-proxy: serviceAccountRoleArn';

test.each<[string, RehearsalReport['leftBehind'][number], RunRecord | undefined, string[]]>([
  ['accepted at the gate that named it', ROLE, recordOf([[CHANGED, 'accept-change']]), []],
  ['that no gate named', ROLE, recordOf([]), ['left behind: addons/kube-proxy: add-on-settings differ from before ("role")']],
  [
    'named by a gate where nobody accepted it',
    ROLE,
    recordOf([[CHANGED, 'look-again']]),
    ['left behind: addons/kube-proxy: add-on-settings differ from before ("role")'],
  ],
  [
    'of another add-on than the one that was accepted',
    { ...ROLE, resource: 'addons/coredns' },
    recordOf([[CHANGED, 'accept-change']]),
    ['left behind: addons/coredns: add-on-settings differ from before ("role")'],
  ],
  [
    'of another kind',
    BUDGETS,
    recordOf([['Something else changed: add-on default: x', 'accept-change']]),
    ['left behind: nodepools/default: budgets differ from before'],
  ],
  ['in a run without a record', BUDGETS, undefined, ['left behind: nodepools/default: budgets differ from before']],
])('a change %s', (_, one, record, expected) => {
  expect(broken({ report: { ...REHEARSAL_REPORT, leftBehind: [one] }, record, updates: [], notReplayed: [] })).toEqual(expected);
});
