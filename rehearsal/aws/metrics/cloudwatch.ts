/**
 * CloudWatch's GetMetricData over JSON 1.0. Shapes as in botocore's data/cloudwatch/2010-08-01; metrics as in the user guides of EKS (AWS/EKS, by
 * ClusterName) and of Elastic Load Balancing (AWS/ApplicationELB, by LoadBalancer), and the usage that Service Quotas names (AWS/Usage), which is of the
 * whole account. The world keeps no history: a period in the past is as now.
 */
import { AwsError } from '../eks/errors.ts';
import { worldMetrics } from '../../neighbours/prometheus/world-metrics.ts';
import type { World } from '../../world/world.ts';
import { metricMath } from './metric-math.ts';
import { usedVcpus } from './usage.ts';
import { cut } from '../query.ts';

type Body = Record<string, unknown>;

interface MetricQuery {
  Id: string;
  Label?: string;
  Expression?: string;
  Period?: number;
  ReturnData?: boolean;
  MetricStat?: {
    Metric: { Namespace: string; MetricName: string; Dimensions?: { Name: string; Value: string }[] };
    Period: number;
    Stat: string;
  };
}

/** The value of a period that begins at `atMs`; undefined: nothing was sent in it. */
type Metric = (world: World, atMs: number, seconds: number) => number | undefined;

/** The load balancer in front of the shop. */
export const LOAD_BALANCER = 'app/shop/50dc6c495c0c9188';
const REQUESTS_PER_SECOND = 100;

const ownSum =
  (name: string, of: (one: { value: number; perSecond?: number; labels: Record<string, string> }) => number) =>
  (world: World): number =>
    worldMetrics({ ...world, monitoring: {} }, { alert: false, slowApi: false })
      .filter(({ labels }) => labels['__name__'] === name)
      .reduce((sum, one) => sum + of(one), 0);
const requests = ownSum('apiserver_request_total', ({ perSecond = 0 }) => perSecond);
const pending = ownSum('kube_pod_status_phase', ({ labels, value }) => (labels['phase'] === 'Pending' ? value : 0));

/** Behind it the shop fails while the control plane is updated, where a scenario says so. */
function targetsFail({ monitoring, eks }: World, atMs: number): boolean {
  const update = eks.updates.find(({ type }) => type === 'VersionUpdate');
  const { createdAtMs = Number.POSITIVE_INFINITY, endedAtMs = Number.POSITIVE_INFINITY } = update ?? {};
  return monitoring?.shopFails === true && atMs >= createdAtMs && atMs < endedAtMs;
}

const METRICS: Record<string, { dimension: (world: World) => [string, string]; metrics: Record<string, Metric> }> = {
  'AWS/EKS': {
    dimension: (world) => ['ClusterName', world.eks.cluster.name],
    metrics: {
      scheduler_pending_pods: (world) => pending(world),
      apiserver_request_total: (world, _atMs, seconds) => (world.apiServerDown() ? undefined : requests(world) * seconds),
      apiserver_request_total_5XX: (world) => (world.apiServerDown() ? undefined : 0),
      apiserver_request_duration_seconds_GET_P99: (world) => (world.apiServerDown() ? undefined : 0.4),
    },
  },
  'AWS/ApplicationELB': {
    dimension: () => ['LoadBalancer', LOAD_BALANCER],
    metrics: {
      RequestCount: (_world, _atMs, seconds) => REQUESTS_PER_SECOND * seconds,
      // Sent only where there are any.
      HTTPCode_Target_5XX_Count: (world, atMs, seconds) => (targetsFail(world, atMs) ? REQUESTS_PER_SECOND * 0.2 * seconds : undefined),
    },
  },
};

const NONE = () => undefined;

type Worlds = readonly [World, ...World[]];
/** Of the period that begins then. */
type Value = (atSec: number) => number | undefined;

