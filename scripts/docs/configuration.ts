/** docs/reference/configuration.md: every key of belay.yaml from its schema, with its default from the code that applies it. */
import { z } from 'zod';
import { DEFAULT_CHECKS } from '../../domain/policy/config/health/health-defaults.ts';
import { SCRAPE_CHECKS } from '../../domain/policy/config/health/scrape-checks.ts';
import { type ScrapeQuery, selectorText } from '../../domain/health/metrics/scrapes.ts';
import { configJsonSchema } from '../../domain/policy/config/schema.ts';
import { PHASES } from '../../domain/core/phases.ts';
import { capital } from '../../domain/core/text.ts';
import { defaultOf } from './defaults.ts';
import { ENVIRONMENT } from './environment.ts';
import { code, GENERATED, list, next, page, sentence } from './markdown.ts';

/** What is read of a JSON Schema. */
interface Schema {
  type?: string;
  description?: string;
  enum?: (string | number)[];
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
    enum: z.array(z.union([z.string(), z.number()])).optional(),
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
  const rest = Object.entries(top).filter(([key]) => ![...shared, 'environments', 'campaigns', 'proposals'].includes(key));
  const { environments } = top;
  const after =
    typeof environments?.additionalProperties === 'object' ? environments.additionalProperties.properties?.['after'] : undefined;
  if (after === undefined) throw new Error('belay.yaml has no environments.NAME.after any more: change this page.');
  return page(
    '# Configuration',
    GENERATED,
    [
      'For whoever writes `belay.yaml`. Belay reads it from the working directory, `BELAY_CONFIG`, or `--config FILE`. [belay.example.yaml](../../belay.example.yaml) shows every key; `belay init` writes a first file from your AWS account, `belay doctor` tests it.',
      'Required: `clusters`, someone in `approvals`, and `slack.channel`. Errors name file, line, path, value, and the fix. For editor completion, begin the file with `# yaml-language-server: $schema=…` and the path of [belay.schema.json](../belay.schema.json).',
      '**When changes apply.** Worker and Slack app read the file at start, and a run keeps the settings of its start. Exceptions: waivers are read when checks run, so that a finding that stops a run can be waived, by name and visible to those who decide; windows are read before each step, so that a new exclusion stops a run.',
      '**Durations**: `500ms`, `30s`, `10m`, `24h`, `7d`, `1h30m`; a number needs its unit. **In brackets**: the type, unless it is text or the default shows it; then *required*, the default (alone or after =), or what happens without the key (*else*).',
    ],
    '## Clusters',
    '`clusters` maps cluster names in EKS to settings; where two accounts or regions have clusters of one name, give each a key of its own and write EKS’s as `name`. Commands, ids, records and Slack use the key: change it only while no run is open. `defaults` takes the same keys for all clusters, but no `name`. `approvals`, `windows`, `health` and `timing` may be at the top, in `defaults` and in a cluster, the first three also in an environment; the nearest wins key by key.',
    keyList(own.flatMap(([key, schema]) => keysOf('clusters.NAME', key, schema, false))),
    '## Approvals',
    'Who may decide at gates ([how](../operate/approvals.md)). Group membership is read from Slack at each decision; if it cannot be read, the answer is no.',
    keyList(keysOf('', 'approvals', top['approvals'] ?? {}, false)),
    '## Windows',
    'When changes may be made ([what happens outside](../operate/windows.md)). Exclusions of all sections add up.',
    keyList(keysOf('', 'windows', top['windows'] ?? {}, false)),
    '## Health',
    'What steps are watched by ([what a failing check does](../operate/health.md)). A check fails at 3 bad looks of 5 unless noted; `karpenter-…` and `istiod-…` run only with these. Limits of default checks, with a `prometheus`:',
    defaultChecks(),
    'Without one, checks with `cloudWatch` run, and these on scrapes of `/metrics`, unless `health.scrape` is false. Shares, increases and percentiles compare two scrapes of one process, 10 looks apart unless noted, like PromQL’s `rate`, `increase` and `histogram_quantile`.',
    scrapeChecks(),
    keyList([...keysOf('', 'health', top['health'] ?? {}, false), ...keysOf('health.checks', 'NAME', checkIn(top['health']), false)]),
    '## Environments',
    "`environments` maps names to `approvals`, `windows`, `health` and `network` for their clusters, over `defaults` and under the cluster's own; and says which environment comes first.",
    keyList(keysOf('environments.NAME', 'after', after, false)),
    '## Campaigns',
    '`campaigns` maps names to upgrades of many clusters, ring by ring ([how](../operate/campaigns.md)). `approvals` in a campaign holds for its own gates, over the approvals of the file.',
    keyList(campaignKeys(top['campaigns'])),
    '`proposals`, with any of its keys, has the worker look whether clusters are due for a campaign, and propose each version once ([how](../operate/campaigns.md#proposals)).',
    keyList(keysOf('', 'proposals', top['proposals'] ?? {}, false)),
    '## Slack, Temporal, records',
    keyList(rest.flatMap(([key, schema]) => keysOf('', key, schema, root.required?.includes(key) === true))),
    '## Timing',
    'Defaults are for production; a rehearsal divides polls, bakes, deadlines and reminders by its speed.',
    keyList(keysOf('', 'timing', top['timing'] ?? {}, false)),
    '## Environment variables',
    'In brackets: who reads it. Secrets belong only here: Belay never reads them from the file, nor writes them to history, logs or Slack.',
    list(ENVIRONMENT.map(({ name, by, meaning }) => `${name} (${by}): ${sentence(meaning)}`)),
    next('Phases', 'phases.md'),
  );
}

