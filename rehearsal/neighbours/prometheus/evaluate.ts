/** Evaluates a PromQL tree at one moment. Counters know their rate, so that no history is needed. */
import { quantileOf } from './histogram.ts';
import { type BinaryOperator, type Expression, type Matcher, PromqlError } from './promql.ts';

export interface Series {
  /** With __name__ where it has one. */
  labels: Record<string, string>;
  value: number;
  /** Of a counter: how fast it grows. */
  perSecond?: number;
}

export type Value =
  | { kind: 'scalar'; value: number }
  | { kind: 'vector'; series: Series[] }
  | { kind: 'matrix'; series: Series[]; rangeMs: number };

const TYPE_NAMES = { scalar: 'scalar', vector: 'instant vector', matrix: 'range vector' } as const;

function matches(series: Series, { label, op, value }: Matcher): boolean {
  const actual = series.labels[label] ?? '';
  if (op === '=') return actual === value;
  if (op === '!=') return actual !== value;
  const fits = new RegExp(`^(?:${value})$`).test(actual);
  return op === '=~' ? fits : !fits;
}

function withoutName(labels: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => name !== '__name__'));
}

const keyOf = (labels: Record<string, string>): string => JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));

const REDUCERS: Record<string, (values: number[]) => number> = {
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
  count: (values) => values.length,
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  avg: (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
};

const ARITHMETIC: Partial<Record<BinaryOperator, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '^': (a, b) => a ** b,
};

const COMPARISONS: Partial<Record<BinaryOperator, (a: number, b: number) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<=': (a, b) => a <= b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '>': (a, b) => a > b,
};

/** Throws a PromqlError where types do not fit. `atMs`: epoch milliseconds. */
export function evaluate(expression: Expression, all: Series[], atMs: number): Value {
  const of = (inner: Expression): Value => evaluate(inner, all, atMs);
  switch (expression.kind) {
    case 'number':
      return { kind: 'scalar', value: expression.value };
    case 'selector': {
      const series = all.filter((one) => expression.matchers.every((matcher) => matches(one, matcher)));
      return expression.rangeMs === undefined ? { kind: 'vector', series } : { kind: 'matrix', series, rangeMs: expression.rangeMs };
    }
    case 'aggregate':
      return aggregate(expression, vectorOf(of(expression.inner), `aggregation "${expression.op}"`));
    case 'call':
      return call(expression.name, expression.args.map(of), atMs);
    case 'binary':
      return binary(expression, of(expression.left), of(expression.right));
  }
}

function vectorOf(value: Value, place: string): Series[] {
  if (value.kind !== 'vector')
    throw new PromqlError(`1:1: parse error: expected type instant vector in ${place}, got ${TYPE_NAMES[value.kind]}`);
  return value.series;
}

function aggregate({ op, by, without }: Extract<Expression, { kind: 'aggregate' }>, series: Series[]): Value {
  const groups = new Map<string, { labels: Record<string, string>; values: number[] }>();
  for (const one of series) {
    const labels = Object.fromEntries(
      Object.entries(withoutName(one.labels)).filter(([name]) =>
        without === undefined ? (by?.includes(name) ?? false) : !without.includes(name),
      ),
    );
    const group = groups.get(keyOf(labels)) ?? { labels, values: [] };
    groups.set(keyOf(labels), { labels, values: [...group.values, one.value] });
  }
  return {
    kind: 'vector',
    series: [...groups.values()].map(({ labels, values }) => ({ labels, value: REDUCERS[op]?.(values) ?? Number.NaN })),
  };
}

