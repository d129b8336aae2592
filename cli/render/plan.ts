/** A plan, or its refusal, as text. */
import { rollbackText } from '../../domain/plan/words.ts';
import pc from 'picocolors';
import { type TriedCheck, triedLines } from '../../domain/health-checks.ts';
import type { PlanResult, RuleViolation, UpgradePlan } from '../../domain/plan/types.ts';
import { type PlanWindows, windowsLine } from '../../domain/windows.ts';
import { capital, count, duration } from '../../domain/words.ts';
import { heading } from './words.ts';

export function renderPlan(result: PlanResult): string {
  return result.kind === 'plan' ? renderSteps(result.plan, result.windows, result.health) : renderViolations(result.violations);
}

/** A far target breaks many rules in the same way: the first few say enough. */
const SHOWN_VIOLATIONS = 8;

export function renderViolations(violations: RuleViolation[]): string {
  const lines = violations
    .slice(0, SHOWN_VIOLATIONS)
    .map(({ rule, message, remedy }) => `${pc.red('✗')} ${message} ${pc.dim(`(${rule})`)}\n  → ${remedy}`);
  const more = violations.length - lines.length;
  return [...lines, ...(more > 0 ? [`  … and ${more} more; --format json has them all`] : [])].join('\n');
}

function renderSteps(plan: UpgradePlan, windows: PlanWindows | undefined, health: readonly TriedCheck[] = []): string {
  const { cluster } = plan;
  const lines = [
    heading(`${cluster.name} (${cluster.account}, ${cluster.region}): ${[plan.from, ...plan.hops].join(' → ')}`),
    `${count(plan.hops.length, 'hop')}, ${count(plan.steps.length, 'step')}, about ${duration(plan.expectedMs)} without the waiting for people`,
    ...(windows === undefined ? [] : [capital(windowsLine(windows))]),
    ...triedLines(health.filter(({ kind }) => kind !== 'live')),
    '',
    'Nodes:',
    ...plan.strategies.map(({ strategy, possible, why, nodeReplacementCount }) => {
      const chosen = strategy === plan.strategy ? pc.green('●') : '○';
      const cost = possible ? count(nodeReplacementCount, 'node replacement') : `not possible: ${why ?? 'a rule forbids it'}`;
      return `  ${chosen} ${strategy}: ${cost}`;
    }),
  ];
  for (const hop of plan.hops) {
    lines.push('', heading(`Hop to ${hop}`));
    for (const step of plan.steps.filter((candidate) => candidate.hop === hop)) {
      if (step.gate !== undefined) lines.push(`  ${pc.yellow('◆ gate')}  ${step.gate.next} ${pc.dim(`(${step.gate.why})`)}`);
      lines.push(`  ${pc.bold(step.id)}  ${step.title}, about ${duration(step.expectedMs)}`);
      lines.push(`      ${pc.dim('why ')} ${step.why}`);
      lines.push(`      ${pc.dim('undo')} ${rollbackText(step.rollback)}`);
    }
  }
  if (plan.findings.length > 0) {
    lines.push('', heading('Worth knowing'));
    for (const finding of plan.findings)
      lines.push(`  ${finding.code}  ${finding.message}${finding.remediation === undefined ? '' : `\n      → ${finding.remediation}`}`);
  }
  lines.push('', pc.dim(`Plan ${plan.hash}`));
  return lines.join('\n');
}