/** But for approvals, whose keys stand above. */
function campaignKeys(campaigns: Schema | undefined): Key[] {
  const campaign = campaigns?.additionalProperties;
  if (typeof campaign !== 'object') throw new Error('belay.yaml has no campaigns.NAME any more: change this page.');
  return Object.entries(campaign.properties ?? {})
    .filter(([key]) => key !== 'approvals')
    .flatMap(([key, schema]) => keysOf('campaigns.NAME', key, schema, campaign.required?.includes(key) === true));
}

function checkIn(health: Schema | undefined): Schema {
  const check = health?.properties?.['checks']?.additionalProperties;
  if (typeof check !== 'object') throw new Error('belay.yaml has no health.checks.NAME any more: change this page.');
  return check;
}

/** What runs unless it is switched off. */
function defaultChecks(): string {
  return list(
    DEFAULT_CHECKS.map(({ name, query, failWhen, count, failureLimit, where }) => {
      const condition = where === undefined || name.startsWith(where) ? '' : ` (with ${capital(where)})`;
      return `${code(name)}${condition} ${limitText(failWhen)}${failsAt(failureLimit, count)}: ${code(query)}`;
    }),
  );
}

function scrapeChecks(): string {
  return list(
    SCRAPE_CHECKS.map(({ name, scrape, failWhen, count, failureLimit, severity }) => {
      const target = name.startsWith(scrape.target) ? '' : ` (${scrape.target})`;
      const warns = severity === 'warn' ? ', warns' : '';
      return `${code(name)}${target} ${limitText(failWhen)}${failsAt(failureLimit, count)}${warns}: ${figureText(scrape)}`;
    }),
  );
}

