/** A plan, or the rules that it would break, as people read it before anything runs. */
import { planWay } from '../../domain/plan/model/rollback-text.ts';
import { orderLine, type PlanOrder } from '../../domain/policy/environments.ts';
import { usualWords } from '../../domain/plan/model/usual.ts';
import { triedLines } from '../../domain/health/checks.ts';
import { forecastLine } from '../../domain/run/forecasts/quoted-text.ts';
import type { Finding } from '../../domain/core/findings.ts';
import type { PlannedStep, PlanResult, RuleViolation, StrategyCost, UpgradePlan } from '../../domain/plan/model/types.ts';
import { windowsLine } from '../../domain/policy/windows.ts';
import { capital, count, duration } from '../../domain/core/text.ts';
import { context, header, message, type Rendered, sections } from './kit/elements.ts';
import { code, mrkdwn } from './kit/text.ts';
import { cannotGoBack, cannotUpgrade, durationsNotLearnt, nothingStarted, planAsksFirst, workWithoutWaits } from '../messages/cluster.ts';

const ORDER_ICONS: Record<PlanOrder['status'], string> = { pass: '✅', fail: '⏳', unknown: '❔' };

/** What is known beside a plan. `health`: its checks as they were tried; told are those that see nothing. */
export type BesidePlan = Pick<Extract<PlanResult, { kind: 'plan' }>, 'windows' | 'order' | 'health' | 'forecast'>;

export function planBlocks(plan: UpgradePlan, { windows, order, health = [], forecast }: BesidePlan = {}): Rendered {
  const title = `Plan: ${plan.cluster.name} ${planWay(plan)}`;
  const chosen = plan.strategies.find(({ strategy }) => strategy === plan.strategy);
  const summary = [
    `${count(plan.hops.length, 'hop')} (${plan.hops
      .slice(0, 10)
      .map((hop) => mrkdwn(hop, 12))
      .join(', ')})`,
    count(plan.steps.length, 'step'),
    workWithoutWaits(duration(plan.expectedMs)),
    ...(chosen === undefined ? [] : [count(chosen.nodeReplacementCount, 'node replacement')]),
  ].join(' · ');
  return message(`${mrkdwn(title, 300)}: ${summary}`, [
    header(title),
    // With one hop there is nothing to choose.
    ...sections([summary, ...(plan.hops.length > 1 ? plan.strategies.slice(0, 5).map((cost) => strategyLine(cost, plan.strategy)) : [])]),
    ...(forecast === undefined ? [] : sections([`🔭 ${mrkdwn(capital(forecastLine(forecast)), 600)}`])),
    ...(windows === undefined ? [] : sections([`🕰 ${mrkdwn(windowsLine(windows), 600)}`])),
    ...(order === undefined ? [] : sections([`${ORDER_ICONS[order.status]} ${mrkdwn(capital(orderLine(order, plan.to)), 1_500)}`])),
    ...sections(
      triedLines(health.filter(({ kind }) => kind !== 'live')).map((line) => `⚠ ${mrkdwn(line, 600)}`),
      2,
    ),
    ...sections(plan.steps.map(stepLine), 8),
    ...sections(plan.findings.slice(0, 30).map(findingLine), 2),
    ...context([planAsksFirst(mrkdwn(plan.hash, 12)), unlearntLine(plan)]),
  ]);
}

/** Durations of others look the same as one's own: people are told why. */
function unlearntLine({ unlearnt }: UpgradePlan): string {
  return unlearnt === undefined ? '' : durationsNotLearnt(mrkdwn(unlearnt, 300));
}

/** What a refused plan says: each rule by name with its remedy. `target` undefined: a way back. */
export function refusedBlocks(cluster: string, target: string | undefined, violations: readonly RuleViolation[]): Rendered {
  const title = target === undefined ? cannotGoBack(cluster) : cannotUpgrade(cluster, target);
  const lines = violations
    .slice(0, 40)
    .map(({ rule, message: text, remedy }) => `🚫 ${code(rule, 80)}: ${mrkdwn(text, 500)}\n      *Remedy:* ${mrkdwn(remedy, 500)}`);
  return message(`${mrkdwn(title, 300)}. ${nothingStarted()}`, [
    header(`🚫 ${title}`),
    ...sections(lines, 5),
    ...context([nothingStarted()]),
  ]);
}

function strategyLine(cost: StrategyCost, chosen: string): string {
  const mark = cost.strategy === chosen ? '●' : '○';
  const text = cost.possible
    ? `${count(cost.nodeReplacementCount, 'node replacement')} over ${count(cost.hopCount, 'hop')}`
    : `not possible: ${mrkdwn(cost.why ?? 'no reason given', 200)}`;
  return `${mark} ${code(cost.strategy, 40)} ${text}`;
}

function stepLine(step: PlannedStep, index: number): string {
  const gate = step.gate === undefined ? '' : ' 🔒';
  const takes = step.usual === undefined ? `~${duration(step.expectedMs)}` : usualWords(step.expectedMs, step.usual);
  return `${index + 1}. *${mrkdwn(step.title, 100)}*${gate} · ${takes}\n      ${mrkdwn(step.why, 200)}`;
}

function findingLine(finding: Finding): string {
  const icon = finding.status === 'fail' ? '⚠' : finding.status === 'unknown' ? '❔' : '✅';
  return `${icon} *${mrkdwn(finding.title, 120)}*: ${mrkdwn(finding.message, 250)} ${code(finding.code, 40)}`;
}
