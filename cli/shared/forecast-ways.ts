/** What --pace, --waves and --compare of `belay forecast` take. */
import { InvalidArgumentError } from 'commander';
import { capital } from '../../domain/core/text.ts';
import { AUTOMATIC, PACE_FORM, parsePace } from '../../domain/policy/pace.ts';
import { NODE_STRATEGIES, type NodeWaves } from '../../domain/policy/policy.ts';
import { COMPARED, type Compared } from '../../domain/run/forecasts/comparison.ts';
import type { Way } from '../../worker/local/snapshots/forecast.ts';
import { compareTwo, nothingAtFreeze, oneOfWords, writeAComparison, writeANumber, writeAPace, writeWaves } from '../messages/arguments.ts';
import { oneOf } from './context.ts';

/** More would say little more. */
export const MOST_RUNS = 500;
const MOST_SEED = 2 ** 31 - 1;

/** `--compare pace=1,10%`. */
export interface Comparing {
  by: Compared;
  ways: { label: string; way: Way }[];
}

/** Option parser; undefined: the plan's own paces, one after the other. */
export function parseForecastPace(value: string): string | undefined {
  const pace = parsePace(value);
  if (pace === undefined) throw new InvalidArgumentError(writeAPace(capital(PACE_FORM)));
  if (pace === 'freeze') throw new InvalidArgumentError(nothingAtFreeze());
  return pace === AUTOMATIC ? undefined : pace;
}

/** Option parser: zone, nodepool, none, or how many nodes. */
export function parseWaves(value: string): NodeWaves | 'none' {
  if (value === 'none') return value;
  if (value === 'zone' || value === 'nodepool') return { by: value };
  const nodes = Number(value);
  if (!Number.isInteger(nodes) || nodes < 1) throw new InvalidArgumentError(writeWaves());
  return { by: 'count', nodes };
}

const wholeNumber =
  (least: number, most: number) =>
  (value: string): number => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < least || number > most) throw new InvalidArgumentError(writeANumber(most));
    return number;
  };

export const parseRuns = wholeNumber(1, MOST_RUNS);
export const parseSeed = wholeNumber(1, MOST_SEED);

const WAYS: Record<Compared, (value: string) => Way> = {
  strategy: (value) => ({ strategy: oneOf(...NODE_STRATEGIES)(value) }),
  pace: (value) => {
    const pace = parseForecastPace(value);
    return pace === undefined ? {} : { pace };
  },
  waves: (value) => ({ waves: parseWaves(value) }),
};

/** Option parser. */
export function parseComparing(value: string): Comparing {
  const [, name = '', list = ''] = /^([a-z]+)=(.+)$/.exec(value) ?? [];
  if (name === '') throw new InvalidArgumentError(writeAComparison());
  const by = COMPARED.find((each) => each === name);
  if (by === undefined) throw new InvalidArgumentError(oneOfWords([...COMPARED]));
  const labels = [...new Set(list.split(',').map((each) => each.trim()))].filter((each) => each !== '');
  if (labels.length < 2) throw new InvalidArgumentError(compareTwo());
  return { by, ways: labels.map((label) => ({ label, way: WAYS[by](label) })) };
}
