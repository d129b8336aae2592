/** How a rollback point and the way of a run are said at gates, in plans and in titles. */
import { expect, test } from 'vitest';
import { planWay, rollbackLines, rollbackText, runWay } from '../../../../domain/plan/model/rollback-text.ts';
import type { RollbackPoint, UpgradePlan } from '../../../../domain/plan/model/types.ts';

const eks: RollbackPoint = { what: 'control plane', how: 'EKS version rollback', until: '7 days after it', cost: 'nodes go back first' };
const none: RollbackPoint = { what: 'nothing', how: 'it only reads', until: '', cost: '' };

test.each<[RollbackPoint, string, string[]]>([
  [
    eks,
    'Control plane: EKS version rollback. Until: 7 days after it. Cost: nodes go back first.',
    ['• Control plane: EKS version rollback', '• Until: 7 days after it', '• Cost: nodes go back first'],
  ],
  [none, 'Nothing to undo: it only reads.', ['Nothing to undo: it only reads.']],
])('$what', (point, text, lines) => {
  expect(rollbackText(point)).toBe(text);
  expect(rollbackLines(point)).toEqual(lines);
});

const way = { from: '1.32', to: '1.33' };
const undoes: UpgradePlan['undoes'] = { step: 'add-ons', runId: 'r', startedAt: '2026-03-03T12:00:00Z' };

test.each<[Parameters<typeof planWay>[0], string, string]>([
  [way, '1.32 → 1.33', '1.32 → 1.33'],
  [{ ...way, kind: 'back' }, 'back 1.32 → 1.33', '1.32 → 1.33'],
  [{ ...way, kind: 'undo', undoes }, 'add-ons back, at 1.33', 'add-ons back, at 1.33'],
])('the way of a run: %j', (plan, asPlan, asRun) => {
  expect(planWay(plan)).toBe(asPlan);
  expect(runWay({ ...plan, undoes: plan.undoes?.step })).toBe(asRun);
});

test('a run that does not know where it begins', () => expect(runWay({ to: '1.33' })).toBe('? → 1.33'));
