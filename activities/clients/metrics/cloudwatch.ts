/** CloudWatchPort over the SDK: the newest complete datapoint of each series that GetMetricData gives. */
import {
  type CloudWatchQuery,
  cloudWatchText,
  type Datapoint,
  newestComplete,
  windowOf,
} from '../../../domain/health/metrics/cloudwatch.ts';
import type { CloudWatch } from '../aws/account/cloudwatch.ts';
import { currentSignal } from '../../runtime/context.ts';
import type { CloudWatchPort } from '../../contract/ports.ts';
import { during, failureOf } from '../../runtime/translate-errors.ts';
import { defined } from '../../../domain/core/defined.ts';

type Input = Parameters<CloudWatch['getMetricData']>[0];
type Queries = NonNullable<Input['MetricDataQueries']>;
type Result = NonNullable<Awaited<ReturnType<CloudWatch['getMetricData']>>['MetricDataResults']>[number];

/** Id of what an expression gives; ids of metrics have no such sign at their end. */
const RESULT_ID = 'belay_result';
/** Pages of an answer whose windows are minutes long. */
const MAX_PAGES = 10;
/** A clock that is off by more asks for other minutes than the newest. */
const OFF_MS = 30_000;

/** `open`: the client is loaded when a check first needs it. */
export function createCloudWatchPort(open: () => Promise<CloudWatch>): CloudWatchPort {
  // Times are compared with CloudWatch's own clock, which this machine's may differ from.
  let offsetMs = 0;
  return {
    async query(query) {
      const doing = `asking CloudWatch for ${cloudWatchText(query).slice(0, 120)}`;
      return await during(doing, async () => {
        const client = await open();
        for (let again = false; ; again = true) {
          const assumedMs = Date.now() + offsetMs;
          const results = await resultsOf(client, query, assumedMs, doing);
          const serverMs = Date.parse(client.date() ?? '');
          const off = Number.isNaN(serverMs) ? 0 : serverMs - assumedMs;
          if (again || Math.abs(off) <= OFF_MS) return samplesOf(results, query, Math.max(assumedMs, assumedMs + off), doing);
          offsetMs = serverMs - Date.now();
        }
      });
    },
  };
}

async function resultsOf(client: CloudWatch, query: CloudWatchQuery, nowMs: number, doing: string): Promise<Result[]> {
  const { startMs, endMs } = windowOf(query, nowMs);
  const results: Result[] = [];
  let token: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const input: Input = {
      MetricDataQueries: queriesOf(query),
      StartTime: new Date(startMs),
      EndTime: new Date(endMs),
      ScanBy: 'TimestampDescending',
      ...defined({ NextToken: token }),
    };
    const answer = await client.getMetricData(input, { abortSignal: currentSignal() });
    results.push(...(answer.MetricDataResults ?? []));
    token = answer.NextToken;
    if (token === undefined) return results;
  }
  throw failureOf('InvalidRequest', `${doing}: it gives more than ${MAX_PAGES} pages; ask for fewer series`);
}

/** As GetMetricData takes them. */
export function queriesOf({ periodMs, expression, metrics }: CloudWatchQuery): Queries {
  const seconds = periodMs / 1000;
  const own = Object.entries(metrics).map(([Id, { namespace, metric, dimensions = {}, stat }]) => ({
    Id,
    ReturnData: expression === undefined,
    MetricStat: {
      Metric: {
        Namespace: namespace,
        MetricName: metric,
        Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
      },
      Period: seconds,
      Stat: stat,
    },
  }));
  return expression === undefined ? own : [...own, { Id: RESULT_ID, Expression: expression, Period: seconds, ReturnData: true }];
}

/** One sample per series; a series without a complete datapoint gives none. Throws where a part of the answer is missing. */
function samplesOf(
  results: readonly Result[],
  { periodMs }: CloudWatchQuery,
  nowMs: number,
  doing: string,
): Awaited<ReturnType<CloudWatchPort['query']>> {
  const series = new Map<string, { label: string; points: Datapoint[]; last: Result }>();
  for (const result of results) {
    const key = `${result.Id}/${result.Label}`;
    const known = series.get(key);
    series.set(key, { label: result.Label ?? '', points: [...(known?.points ?? []), ...pointsOf(result)], last: result });
  }
  return [...series.values()].flatMap(({ label, points, last }) => {
    if (last.StatusCode !== 'Complete') throw incomplete(last, doing);
    const newest = newestComplete(points, periodMs, nowMs);
    return newest === undefined ? [] : [{ labels: { label }, value: newest.value }];
  });
}

function pointsOf({ Timestamps = [], Values = [] }: Result): Datapoint[] {
  return Timestamps.flatMap((at, index) => {
    const value = Values[index];
    return value === undefined ? [] : [{ atMs: at.getTime(), value }];
  });
}

function incomplete({ StatusCode, Messages = [] }: Result, doing: string) {
  const why = Messages.map(({ Code, Value }) => [Code, Value].filter((each) => each !== undefined).join(': ')).join('; ');
  const text = `${doing}: ${StatusCode ?? 'no status'}${why === '' ? '' : `, ${why}`}`;
  return StatusCode === 'Forbidden' ? failureOf('AccessDenied', `${text}; allow cloudwatch:GetMetricData`) : failureOf('Unavailable', text);
}
