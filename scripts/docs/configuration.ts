/** docs/configuration.md: every key of belay.yaml from its schema, with its default from the code that applies it. */
import { z } from 'zod';
import { DEFAULT_CHECKS } from '../../domain/policy/config/health/health-defaults.ts';
import { SCRAPE_CHECKS } from '../../domain/policy/config/health/scrape-checks.ts';
import { type ScrapeQuery, selectorText } from '../../domain/health/metrics/scrapes.ts';
import { configJsonSchema } from '../../domain/policy/config/schema.ts';
import { capital } from '../../domain/core/text.ts';
import { defaultOf } from './defaults.ts';
import { ENVIRONMENT } from './environment.ts';
import { code, GENERATED, page, table } from './markdown.ts';

/** What is read of a JSON Schema. */
interface Schema {
  type?: string;
  description?: string;
  enum?: string[];
  pattern?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
}

const schemaShape: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    type: z.string().optional(),
    description: z.string().optional(),
    enum: z.array(z.string()).optional(),
    pattern: z.string().optional(),
    required: z.array(z.string()).optional(),
    properties: z.record(z.string(), schemaShape).optional(),
    additionalProperties: z.union([z.boolean(), schemaShape]).optional(),
    items: schemaShape.optional(),
    anyOf: z.array(schemaShape).optional(),
    minimum: z.number().optional(),
    exclusiveMinimum: z.number().optional(),
    maximum: z.number().optional(),
  }),
);

export function configurationDocument(): string {
  const root = schemaShape.parse(configJsonSchema());
  const { clusters, defaults, ...top } = root.properties ?? {};
  const perCluster = typeof clusters?.additionalProperties === 'object' ? clusters.additionalProperties.properties : undefined;
  if (perCluster === undefined || defaults === undefined)
    throw new Error('belay.yaml has no clusters or defaults any more: change this page.');
  const shared = ['approvals', 'timing', 'windows', 'health'];
  const own = Object.entries(perCluster).filter(([key]) => !shared.includes(key));
  const rest = Object.entries(top).filter(([key]) => ![...shared, 'environments'].includes(key));
  const { environments } = top;
  const after =
    typeof environments?.additionalProperties === 'object' ? environments.additionalProperties.properties?.['after'] : undefined;
  if (after === undefined) throw new Error('belay.yaml has no environments.NAME.after any more: change this page.');
  return page(
    '# Configuration',
    GENERATED,
    [
      'Belay reads `belay.yaml` from the working directory, from `BELAY_CONFIG`, or from `--config FILE`. [belay.example.yaml](../belay.example.yaml) shows every key; `belay init` writes a first file from your AWS account; `belay doctor` tries it out.',
      'Needed are `clusters`, somebody in `approvals`, and `slack.channel`. A mistake is answered with file, line, path, the value, and what would be right. For completion and hints in editors, begin the file with `# yaml-language-server: $schema=…` and the path of [belay.schema.json](belay.schema.json).',
      'A run records its settings when it starts: editing the file does not bend a running upgrade. Waivers alone count as they stand when checks run, so that whoever is stopped by a finding may waive it, by name and in sight of those who decide. Windows are read anew before each step, so that an exclusion that is declared during a run stops it. All else the worker and the Slack app read when they start.',
      '**Durations** are written as `500ms`, `30s`, `10m`, `24h`, `7d`, `1h30m`, or a number of milliseconds.',
    ],
    '## Clusters',
    [
      '`clusters` maps the name of each cluster in EKS to its settings. `defaults` takes the same keys and holds for every cluster that does not say otherwise; `approvals`, `windows`, `health` and `timing` may stand at the top, in `defaults`, and in a cluster, the first three in an environment as well, and the nearest one wins key by key.',
    ],
    keyTable(own.flatMap(([key, schema]) => rowsOf('clusters.NAME', key, schema, false))),
    '## Approvals',
    'Who may decide at gates. Membership of groups is read from Slack at the moment of a decision; when it cannot be read, the answer is no.',
    keyTable(rowsOf('', 'approvals', top['approvals'] ?? {}, false)),
    '## Windows',
    'When changes may be made; [operations](operations.md#maintenance-windows) has what becomes of a run outside of them. Exclusions of all sections hold together.',
    keyTable(rowsOf('', 'windows', top['windows'] ?? {}, false)),
    '## Health',
    'What steps are watched by where a cluster has a `prometheus`; without one, checks with `cloudWatch`, and those on scrapes below. [Operations](operations.md#health) has what becomes of a check that fails. These checks hold unless they are switched off by name (`off: true`), and a key under their name changes that key alone:',
    usualChecks(),
    'Without a `prometheus` these hold, by scrapes of `/metrics`, unless `health.scrape` is false; what is observed over some looks is what two scrapes of one process differ by, as `rate`, `increase` and `histogram_quantile` of PromQL have it:',
    scrapeChecks(),
    keyTable([...rowsOf('', 'health', top['health'] ?? {}, false), ...rowsOf('health.checks', 'NAME', checkIn(top['health']), false)]),
    '## Environments',
    "`environments` maps names to `approvals`, `windows` and `health` for their clusters, over `defaults` and under the cluster's own; and says which environment comes first.",
    keyTable(rowsOf('environments.NAME', 'after', after, false)),
    '## Slack, Temporal, records',
    keyTable(rest.flatMap(([key, schema]) => rowsOf('', key, schema, root.required?.includes(key) === true))),
    '## Timing',
    'Production values are the defaults. A rehearsal divides polls, bakes, deadlines and reminders by its speed.',
    keyTable(rowsOf('', 'timing', top['timing'] ?? {}, false)),
    '## Environment variables',
    'Secrets live here and nowhere else: Belay never reads them from the file, and never writes them to history, logs or Slack.',
    table(
      ['Variable', 'Read by', 'Meaning'],
      ENVIRONMENT.map(({ name, by, meaning }) => [name, by, meaning]),
    ),
  );
}

