/** A plan, or its refusal, as text. */
import { usualRange } from '../../domain/plan/model/usual.ts';
import { planWay, rollbackText } from '../../domain/plan/model/rollback-text.ts';
import pc from 'picocolors';
import { orderLine } from '../../domain/policy/environments.ts';
import { triedLines } from '../../domain/health/checks.ts';
import type { PlanForecast } from '../../domain/plan/forecast/quoted.ts';
import { forecastDetails, forecastLine } from '../../domain/run/forecasts/quoted-text.ts';
import type { PlannedStep, PlanResult, RuleViolation, UpgradePlan } from '../../domain/plan/model/types.ts';
import { windowsLine } from '../../domain/policy/windows.ts';
import { capital, count, duration } from '../../domain/core/text.ts';
import { heading } from './words.ts';
import { durationsNotLearnt, moreViolations, noForecast, planSize } from '../messages/views.ts';

export function renderPlan(result: PlanResult): string {
  return result.kind === 'plan' ? renderSteps(result) : renderViolations(result.violations);
}

/** A far target breaks many rules in the same way: the first few say enough. */
const SHOWN_VIOLATIONS = 8;

export function renderViolations(violations: RuleViolation[]): string {
  const lines = violations
    .slice(0, SHOWN_VIOLATIONS)
    .map(({ rule, message, remedy }) => `${pc.red('✗')} ${message} ${pc.dim(`(${rule})`)}\n  → ${remedy}`);
  const more = violations.length - lines.length;
  return [...lines, ...(more > 0 ? [`  ${moreViolations(more)}`] : [])].join('\n');
}

const takes = ({ expectedMs, usual }: PlannedStep): string =>
  usual === undefined ? `about ${duration(expectedMs)}` : usualRange(expectedMs, usual);

/** Ways back are not played. */
function forecastLines({ kind, cluster, to }: UpgradePlan, forecast: PlanForecast | undefined): string[] {
  if (forecast === undefined) return kind === undefined ? [pc.dim(noForecast(cluster.name, to))] : [];
  const details = forecast.kind === 'made' ? forecastDetails(forecast) : [];
  return [capital(forecastLine(forecast)), ...details.map((line) => `  ${line}`)];
}

function renderSteps({ plan, windows, order, health = [], forecast }: Extract<PlanResult, { kind: 'plan' }>): string {
  const { cluster } = plan;
  const lines = [
    heading(
      `${cluster.name} (${cluster.account}, ${cluster.region}): ${plan.kind === 'undo' ? planWay(plan) : [plan.from, ...plan.hops].join(' → ')}`,
    ),
    planSize(plan.hops.length, plan.steps.length, duration(plan.expectedMs)),
    ...forecastLines(plan, forecast),
    ...(windows === undefined ? [] : [capital(windowsLine(windows))]),
    ...(order === undefined ? [] : [capital(orderLine(order, plan.to))]),
    ...(plan.unlearnt === undefined ? [] : [pc.yellow(durationsNotLearnt(plan.unlearnt))]),
    ...triedLines(health.filter(({ kind }) => kind !== 'live')),
    ...(plan.strategies.length === 0 ? [] : ['', 'Nodes:']),
    ...plan.strategies.map(({ strategy, possible, why, nodeReplacementCount }) => {
      const chosen = strategy === plan.strategy ? pc.green('●') : '○';
      const cost = possible ? count(nodeReplacementCount, 'node replacement') : `not possible: ${why ?? 'a rule forbids it'}`;
      return `  ${chosen} ${strategy}: ${cost}`;
    }),
  ];
  for (const hop of plan.hops) {
    lines.push(
      '',
      heading(plan.undoes !== undefined ? `Undo ${plan.undoes.step}` : plan.kind === 'back' ? `Back to ${hop}` : `Hop to ${hop}`),
    );
    for (const step of plan.steps.filter((candidate) => candidate.hop === hop)) {
      if (step.gate !== undefined) lines.push(`  ${pc.yellow('◆ gate')}  ${step.gate.next} ${pc.dim(`(${step.gate.why})`)}`);
      lines.push(`  ${pc.bold(step.id)}  ${step.title}, ${takes(step)}`);
      lines.push(`      ${pc.dim('why ')} ${step.why}`);
      lines.push(`      ${pc.dim('undo')} ${rollbackText(step.rollback)}`);
    }
  }
  if (plan.findings.length > 0) {
    lines.push('', heading('Worth knowing'));
    for (const finding of plan.findings)
      lines.push(
        `  ${finding.code}  ${finding.status === 'unknown' ? `${finding.title}: ` : ''}${finding.message}${finding.remediation === undefined ? '' : `\n      → ${finding.remediation}`}`,
      );
  }
  lines.push('', pc.dim(`Plan ${plan.hash}`));
  return lines.join('\n');
}
