/** What is asked of CloudWatch's metrics, and which datapoint of the answer counts. Pure; asking is activities/clients/metrics/cloudwatch. */

export interface CloudWatchMetric {
  namespace: string;
  metric: string;
  /** Exactly those of the metric: with one too few it is another metric, which has no data. */
  dimensions?: Record<string, string>;
  /** Average, Sum, p99 … */
  stat: string;
}

/** One metric, or an expression over metrics by their ids. */
export interface CloudWatchQuery {
  periodMs: number;
  /** Metric math such as FILL(errors, 0) / requests; absent: there is one metric, and its values count. */
  expression?: string;
  metrics: Record<string, CloudWatchMetric>;
}

export interface Datapoint {
  /** When its period began. */
  atMs: number;
  value: number;
}

/** Services deliver up to two minutes late. */
const LATE_MS = 2 * 60_000;
const PERIODS = 3;

/** What to ask for: the last complete periods, and no more, so that what is old does not count as now. */
export function windowOf({ periodMs }: Pick<CloudWatchQuery, 'periodMs'>, nowMs: number): { startMs: number; endMs: number } {
  const endMs = Math.floor(nowMs / periodMs) * periodMs;
  const startMs = Math.floor((nowMs - LATE_MS) / periodMs) * periodMs - PERIODS * periodMs;
  return { startMs, endMs };
}

/** The newest datapoint whose period is over; undefined: there is none. */
export function newestComplete(points: readonly Datapoint[], periodMs: number, nowMs: number): Datapoint | undefined {
  const complete = points.filter(({ atMs }) => atMs + periodMs <= nowMs);
  return complete.toSorted((a, b) => b.atMs - a.atMs)[0];
}

/** What it asks for, for people: "AWS/EKS scheduler_pending_pods". */
export function cloudWatchText({ expression, metrics }: CloudWatchQuery): string {
  if (expression !== undefined) return expression;
  return Object.values(metrics)
    .map(({ namespace, metric }) => `${namespace} ${metric}`)
    .join(', ');
}

/** What a query without datapoints most often is. */
export function blindHint({ expression, metrics }: CloudWatchQuery): string {
  const bare = Object.values(metrics).find(
    ({ namespace, dimensions }) => namespace === 'AWS/EKS' && dimensions?.['ClusterName'] === undefined,
  );
  if (bare !== undefined) return `${bare.namespace} ${bare.metric} has the dimension ClusterName: add it.`;
  const sparse =
    expression === undefined ? ' A metric that is sent only when something happens needs an expression such as FILL(m, 0).' : '';
  return `Namespace, name and all dimensions have to be exactly those of the metric.${sparse}`;
}