function checkIn(health: Schema | undefined): Schema {
  const check = health?.properties?.['checks']?.additionalProperties;
  if (typeof check !== 'object') throw new Error('belay.yaml has no health.checks.NAME any more: change this page.');
  return check;
}

/** What holds unasked. */
function usualChecks(): string {
  return table(
    ['Check', 'Query', 'A look is bad', 'It fails'],
    DEFAULT_CHECKS.map(({ name, query, failWhen, count, failureLimit, where }) => [
      `${code(name)}${where === undefined ? '' : ` (with ${capital(where)})`}`,
      code(query),
      failWhen.kind === 'value' ? `${failWhen.operator} ${failWhen.value}` : baselineText(failWhen),
      `${failureLimit + 1} bad looks of the last ${count}`,
    ]),
  );
}

function scrapeChecks(): string {
  return table(
    ['Check', 'Scraped', 'Figure', 'A look is bad', 'It fails'],
    SCRAPE_CHECKS.map(({ name, scrape, failWhen, count, failureLimit, where, severity }) => [
      `${code(name)}${where === undefined ? '' : ` (with ${capital(where)})`}`,
      scrape.target,
      figureText(scrape),
      failWhen.kind === 'value' ? `${failWhen.operator} ${failWhen.value}` : baselineText(failWhen),
      `${failureLimit + 1} bad looks of the last ${count}${severity === 'warn' ? '; the thread is told' : ''}`,
    ]),
  );
}

function figureText(query: ScrapeQuery): string {
  const over = 'intervals' in query ? `, over ${query.intervals} looks` : '';
  switch (query.kind) {
    case 'share':
      return `share of ${code(selectorText(query.bad))} in ${code(selectorText(query.all))}${over}`;
    case 'increase':
      return `increase of ${code(selectorText(query.of))}${over}`;
    case 'quantile':
      return `p${query.quantile * 100} of ${code(selectorText(query.of))}${over}`;
    case 'level':
      return code(selectorText(query.of));
    case 'readiness':
      return `parts of ${code('/readyz?verbose')} that fail`;
  }
}

const baselineText = ({ factor, atLeast }: { factor: number; atLeast?: number }): string =>
  `above ${factor === 1 ? '' : `${factor} times `}what it was before the upgrade${atLeast === undefined ? '' : `, and above ${atLeast}`}`;

function keyTable(rows: readonly string[][]): string {
  return table(['Key', 'Type', 'Default', 'Meaning'], rows);
}

function rowsOf(parent: string, key: string, schema: Schema, required: boolean): string[][] {
  const path = parent === '' ? key : `${parent}.${key}`;
  if (schema.properties !== undefined) {
    const { properties } = schema;
    return Object.entries(properties).flatMap(([inner, value]) => rowsOf(path, inner, value, schema.required?.includes(inner) === true));
  }
  if (schema.description === undefined) throw new Error(`${path} has no description: add .describe() in domain/policy/config/schema.ts.`);
  const row = [code(path.replace('clusters.NAME.', '')), typeOf(schema), defaultOf(path, required), schema.description];
  const entry = schema.type === 'array' ? (schema.items ?? {}) : {};
  return [row, ...(entry.properties === undefined ? [] : rowsOf(parent, `${key}[]`, entry, false))];
}

function typeOf(schema: Schema): string {
  if (schema.anyOf !== undefined) return ofUnion(schema.anyOf);
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.type === 'array') return `list of ${schema.items === undefined ? 'anything' : typeOf(schema.items)}`;
  if (schema.type === 'object') return 'entries';
  if (schema.type === 'string') return 'text';
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'integer') return `whole number from ${schema.minimum ?? 0}`;
  if (schema.type === 'number' && schema.exclusiveMinimum === undefined && schema.maximum === undefined) return 'number';
  if (schema.type === 'number') return `number above ${schema.exclusiveMinimum ?? 0}, up to ${schema.maximum ?? 'any'}`;
  throw new Error(`scripts/docs/configuration.ts does not know the type ${schema.type ?? 'nothing'}.`);
}

/** Values that YAML may read as text or as a number; told apart by their pattern. */
function ofUnion(options: readonly Schema[]): string {
  const pattern = options.find((option) => option.pattern !== undefined)?.pattern ?? '';
  if (pattern.includes('ms|s|m|h|d')) return 'duration';
  if (pattern.includes('{12}')) return '12 digits in quotes';
  if (pattern.startsWith('^1')) return 'Kubernetes minor in quotes';
  throw new Error(`scripts/docs/configuration.ts does not know the union ${pattern}.`);
}