function call(name: string, args: Value[], atMs: number): Value {
  const [first] = args;
  const wanted = { time: 0, histogram_quantile: 2 }[name] ?? 1;
  if (args.length !== wanted)
    throw new PromqlError(`1:1: parse error: expected ${wanted} argument(s) in call to "${name}", got ${args.length}`);
  if (name === 'time' || first === undefined) return { kind: 'scalar', value: atMs / 1000 };
  if (name === 'rate' || name === 'irate' || name === 'increase') {
    if (first.kind !== 'matrix')
      throw new PromqlError(`1:1: parse error: expected type range vector in call to function "${name}", got ${TYPE_NAMES[first.kind]}`);
    const factor = name === 'increase' ? first.rangeMs / 1000 : 1;
    return {
      kind: 'vector',
      series: first.series.map(({ labels, perSecond = 0 }) => ({ labels: withoutName(labels), value: perSecond * factor })),
    };
  }
  if (name === 'vector') {
    if (first.kind !== 'scalar')
      throw new PromqlError(`1:1: parse error: expected type scalar in call to function "vector", got ${TYPE_NAMES[first.kind]}`);
    return { kind: 'vector', series: [{ labels: {}, value: first.value }] };
  }
  if (name === 'histogram_quantile') return histogramQuantile(first, args[1]);
  const series = vectorOf(first, `call to function "${name}"`);
  if (name === 'scalar') return { kind: 'scalar', value: series.length === 1 ? (series[0]?.value ?? Number.NaN) : Number.NaN };
  if (name === 'absent') return { kind: 'vector', series: series.length > 0 ? [] : [{ labels: {}, value: 1 }] };
  return { kind: 'vector', series: series.map(({ labels, value }) => ({ labels: withoutName(labels), value: Math.abs(value) })) };
}

function histogramQuantile(share: Value, buckets: Value | undefined): Value {
  if (share.kind !== 'scalar' || buckets === undefined)
    throw new PromqlError('1:1: parse error: expected type scalar in call to function "histogram_quantile"');
  const groups = new Map<string, { labels: Record<string, string>; buckets: { le: number; count: number }[] }>();
  for (const { labels, value } of vectorOf(buckets, 'call to function "histogram_quantile"')) {
    const { le, ...rest } = withoutName(labels);
    // Series without the label give no quantile.
    if (le === undefined) continue;
    const group = groups.get(keyOf(rest)) ?? { labels: rest, buckets: [] };
    group.buckets.push({ le: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), count: value });
    groups.set(keyOf(rest), group);
  }
  const series = [...groups.values()].map((group) => ({ labels: group.labels, value: quantileOf(share.value, group.buckets) }));
  return { kind: 'vector', series };
}

function binary({ op, bool }: Extract<Expression, { kind: 'binary' }>, left: Value, right: Value): Value {
  if (op === 'and' || op === 'or' || op === 'unless')
    return combine(op, vectorOf(left, `set operator "${op}"`), vectorOf(right, `set operator "${op}"`));
  const { series: a, isScalar: aScalar } = sides(left);
  const { series: b, isScalar: bScalar } = sides(right);
  const pairs = aScalar || bScalar ? a.flatMap((one) => b.map((other) => [one, other] as const)) : matched(a, b);
  const results = pairs.flatMap(([one, other]) => {
    const labels = aScalar ? other.labels : one.labels;
    const arithmetic = ARITHMETIC[op];
    if (arithmetic !== undefined) return [{ labels: withoutName(labels), value: arithmetic(one.value, other.value) }];
    const holds = COMPARISONS[op]?.(one.value, other.value) ?? false;
    if (bool || (aScalar && bScalar)) return [{ labels: withoutName(labels), value: Number(holds) }];
    return holds ? [{ labels, value: aScalar ? other.value : one.value }] : [];
  });
  return aScalar && bScalar ? { kind: 'scalar', value: results[0]?.value ?? Number.NaN } : { kind: 'vector', series: results };
}

function sides(value: Value): { series: Series[]; isScalar: boolean } {
  if (value.kind === 'scalar') return { series: [{ labels: {}, value: value.value }], isScalar: true };
  return { series: vectorOf(value, 'binary expression'), isScalar: false };
}

function matched(left: Series[], right: Series[]): (readonly [Series, Series])[] {
  const byLabels = new Map(right.map((one) => [keyOf(withoutName(one.labels)), one]));
  return left.flatMap((one) => {
    const other = byLabels.get(keyOf(withoutName(one.labels)));
    return other === undefined ? [] : [[one, other] as const];
  });
}

function combine(op: 'and' | 'or' | 'unless', left: Series[], right: Series[]): Value {
  const inRight = new Set(right.map((one) => keyOf(withoutName(one.labels))));
  const inLeft = new Set(left.map((one) => keyOf(withoutName(one.labels))));
  if (op === 'or') return { kind: 'vector', series: [...left, ...right.filter((one) => !inLeft.has(keyOf(withoutName(one.labels))))] };
  return { kind: 'vector', series: left.filter((one) => inRight.has(keyOf(withoutName(one.labels))) === (op === 'and')) };
}
