/** The Grafana dashboards of the chart, and what they ask of Prometheus. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { root, textOf } from './files.ts';

export const DASHBOARDS = 'deploy/chart/monitoring/dashboards';

const OURS = z.strictObject({ type: z.literal('prometheus'), uid: z.literal('${datasource}') });
const Target = z.looseObject({ refId: z.string(), datasource: OURS, expr: z.string().min(1), instant: z.boolean(), range: z.boolean() });
const Panel = z.looseObject({
  id: z.number(),
  type: z.string(),
  title: z.string().min(1),
  gridPos: z.strictObject({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  datasource: OURS.optional(),
  targets: z.array(Target).optional(),
});
const Variable = z.looseObject({ name: z.string(), type: z.enum(['datasource', 'query', 'textbox']), definition: z.string().optional() });
/** What of https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/ Belay uses. */
const Dashboard = z.strictObject({
  uid: z.string(),
  title: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  schemaVersion: z.literal(41),
  version: z.number(),
  editable: z.boolean(),
  graphTooltip: z.number(),
  timezone: z.string(),
  refresh: z.string(),
  time: z.strictObject({ from: z.string(), to: z.string() }),
  links: z.array(
    z.looseObject({ type: z.literal('dashboards'), tags: z.array(z.string()), includeVars: z.literal(true), keepTime: z.literal(true) }),
  ),
  annotations: z.strictObject({ list: z.array(z.looseObject({ datasource: z.looseObject({ type: z.string() }) })) }),
  templating: z.strictObject({ list: z.array(Variable) }),
  panels: z.array(Panel),
});
export type Dashboard = z.infer<typeof Dashboard>;

/** By their files' names. Throws for anything that is no such dashboard. */
export const dashboardsIn = (): Record<string, Dashboard> =>
  Object.fromEntries(
    readdirSync(join(root, DASHBOARDS))
      .toSorted()
      .map((file) => [file, Dashboard.parse(JSON.parse(textOf(`${DASHBOARDS}/${file}`)))]),
  );

/** What a dashboard shows before anybody chooses: every environment and process, a cluster that is there, and a query that anybody may write. */
const CHOSEN: Readonly<Record<string, string>> = {
  environment: '.*',
  instance: '.*',
  cluster: 'prod',
  slo: 'vector(1)',
  __rate_interval: '5m',
};

export interface Query {
  /** "fleet.json: Open runs" */
  of: string;
  expr: string;
}

/** Of panels and of variables, as Grafana sends them to Prometheus. */
export function queriesIn(dashboards: Record<string, Dashboard>): Query[] {
  return Object.entries(dashboards).flatMap(([file, { panels, templating }]) => [
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ of: `${file}: ${title}`, expr: chosen(expr) }))),
    // label_values(metric, label) is Grafana's own: it asks for the label's values of these series.
    ...templating.list.flatMap(({ name, definition }) =>
      definition === undefined
        ? []
        : [{ of: `${file}: $${name}`, expr: definition.replace(/^label_values\((.*), (\w+)\)$/, 'count by ($2) ($1)') }],
    ),
  ]);
}

export const chosen = (expr: string): string => expr.replaceAll(/\$(\w+)/g, (whole, name: string) => CHOSEN[name] ?? whole);
