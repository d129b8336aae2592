/** `cloudWatch:` of a health check: one metric, or an expression over several. */
import { z } from 'zod';
import type { CloudWatchQuery } from '../../../health/metrics/cloudwatch.ts';
import { duration, text } from '../base/fields.ts';
import { defined } from '../../../core/defined.ts';

const MINUTE_MS = 60_000;
const STAT = /^(Average|Sum|Minimum|Maximum|SampleCount|IQM|(p|tm|wm|tc|ts)\d{1,2}(\.\d+)?|p100|(PR|TM|WM|TC|TS)\([^)]*\))$/;
const RIGHT_METRICS =
  'write namespace, metric and stat, or expression and the metrics that it names, such as { expression: "FILL(errors, 0) / requests", metrics: { errors: …, requests: … } }';

const shape = {
  namespace: text('write a namespace such as AWS/ApplicationELB').describe('Namespace, such as AWS/EKS'),
  metric: text('write the name of a metric such as HTTPCode_Target_5XX_Count').describe('Name of the metric'),
  dimensions: z
    .record(text('write the name of a dimension such as LoadBalancer'), text('write the value of the dimension'), {
      error: 'write dimensions by name such as { ClusterName: prod }',
    })
    .describe('All dimensions of the metric: without one of them it has no data')
    .optional(),
  stat: text('write a statistic such as Sum, Average or p99', STAT).describe('Statistic over each period'),
};

export const cloudWatchSchema = z
  .strictObject({
    namespace: shape.namespace.optional(),
    metric: shape.metric.optional(),
    dimensions: shape.dimensions,
    stat: shape.stat.optional(),
    expression: text('write an expression of metric math')
      .describe(
        'In place of one metric: metric math over `metrics` by their names, such as `FILL(errors, 0) / requests`, a SEARCH or a SELECT',
      )
      .optional(),
    metrics: z
      .record(text('write a name of lower-case letters, digits and _ such as errors', /^[a-z][a-zA-Z0-9_]*$/), z.strictObject(shape), {
        error: 'write metrics by the names that the expression uses',
      })
      .describe('What the expression names')
      .optional(),
    period: duration('Length of a period in whole minutes; the newest complete one counts')
      .refine((ms) => ms >= MINUTE_MS && ms % MINUTE_MS === 0, { error: 'write whole minutes such as "1m"' })
      .optional(),
  })
  .refine(
    ({ namespace, metric, dimensions, stat, expression, metrics }) =>
      expression === undefined
        ? namespace !== undefined && metric !== undefined && stat !== undefined && metrics === undefined
        : [namespace, metric, dimensions, stat].every((each) => each === undefined),
    { error: RIGHT_METRICS },
  )
  .describe('In place of `query`: metrics of CloudWatch in the region of the cluster, read with the role for reading');

/** As it is asked. What has no expression has all three of its metric: the schema sees to that. */
export function cloudWatchOf({
  period,
  expression,
  metrics,
  namespace = '',
  metric = '',
  dimensions,
  stat = '',
}: z.output<typeof cloudWatchSchema>): CloudWatchQuery {
  const periodMs = period ?? MINUTE_MS;
  if (expression !== undefined) return { periodMs, expression, metrics: metrics ?? {} };
  return { periodMs, metrics: { m: { namespace, metric, stat, ...defined({ dimensions }) } } };
}
