/** The plan in the words of a gate: what stands in it, and what can still be undone. */
import type { GateEvidence } from '../../domain/gates/gate.ts';
import type { PlannedStep, UpgradePlan } from '../../domain/plan/model/types.ts';
import { rollbackLines, rollbackText } from '../../domain/plan/model/rollback-text.ts';
import { about, count } from '../../domain/core/text.ts';

export function planEvidence(plan: UpgradePlan): GateEvidence[] {
  const chosen = plan.strategies.find(({ strategy }) => strategy === plan.strategy);
  const parts = [
    `${count(plan.steps.length, 'step')} in ${count(plan.hops.length, 'hop')}`,
    ...(chosen === undefined ? [] : [count(chosen.nodeReplacementCount, 'node replacement')]),
    `${about(plan.expectedMs)} without the waits for people`,
    `plan ${plan.hash.slice(0, 12)}`,
  ];
  // With one hop there is nothing to choose.
  const others = plan.hops.length > 1 ? plan.strategies.filter(({ strategy }) => strategy !== plan.strategy) : [];
  const findings = plan.findings
    .filter((f) => f.status !== 'pass')
    .slice(0, 6)
    .map((f) => `${f.status === 'unknown' ? 'Not known yet: ' : ''}${f.title}: ${f.message}`);
  return [
    {
      title: 'The plan above',
      lines: [
        parts.join(', '),
        ...others.map(
          (s) =>
            `Instead, ${s.strategy}: ${s.possible ? count(s.nodeReplacementCount, 'node replacement') : `not possible, ${s.why ?? ''}`}`,
        ),
      ],
    },
    ...(findings.length === 0 ? [] : [{ title: 'To know', lines: findings }]),
  ];
}

export function undoText(step: PlannedStep): string {
  return rollbackText(step.rollback);
}

/** For a gate before a step: what the step makes harder to undo comes first. */
export function gateUndoText(step: PlannedStep): string {
  const why = step.gate === undefined ? [] : [step.gate.why];
  return [...why, ...(step.rollback.what === 'nothing' ? [] : rollbackLines(step.rollback))].join('\n');
}
