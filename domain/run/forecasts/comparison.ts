/** Forecasts of one cluster side by side: the same plan with another strategy, pace or waves. */
import { count } from '../../core/text.ts';
import type { Forecast, WorkloadRef } from '../../plan/forecast/types.ts';
import type { RuleViolation } from '../../plan/model/types.ts';
import { nodesReplacedIn } from './stored.ts';
import { costText, countText, timeText, workloadText } from './texts.ts';

export const COMPARED = ['strategy', 'pace', 'waves'] as const;
export type Compared = (typeof COMPARED)[number];

/** `label`: as it was asked for, "once-at-the-end". A variant that no plan allows is one, too. */
export type Variant = { label: string; forecast: Forecast } | { label: string; refused: RuleViolation[] };

export interface Comparison {
  by: Compared;
  variants: Variant[];
}

export interface ComparisonRow {
  what: string;
  /** One for each variant. */
  cells: string[];
}

const ROWS: { what: string; of: (forecast: Forecast) => string }[] = [
  { what: 'Duration', of: ({ total }) => timeText(total) },
  { what: 'Nodes replaced', of: (forecast) => countText(nodesReplacedIn(forecast)) },
  { what: 'Pods that block nodes', of: ({ blockers }) => String(blockers.length) },
  { what: 'Workloads that go down', of: ({ downtimes }) => String(downtimes.length) },
  { what: 'Longest downtime', of: ({ downtimes }) => longest(downtimes) },
  { what: 'Gates', of: ({ gates }) => String(gates.length) },
  { what: 'Extra nodes at the peak', of: ({ peak }) => countText(peak.extraNodes) },
  { what: 'Extra vCPUs at the peak', of: ({ peak }) => countText(peak.extraVcpus) },
  { what: 'Extra IP addresses at the peak', of: ({ peak }) => countText(peak.extraAddresses) },
  { what: 'Zones short of addresses', of: ({ peak }) => peak.shortOfAddresses.map(({ zone }) => zone).join(', ') || 'none' },
  { what: 'Cost of extra nodes', of: ({ surge: { cost, currency } }) => (cost === undefined ? 'not known' : costText(cost, currency)) },
  { what: 'What is not known', of: ({ limits }) => count(limits.length, 'limit') },
];

export function comparisonRows({ variants }: Comparison): ComparisonRow[] {
  return ROWS.map(({ what, of }) => ({
    what,
    cells: variants.map((variant) => ('forecast' in variant ? of(variant.forecast) : 'no plan')),
  }));
}

function longest(downtimes: Forecast['downtimes']): string {
  const [worst] = downtimes.toSorted((a, b) => b.down.p50 - a.down.p50);
  return worst === undefined ? 'none' : timeText(worst.down);
}

/** What some variants have and others do not: "Deployment shop/web goes down only with once-at-the-end". */
export function differences({ variants }: Comparison): string[] {
  const played = variants.flatMap((variant) => ('forecast' in variant ? [variant] : []));
  const onlyWith = (what: (forecast: Forecast) => string[], says: (name: string) => string): string[] => {
    const names = new Map<string, string[]>();
    for (const { label, forecast } of played)
      for (const name of new Set(what(forecast))) names.set(name, [...(names.get(name) ?? []), label]);
    return [...names].flatMap(([name, labels]) =>
      labels.length === played.length ? [] : `${says(name)} only with ${labels.join(' and ')}`,
    );
  };
  const owner = (workload: WorkloadRef | undefined, fallback: string): string =>
    workload === undefined ? fallback : workloadText(workload);
  return [
    ...onlyWith(
      ({ blockers }) => blockers.map(({ workload, pod }) => owner(workload, `Pod ${pod.namespace}/${pod.name}`)),
      (name) => `${name} blocks a node`,
    ),
    ...onlyWith(
      ({ downtimes }) => downtimes.map(({ workload }) => workloadText(workload)),
      (name) => `${name} goes down`,
    ),
  ];
}