function valueOf(
  worlds: Worlds,
  { Metric: { Namespace, MetricName, Dimensions = [] }, Period }: NonNullable<MetricQuery['MetricStat']>,
): Value {
  if (Namespace === 'AWS/Usage') {
    const used = MetricName === 'ResourceCount' ? usedVcpus(worlds, Dimensions) : undefined;
    return () => used;
  }
  const known = METRICS[Namespace];
  if (known === undefined) return NONE;
  const world = oneOf(worlds);
  const [name, value] = known.dimension(world);
  const exact = Dimensions.length === 1 && Dimensions[0]?.Name === name && Dimensions[0].Value === value;
  const metric = exact ? known.metrics[MetricName] : undefined;
  return metric === undefined ? NONE : (atSec) => metric(world, atSec * 1000, Period);
}

function oneOf([first, second]: Worlds): World {
  if (second === undefined) return first;
  throw new AwsError(400, 'InvalidParameterCombination', 'The stand-in has the metrics of one cluster a request: name it by ClusterName.');
}

function needed<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new AwsError(400, 'MissingParameter', `The parameter ${name} is required.`);
  return value;
}

/** Beginnings of the periods in [start, end), the newest first. */
function periodsIn(startSec: number, endSec: number, seconds: number): number[] {
  const first = Math.floor(startSec / seconds) * seconds;
  const count = Math.max(0, Math.ceil((endSec - first) / seconds));
  return Array.from({ length: count }, (_, index) => first + (count - 1 - index) * seconds);
}

/** `values`: of each query by its id. `nowMs`: of the world. */
function resultOf(query: MetricQuery, values: ReadonlyMap<string, Value>, [startSec, endSec]: [number, number], nowMs: number): Body {
  const { Id, Label, Expression } = query;
  const seconds = query.MetricStat?.Period ?? query.Period ?? 60;
  const valueAt = (id: string, atSec: number): number | undefined => values.get(id)?.(atSec);
  const math = Expression === undefined ? undefined : metricMath(Expression, [...values.keys()]);
  const points = periodsIn(startSec, endSec, seconds)
    // The newest of them has only begun.
    .filter((atSec) => atSec * 1000 <= nowMs)
    .flatMap((atSec) => {
      const value = math === undefined ? valueAt(Id, atSec) : math((id) => valueAt(id, atSec));
      return value === undefined ? [] : [{ atSec, value }];
    });
  return {
    Id,
    Label: Label ?? query.MetricStat?.Metric.MetricName ?? Id,
    Timestamps: points.map(({ atSec }) => atSec),
    Values: points.map(({ value }) => value),
    StatusCode: 'Complete',
  };
}

/** Answers one operation. `worlds`: all that the request is about. Throws AwsError in the service's words. */
export function cloudWatch(worlds: Worlds, operation: string, body: Body): Body {
  if (operation !== 'GetMetricData') throw new AwsError(400, 'UnknownOperationException', `The stand-in has no ${operation}.`);
  const queries = needed(body['MetricDataQueries'] as MetricQuery[] | undefined, 'MetricDataQueries');
  const range: [number, number] = [Number(needed(body['StartTime'], 'StartTime')), Number(needed(body['EndTime'], 'EndTime'))];
  if (range[0] >= range[1]) throw new AwsError(400, 'ValidationError', 'The parameter StartTime must be less than the parameter EndTime.');
  const wanted = queries.filter(({ ReturnData = true }) => ReturnData);
  const form = new URLSearchParams(typeof body['NextToken'] === 'string' ? { NextToken: body['NextToken'] } : {});
  const { items, token } = cut(wanted, form, { size: 'MaxResults', token: 'NextToken' });
  const values = new Map(
    queries.map(({ Id, MetricStat }): [string, Value] => [Id, MetricStat === undefined ? NONE : valueOf(worlds, MetricStat)]),
  );
  const nowMs = worlds[0].clock.nowMs();
  return { MetricDataResults: items.map((query) => resultOf(query, values, range, nowMs)), NextToken: token, Messages: [] };
}
