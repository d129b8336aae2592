/** `health:` in belay.yaml: the checks that steps are watched by, and the alerts that stop them. */
import { z } from 'zod';
import { type FailCondition, type HealthCheck, type HealthPolicy, ON_EMPTY, OPERATORS, SEVERITIES } from '../../../health/checks.ts';
import { PHASES } from '../../../core/phases.ts';
import { cloudWatchOf, cloudWatchSchema } from './cloudwatch.ts';
import { duration, flag, text } from '../base/fields.ts';
import { DEFAULT_CHECKS, GUARDED, USUAL_CHECK, USUAL_IGNORED } from './health-defaults.ts';
import { promqlProblem } from './promql.ts';
import { SCRAPE_CHECKS } from './scrape-checks.ts';
import { defined } from '../../../core/defined.ts';

const RIGHT_CONDITION =
  'write operator and value, such as { operator: ">", value: 0.01 }, or baseline, such as { baseline: 2, atLeast: 0.01 }';
const whole = (right: string, min: number): z.ZodNumber => z.number({ error: right }).int({ error: right }).min(min, { error: right });
const number = z.number({ error: 'write a number' });

const failWhen = z
  .strictObject({
    operator: z
      .enum(OPERATORS, { error: `write one of ${OPERATORS.join(' ')}` })
      .describe('How it compares with `value`')
      .optional(),
    value: number.describe('The limit').optional(),
    baseline: z
      .number({ error: 'write a number above 0' })
      .gt(0, { error: 'write a number above 0' })
      .describe('Bad above this many times the value before the upgrade')
      .optional(),
    atLeast: number.describe('With `baseline`: and above this').optional(),
  })
  .refine(
    ({ operator, value, baseline, atLeast }) =>
      baseline === undefined
        ? operator !== undefined && value !== undefined && atLeast === undefined
        : operator === undefined && value === undefined,
    { error: RIGHT_CONDITION },
  );

const check = z
  .strictObject({
    off: flag().describe('Switches the check off').optional(),
    query: text('write a query of PromQL')
      .superRefine((query, context) => {
        const problem = promqlProblem(query);
        if (problem !== undefined) context.addIssue(problem);
      })
      .describe('PromQL; the worst of several series counts')
      .optional(),
    cloudWatch: cloudWatchSchema.optional(),
    failWhen: failWhen.describe('When a reading is bad').optional(),
    interval: duration('Time between two readings').optional(),
    count: whole('write a whole number from 1', 1).describe('Number of recent readings judged together').optional(),
    failureLimit: whole('write a whole number from 0', 0).describe('The check fails when more of them are bad').optional(),
    errorLimit: whole('write a whole number from 0', 0)
      .describe('Inconclusive, so that you are asked, when more readings in a row returned nothing')
      .optional(),
    onEmpty: z
      .enum(ON_EMPTY, { error: `write ${ON_EMPTY.join(' or ')}: what is not seen is never good` })
      .describe('What a reading without a series counts as')
      .optional(),
    severity: z
      .enum(SEVERITIES, { error: `write ${SEVERITIES.join(' or ')}` })
      .describe('block: you decide at a gate; warn: a message in the thread')
      .optional(),
    guards: z
      .array(z.enum(PHASES, { error: `write phases such as ${GUARDED.join(', ')}` }), { error: 'write a list of phases' })
      .describe('Phases it watches')
      .optional(),
  })
  .refine(({ query, cloudWatch }) => query === undefined || cloudWatch === undefined, {
    error: 'both query and cloudWatch are given, and a check has one source; keep one of them',
  })
  .refine(({ count, failureLimit }) => count === undefined || failureLimit === undefined || failureLimit < count, {
    error: 'failureLimit has to be less than count, or it can never fail',
  });

export const healthSchema = z
  .strictObject({
    interval: duration('Time between readings').optional(),
    checks: z
      .record(text('write a name such as checkout-errors', /^[a-z0-9][a-z0-9-]*$/), check, { error: 'write checks by name' })
      .describe('Your own checks; under a default one’s name, only what differs')
      .optional(),
    watch: flag().describe("Watch the cluster's state (pods, nodes, workloads, events), without Prometheus").optional(),
    scrape: flag().describe('Without a `prometheus`, scrape the API server, and CoreDNS, Karpenter and istiod where permitted').optional(),
    alerts: z
      .enum(['block', 'ignore'], { error: 'write block or ignore' })
      .describe('Alerts firing before the control plane moves or nodes are replaced. block: wait until they resolve')
      .optional(),
    ignoreAlerts: z
      .array(text('write the name of an alert'), { error: 'write a list of names such as ["TargetDown"]' })
      .describe('More alerts to ignore; severities info and none are always ignored. Lists of all sections add up')
      .optional(),
  })
  .describe(
    'What steps are watched by: the state of the cluster, a Prometheus where it has one, else scrapes, metrics of CloudWatch anywhere',
  );

type HealthInput = z.output<typeof healthSchema>;
type CheckInput = z.output<typeof check>;

