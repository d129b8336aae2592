/** The plan in the words of a gate: what stands in it, and what can still be undone. */
import type { GateEvidence } from '../domain/gate.ts';
import type { PlannedStep, UpgradePlan } from '../domain/plan/types.ts';
import { rollbackText } from '../domain/plan/words.ts';

const minutes = (ms: number): string => `about ${Math.max(1, Math.round(ms / 60_000))} min`;

export function planEvidence(plan: UpgradePlan): GateEvidence[] {
  const costs = plan.strategies.map(
    (s) =>
      `${s.strategy}${s.strategy === plan.strategy ? ' (chosen)' : ''}: ${s.possible ? `${s.nodeReplacementCount} node replacements` : `not possible, ${s.why ?? ''}`}`,
  );
  const findings = plan.findings
    .filter((f) => f.status !== 'pass')
    .slice(0, 6)
    .map((f) => `${f.status === 'unknown' ? 'UNKNOWN ' : ''}${f.title}: ${f.message}`);
  return [
    {
      title: `Plan ${plan.from} → ${plan.to}, ${minutes(plan.expectedMs)}`,
      lines: [`${plan.steps.length} steps in ${plan.hops.length} hops, plan ${plan.hash.slice(0, 12)}`, ...costs],
    },
    ...(findings.length === 0 ? [] : [{ title: 'To know', lines: findings }]),
  ];
}

export function undoText(step: PlannedStep): string {
  return rollbackText(step.rollback);
}
