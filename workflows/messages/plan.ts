/** The plan as evidence at the first gate. */
import { about, capital, count } from '../../domain/core/text.ts';
import type { GateEvidence } from '../../domain/gates/gate.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import type { ForecastOutcome } from '../../domain/run/notifications.ts';
import type { PlanForecast } from '../../domain/plan/forecast/quoted.ts';
import { forecastDetails, forecastLine } from '../../domain/run/forecasts/quoted-text.ts';
import { timeText } from '../../domain/run/forecasts/texts.ts';

/** A gate is read on a phone. */
const MAX_FINDINGS = 6;
/** What a plan leaves to the pre-checks: nothing is wrong with it. */
const LEFT_FOR_LATER = 'PLN005';

type Summarized = Pick<UpgradePlan, 'steps' | 'hops' | 'strategy' | 'strategies' | 'expectedMs' | 'hash'>;

export function planInShort({ steps, hops, strategy, strategies, expectedMs, hash }: Summarized): GateEvidence {
  const chosen = strategies.find((each) => each.strategy === strategy);
  const parts = [
    `${count(steps.length, 'step')} in ${count(hops.length, 'hop')}`,
    ...(chosen === undefined ? [] : [count(chosen.nodeReplacementCount, 'node replacement')]),
    `${about(expectedMs)} without waits for decisions`,
    `plan ${hash.slice(0, 12)}`,
  ];
  // With one hop there is nothing to choose.
  const others = hops.length > 1 ? strategies.filter((each) => each.strategy !== strategy) : [];
  return {
    title: 'The plan above',
    lines: [
      parts.join(', '),
      ...others.map(
        (s) => `Instead, ${s.strategy}: ${s.possible ? count(s.nodeReplacementCount, 'node replacement') : `not possible, ${s.why ?? ''}`}`,
      ),
    ],
    verdict: 'clear',
  };
}

/** None where everything was checked. */
export function planFindings({ findings }: Pick<UpgradePlan, 'findings'>): GateEvidence[] {
  const open = findings.filter(({ status }) => status !== 'pass').slice(0, MAX_FINDINGS);
  const later = open.filter(({ code }) => code === LEFT_FOR_LATER);
  const others = open.filter(({ code }) => code !== LEFT_FOR_LATER);
  return [
    ...(others.length === 0
      ? []
      : [
          {
            title: 'Before you decide',
            lines: others.map(({ status, title, message }) => `${status === 'unknown' ? 'UNKNOWN ' : ''}${title}: ${message}`),
            verdict: worstOf(others),
          },
        ]),
    // The pre-checks, which every run has, see to it.
    ...later.map(({ title, message }) => ({ title, lines: [message], verdict: 'advice' as const })),
  ];
}

/** What was foreseen of it; nothing where no forecast was made. It holds up nobody: whoever decides weighs it. */
export function planForecast(forecast: PlanForecast | undefined): GateEvidence[] {
  if (forecast === undefined) return [];
  const more = forecast.kind === 'made' ? forecastDetails(forecast) : [];
  const isClear = forecast.kind === 'made' && forecast.another === undefined && more.length === 0;
  return [
    {
      title: 'Forecast',
      lines: [`${capital(forecastLine(forecast))}.`],
      ...(more.length === 0 ? {} : { more }),
      verdict: isClear ? 'clear' : 'advice',
    },
  ];
}

/** In Temporal UI, once a forecast was made or its plan refused. */
export function forecastDetailsOf(cluster: string, target: string, outcome: ForecastOutcome): string {
  if (outcome.kind === 'refused') return `**${cluster} → ${target}**: no plan satisfies all rules, so there is nothing to simulate.`;
  const { total, blockers, downtimes, from } = outcome.summary;
  const parts = [timeText(total), `${count(blockers.nodeCount, 'node')} blocked`, `${count(downtimes.count, 'workload')} down for a while`];
  return `**${cluster} ${from} → ${target}**: ${parts.join(', ')}.`;
}

type Open = Pick<UpgradePlan['findings'][number], 'status' | 'severity'>;

function worstOf(findings: readonly Open[]): NonNullable<GateEvidence['verdict']> {
  if (findings.some(({ status }) => status === 'unknown')) return 'unknown';
  return findings.some(({ severity }) => severity === 'required') ? 'attention' : 'advice';
}