/** Is the cluster's own state watched? */
export function watchOf(layers: readonly (HealthInput | undefined)[]): { watch?: true } {
  return layers.findLast((layer) => layer?.watch !== undefined)?.watch === false ? {} : { watch: true };
}

/**
 * What all sections say, the later over the earlier, over the usual checks. Without a Prometheus what is asked of CloudWatch, and what scrapes can
 * judge, is left, and alerts are nobody's. `problems`: checks that say too little.
 */
export function healthOf(
  layers: readonly (HealthInput | undefined)[],
  hasPrometheus = true,
): {
  policy: HealthPolicy;
  problems: { name: string; message: string }[];
} {
  const given = layers.filter((layer) => layer !== undefined);
  const inputs = new Map<string, CheckInput>();
  for (const layer of given)
    for (const [name, input] of Object.entries(layer.checks ?? {}))
      inputs.set(name, { ...otherwise(inputs.get(name), input), ...present(input) });
  const intervalMs = given.findLast(({ interval }) => interval !== undefined)?.interval;
  const problems: { name: string; message: string }[] = [];
  // Those that hold here come first; what is said of the others is judged as well, since one section may be for several clusters.
  const known: HealthCheck[] = hasPrometheus ? [...DEFAULT_CHECKS, ...SCRAPE_CHECKS] : [...SCRAPE_CHECKS, ...DEFAULT_CHECKS];
  const names = new Set([...known.map(({ name }) => name), ...inputs.keys()]);
  const checks = [...names].flatMap((name): HealthCheck[] => {
    const result = checkOf(
      known.find((each) => each.name === name),
      { ...inputs.get(name), name },
      intervalMs,
    );
    if (typeof result === 'string') problems.push({ name, message: result });
    return result === undefined || typeof result === 'string' ? [] : [result];
  });
  const scrapes = given.findLast(({ scrape }) => scrape !== undefined)?.scrape !== false;
  const policy: HealthPolicy = {
    checks: checks.filter(({ cloudWatch, scrape }) =>
      hasPrometheus ? scrape === undefined : cloudWatch !== undefined || (scrape !== undefined && scrapes),
    ),
    alerts: !hasPrometheus ? 'ignore' : (given.findLast(({ alerts }) => alerts !== undefined)?.alerts ?? 'block'),
    ignoreAlerts: [...new Set([...USUAL_IGNORED, ...given.flatMap(({ ignoreAlerts }) => ignoreAlerts ?? [])])],
  };
  return { policy, problems };
}

/** undefined: switched off; text: what is missing. */
function checkOf(
  usual: HealthCheck | undefined,
  input: CheckInput & { name: string },
  intervalMs: number | undefined,
): HealthCheck | string | undefined {
  if (input.off === true) return undefined;
  const { off: _off, interval, failWhen: condition, query, cloudWatch, ...rest } = input;
  const failing = condition === undefined ? usual?.failWhen : conditionOf(condition);
  const source = sourceOf(usual, query, cloudWatch);
  if (source === undefined) return 'has no query, and is none of the usual checks; write query (or cloudWatch) and failWhen';
  if (failing === undefined) return `has no failWhen; ${RIGHT_CONDITION}`;
  const merged: HealthCheck = {
    ...USUAL_CHECK,
    guards: [...GUARDED],
    ...withoutSource(usual),
    ...rest,
    ...source,
    failWhen: failing,
    intervalMs: interval ?? intervalMs ?? USUAL_CHECK.intervalMs,
  };
  return merged.failureLimit < merged.count ? merged : 'failureLimit has to be less than count, or it can never fail';
}

function conditionOf({ operator, value, baseline, atLeast }: z.output<typeof failWhen>): FailCondition | undefined {
  if (baseline !== undefined) return { kind: 'baseline', factor: baseline, ...defined({ atLeast }) };
  return operator === undefined || value === undefined ? undefined : { kind: 'value', operator, value };
}

/** Where a check's figure comes from: its own source before the usual one. */
function sourceOf(
  usual: HealthCheck | undefined,
  query: string | undefined,
  cloudWatch: CheckInput['cloudWatch'],
): Pick<HealthCheck, 'query' | 'cloudWatch' | 'scrape'> | undefined {
  if (cloudWatch !== undefined) return { cloudWatch: cloudWatchOf(cloudWatch) };
  if (query !== undefined) return { query };
  if (usual?.query !== undefined) return { query: usual.query };
  return usual?.scrape === undefined ? undefined : { scrape: usual.scrape };
}

/** Of a usual check: all but where its figure comes from. */
function withoutSource(check: HealthCheck | undefined): Partial<HealthCheck> {
  const { query: _query, scrape: _scrape, ...rest } = check ?? {};
  return rest;
}

/** What earlier sections say of a check, without the source that this one replaces. */
function otherwise(earlier: CheckInput | undefined, { query, cloudWatch }: CheckInput): CheckInput {
  const { query: _query, cloudWatch: _cloudWatch, ...rest } = earlier ?? {};
  return query === undefined && cloudWatch === undefined ? { ...earlier } : rest;
}

/** Without keys whose value is undefined: those would hide what an earlier section says. */
function present(input: CheckInput): CheckInput {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}
