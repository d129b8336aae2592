/** What was said before an upgrade beside what came of it, shape by shape. */
import { table } from '../../../cli/render/words.ts';
import type { Forecast } from '../../../domain/plan/forecast/types.ts';
import type { Played } from './playhouse.ts';

/** Of a roll's length. */
const WITHIN = 0.2;
/** In most of the plays. */
const LIKELY = 0.5;

export interface Compared {
  name: string;
  replaced: Pair<Record<string, number>>;
  blocked: Pair<string[]>;
  unserved: Pair<string[]>;
  /** Of the step that rolls Karpenter's nodes, in milliseconds. */
  roll: Pair<number>;
}

interface Pair<T> {
  forecast: T;
  fact: T;
}

export function compare(name: string, { forecast, record, facts, blocked }: Played): Compared {
  const roll = record.status.steps.find(({ id }) => id.startsWith('karpenter-drift'));
  const rollMs = Date.parse(roll?.endedAt ?? '') - Date.parse(roll?.startedAt ?? '');
  return {
    name,
    replaced: { forecast: replacedIn(forecast), fact: sorted(facts.replaced()) },
    blocked: {
      forecast: forecast.blockers
        .filter(({ share }) => share >= LIKELY)
        .map(({ pod }) => `${pod.namespace}/${pod.name}`)
        .toSorted(),
      fact: blocked.toSorted(),
    },
    unserved: {
      forecast: forecast.downtimes
        .filter(({ share }) => share >= LIKELY)
        .map(({ workload }) => `${workload.namespace}/${workload.name}`)
        .toSorted(),
      fact: [...facts.unserved].toSorted(),
    },
    roll: { forecast: forecast.steps.find(({ phase }) => phase === 'karpenter-drift')?.takes.p50 ?? Number.NaN, fact: rollMs },
  };
}

function replacedIn({ nodesReplaced }: Forecast): Record<string, number> {
  return sorted(Object.fromEntries(nodesReplaced.filter(({ count }) => count.p50 > 0).map(({ name, count }) => [name, count.p50])));
}

const sorted = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** How far the forecast was off, as a share of the fact. */
export const offBy = ({ forecast, fact }: Pair<number>): number => Math.abs(forecast - fact) / fact;

export const isWithin = (roll: Pair<number>): boolean => offBy(roll) <= WITHIN;

export function compareTable(all: readonly Compared[]): string {
  const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
  const same = ({ forecast, fact }: Pair<unknown>): string =>
    JSON.stringify(forecast) === JSON.stringify(fact) ? words(fact) : `${words(forecast)}, in fact ${words(fact)}`;
  const head = ['shape', 'nodes replaced', 'blocked', 'without a ready pod', 'roll, forecast', 'in fact', 'off by'];
  const body = all.map(({ name, replaced, blocked, unserved, roll }) => [
    name,
    same(replaced),
    same(blocked),
    same(unserved),
    seconds(roll.forecast),
    seconds(roll.fact),
    `${Math.round(100 * offBy(roll))} %`,
  ]);
  return table(head, body);
}

function words(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(' ');
  return Object.entries(value as Record<string, number>)
    .map(([name, count]) => `${name} ${count}`)
    .join(' ');
}