function figureText(query: ScrapeQuery): string {
  const over = 'intervals' in query && query.intervals !== USUAL_INTERVALS ? `, ${query.intervals} looks apart` : '';
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

/** What the page says once, above the tables. */
const USUAL_INTERVALS = 10;
const USUAL_FAILURE = '3 of 5';

function failsAt(failureLimit: number, count: number): string {
  const failure = `${failureLimit + 1} of ${count}`;
  return failure === USUAL_FAILURE ? '' : `, ${failure}`;
}

const limitText = (failWhen: (typeof DEFAULT_CHECKS)[number]['failWhen']): string =>
  failWhen.kind === 'value' ? `${failWhen.operator} ${failWhen.value}` : baselineText(failWhen);

const baselineText = ({ factor, atLeast }: { factor: number; atLeast?: number }): string =>
  `> ${factor === 1 ? '' : `${factor}×`}baseline${atLeast === undefined ? '' : ` and > ${atLeast}`}`;

interface Key {
  path: string;
  /** " (`false`): May the requester approve the upgrade?" */
  says: string;
}

/** Keys that say the same are one entry. */
function keyList(keys: readonly Key[]): string {
  const paths = new Map<string, string[]>();
  for (const { path, says } of keys) paths.set(says, [...(paths.get(says) ?? []), code(path)]);
  return list([...paths].map(([says, same]) => `${same.join(', ')}${says}`));
}

function keysOf(parent: string, key: string, schema: Schema, required: boolean): Key[] {
  const path = parent === '' ? key : `${parent}.${key}`;
  if (schema.properties !== undefined) {
    const { properties } = schema;
    return Object.entries(properties).flatMap(([inner, value]) => keysOf(path, inner, value, schema.required?.includes(inner) === true));
  }
  if (schema.description === undefined) throw new Error(`${path} has no description: add .describe() in domain/policy/config/schema.ts.`);
  const value = defaultOf(path, required);
  const brackets = [typeUnless(value, schema), without(value, schema)]
    .filter((part) => part !== '')
    .join(' ')
    .replace(' *', ', *')
    .replace(/^= (?=`[^`]*`$)/, '');
  const says = `${brackets === '' ? '' : ` (${brackets})`}: ${sentence(schema.description)}`;
  const entry = schema.type === 'array' ? (schema.items ?? {}) : {};
  return [
    { path: path.replace('clusters.NAME.', ''), says },
    ...(entry.properties === undefined ? [] : keysOf(parent, `${key}[]`, entry, false)),
  ];
}

/** What holds where a key is absent. */
function without(value: string, { items }: Schema): string {
  if (value === 'none' || value === 'nobody') return '';
  if (value.startsWith('required')) return `*${value}*`;
  if (value === code(JSON.stringify(items?.enum))) return '= all';
  return value.startsWith('else ') ? `*else* ${value.slice('else '.length)}` : `= ${value}`;
}

/** The type, where neither the default nor the description shows it: text is the usual one. */
function typeUnless(value: string, schema: Schema): string {
  const { description = '' } = schema;
  const type = typeOf(schema);
  if (type === 'text' || type === 'boolean' || (type === 'duration' && value.startsWith('`'))) return '';
  if (schema.type === 'array' && (value.startsWith('`[') || schema.items?.properties !== undefined)) return '';
  if (schema.enum?.every((option) => description.includes(`${option}: `)) === true) return '';
  if (schema.items?.enum?.join() === PHASES.join()) return 'list of [phases](phases.md)';
  return type;
}

function typeOf(schema: Schema): string {
  if (schema.anyOf !== undefined) return ofUnion(schema.anyOf);
  if (schema.enum !== undefined) return schema.enum.map((option) => code(String(option))).join(', ');
  if (schema.type === 'array')
    return schema.items === undefined || typeOf(schema.items) === 'text' ? 'list' : `list of ${typeOf(schema.items)}`;
  if (schema.type === 'object') return 'map';
  if (schema.type === 'string') return 'text';
  if (schema.type === 'boolean') return 'boolean';
  if (schema.type === 'integer') return `integer from ${schema.minimum ?? 0}`;
  if (schema.type === 'number' && schema.exclusiveMinimum === undefined && schema.maximum === undefined) return 'number';
  if (schema.type === 'number')
    return `number above ${schema.exclusiveMinimum ?? 0}${schema.maximum === undefined ? '' : ` to ${schema.maximum}`}`;
  throw new Error(`scripts/docs/configuration.ts does not know the type ${schema.type ?? 'nothing'}.`);
}

/** Values that YAML may read as text or as a number; told apart by their pattern. */
function ofUnion(options: readonly Schema[]): string {
  const pattern = options.find((option) => option.pattern !== undefined)?.pattern ?? '';
  if (pattern.includes('ms|s|m|h|d')) return 'duration';
  if (pattern.includes('{12}')) return '12 digits';
  if (pattern.startsWith('^1')) return 'minor, in quotes';
  if (pattern.endsWith('%$')) return 'number or percentage';
  throw new Error(`scripts/docs/configuration.ts does not know the union ${pattern}.`);
}
