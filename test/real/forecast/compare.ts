/** What was said before an upgrade beside what came of it, shape by shape. */
import { table } from '../../../cli/render/words.ts';
import type { Forecast, Spread } from '../../../domain/plan/forecast/types.ts';
import type { Played } from './playhouse.ts';

/** Of a roll's length, as a share of the fact. */
const WITHIN = 0.2;
/**
 * Which node goes first is chance, and one roll is one sample: in plays of these shapes the lengths have a standard deviation of 6 to 11 %. So many
 * times the way from the middle play to the ninth of ten are three of them.
 */
const BY_CHANCE = 2.34;
/** Chance evens out over shapes, a mistake of the model does not. */
const ON_AVERAGE = 0.15;
/** In most of the plays. */
const LIKELY = 0.5;

export interface Compared {
  name: string;
  replaced: Pair<Record<string, number>>;
  blocked: Pair<string[]>;
  unserved: Pair<string[]>;
  /** Of the step that rolls Karpenter's nodes, in milliseconds. */
  roll: Roll;
}

interface Pair<T, Fact = T> {
  forecast: T;
  fact: Fact;
}

type Roll = Pair<Spread, number>;

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
    roll: {
      forecast: forecast.steps.find(({ phase }) => phase === 'karpenter-drift')?.takes ?? { p50: Number.NaN, p90: Number.NaN },
      fact: rollMs,
    },
  };
}

function replacedIn({ nodesReplaced }: Forecast): Record<string, number> {
  return sorted(Object.fromEntries(nodesReplaced.filter(({ count }) => count.p50 > 0).map(({ name, count }) => [name, count.p50])));
}

const sorted = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** How far the forecast was off, as a share of the fact. */
const offBy = ({ forecast, fact }: Roll): number => Math.abs(forecast.p50 - fact) / fact;

export const isWithin = (roll: Roll): boolean =>
  offBy(roll) <= WITHIN || Math.abs(roll.fact - roll.forecast.p50) <= BY_CHANCE * (roll.forecast.p90 - roll.forecast.p50);

/** The geometric mean of forecast to fact, neither much above nor much below one. */
export function isWithinOnAverage(rolls: readonly Roll[]): boolean {
  const logs = rolls.map(({ forecast, fact }) => Math.log(forecast.p50 / fact));
  return Math.abs(logs.reduce((sum, log) => sum + log, 0) / logs.length) <= Math.log(1 + ON_AVERAGE);
}

export function compareTable(all: readonly Compared[]): string {
  const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
  const same = ({ forecast, fact }: Pair<unknown>): string =>
    JSON.stringify(forecast) === JSON.stringify(fact) ? words(fact) : `${words(forecast)}, in fact ${words(fact)}`;
  const head = ['shape', 'nodes replaced', 'blocked', 'without a ready pod', 'roll, forecast', 'nine in ten', 'in fact', 'off by'];
  const body = all.map(({ name, replaced, blocked, unserved, roll }) => [
    name,
    same(replaced),
    same(blocked),
    same(unserved),
    seconds(roll.forecast.p50),
    seconds(roll.forecast.p90),
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
