/** `health:` in belay.yaml: the checks that steps are watched by, and the alerts that stop them. */
import { z } from 'zod';
import { type FailCondition, type HealthCheck, type HealthPolicy, ON_EMPTY, OPERATORS, SEVERITIES } from '../health-checks.ts';
import { PHASES } from '../phases.ts';
import { duration, flag, text } from './fields.ts';
import { DEFAULT_CHECKS, GUARDED, USUAL_CHECK, USUAL_IGNORED } from './health-defaults.ts';

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
      .describe('Bad is what is above so many times of what was seen before the upgrade')
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
    off: flag().describe('Switches a check off, such as one of the usual ones').optional(),
    query: text('write a query of PromQL').describe('PromQL; of several series the worst counts').optional(),
    failWhen: failWhen.describe('When a look is a bad one').optional(),
    interval: duration('Time between two looks').optional(),
    count: whole('write a whole number from 1', 1).describe('So many last looks are judged together').optional(),
    failureLimit: whole('write a whole number from 0', 0).describe('It fails when more of them are bad').optional(),
    errorLimit: whole('write a whole number from 0', 0)
      .describe('It is inconclusive, and people are asked, when more looks in a row have seen nothing')
      .optional(),
    onEmpty: z
      .enum(ON_EMPTY, { error: `write ${ON_EMPTY.join(' or ')}: what is not seen is never good` })
      .describe('What a look without a series counts as')
      .optional(),
    severity: z
      .enum(SEVERITIES, { error: `write ${SEVERITIES.join(' or ')}` })
      .describe('block: people decide at a gate; warn: the thread is told')
      .optional(),
    guards: z
      .array(z.enum(PHASES, { error: `write phases such as ${GUARDED.join(', ')}` }), { error: 'write a list of phases' })
      .describe('Phases that it watches')
      .optional(),
  })
  .refine(({ count, failureLimit }) => count === undefined || failureLimit === undefined || failureLimit < count, {
    error: 'failureLimit has to be less than count, or it can never fail',
  });

export const healthSchema = z
  .strictObject({
    interval: duration('Time between two looks of all checks that name none').optional(),
    checks: z
      .record(text('write a name such as checkout-errors', /^[a-z0-9][a-z0-9-]*$/), check, { error: 'write checks by name' })
      .describe('Beside the usual ones; under the name of a usual one: what differs')
      .optional(),
    alerts: z
      .enum(['block', 'ignore'], { error: 'write block or ignore' })
      .describe('Firing alerts before the control plane moves and before nodes are replaced. block: the step waits until they are resolved')
      .optional(),
    ignoreAlerts: z
      .array(text('write the name of an alert'), { error: 'write a list of names such as ["TargetDown"]' })
      .describe(
        'Alerts that stop nothing, beside those that always fire; those of severity info and none never do. Lists of all sections hold together',
      )
      .optional(),
  })
  .describe('What steps are watched by, where the cluster has a Prometheus');

type HealthInput = z.output<typeof healthSchema>;
type CheckInput = z.output<typeof check>;

/** What all sections say, the later over the earlier, over the usual checks. `problems`: checks that say too little. */
export function healthOf(layers: readonly (HealthInput | undefined)[]): {
  policy: HealthPolicy;
  problems: { name: string; message: string }[];
} {
  const given = layers.filter((layer) => layer !== undefined);
  const inputs = new Map<string, CheckInput>();
  for (const layer of given)
    for (const [name, input] of Object.entries(layer.checks ?? {})) inputs.set(name, { ...inputs.get(name), ...present(input) });
  const intervalMs = given.findLast(({ interval }) => interval !== undefined)?.interval;
  const problems: { name: string; message: string }[] = [];
  const names = new Set([...DEFAULT_CHECKS.map(({ name }) => name), ...inputs.keys()]);
  const checks = [...names].flatMap((name): HealthCheck[] => {
    const result = checkOf(name, inputs.get(name) ?? {}, intervalMs);
    if (typeof result === 'string') problems.push({ name, message: result });
    return result === undefined || typeof result === 'string' ? [] : [result];
  });
  const policy: HealthPolicy = {
    checks,
    alerts: given.findLast(({ alerts }) => alerts !== undefined)?.alerts ?? 'block',
    ignoreAlerts: [...new Set([...USUAL_IGNORED, ...given.flatMap(({ ignoreAlerts }) => ignoreAlerts ?? [])])],
  };
  return { policy, problems };
}

/** undefined: switched off; text: what is missing. */
function checkOf(name: string, input: CheckInput, intervalMs: number | undefined): HealthCheck | string | undefined {
  if (input.off === true) return undefined;
  const usual = DEFAULT_CHECKS.find((each) => each.name === name);
  const { off: _off, interval, failWhen: condition, ...rest } = input;
  const query = rest.query ?? usual?.query;
  const failing = condition === undefined ? usual?.failWhen : conditionOf(condition);
  if (query === undefined) return 'has no query, and is none of the usual checks; write query and failWhen';
  if (failing === undefined) return `has no failWhen; ${RIGHT_CONDITION}`;
  const merged: HealthCheck = {
    ...USUAL_CHECK,
    guards: [...GUARDED],
    ...usual,
    ...rest,
    name,
    query,
    failWhen: failing,
    intervalMs: interval ?? intervalMs ?? USUAL_CHECK.intervalMs,
  };
  return merged.failureLimit < merged.count ? merged : 'failureLimit has to be less than count, or it can never fail';
}

function conditionOf({ operator, value, baseline, atLeast }: z.output<typeof failWhen>): FailCondition | undefined {
  if (baseline !== undefined) return { kind: 'baseline', factor: baseline, ...(atLeast === undefined ? {} : { atLeast }) };
  return operator === undefined || value === undefined ? undefined : { kind: 'value', operator, value };
}

/** Without keys whose value is undefined: those would hide what an earlier section says. */
function present(input: CheckInput): CheckInput {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}
