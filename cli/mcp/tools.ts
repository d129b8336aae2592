/** The tools: each reads, and answers in text and data. What is not in this list cannot be asked for. */
import { z } from 'zod';
import { defined } from '../../domain/core/defined.ts';
import { minor, text } from '../../domain/policy/config/base/fields.ts';
import { NODE_STRATEGIES } from '../../domain/policy/policy.ts';
import { CATALOGUE } from '../../domain/readiness/catalogue.ts';
import { SOURCES } from '../../domain/readiness/model/sources.ts';
import { isCheckOrArea, selectChecks } from '../../domain/readiness/report.ts';
import { writeACheck } from '../messages/mcp.ts';
import type { Answer } from './answer.ts';
import { type Call, configOf, inCluster, inFleet, PLACE } from './which.ts';

export interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodType;
  /** `given`: the input as it came. Throws what has a message for people. */
  run: (given: unknown, call: Call) => Promise<Answer>;
}

function tool<Input extends z.ZodType>(
  about: Omit<Tool, 'input' | 'run'> & { input: Input; read: (input: z.output<Input>, call: Call) => Promise<Answer> },
): Tool {
  const { input, read, ...names } = about;
  return { ...names, input, run: async (given, call) => await read(input.parse(given), call) };
}

const cluster = text('write the name of a cluster in belay.yaml').describe('Name of the cluster in belay.yaml');
const anyCluster = text('write the name of a cluster')
  .describe("Name of the cluster in belay.yaml; without belay.yaml, in EKS (default: that of the kubeconfig's current context)")
  .optional();
const target = minor
  .describe('Kubernetes minor to upgrade to, such as "1.34"; default: target of belay.yaml, else the next that EKS offers')
  .optional();
const strategy = z
  .enum(NODE_STRATEGIES, { error: 'write every-hop or once-at-the-end' })
  .describe('When to replace nodes in an upgrade of several hops')
  .optional();
const codes = z.array(
  text(writeACheck()).refine((code) => isCheckOrArea(CATALOGUE, code), { error: writeACheck() }),
  { error: 'write a list of checks' },
);
const wholeNumber = (most: number) => {
  const error = `write a whole number from 1 to ${most}`;
  return z.int({ error }).min(1, { error }).max(most, { error });
};

const check = tool({
  name: 'check',
  title: 'Readiness of a cluster',
  description:
    'Is a cluster ready for an upgrade to a Kubernetes version? Reads AWS and the cluster, for a minute or two. A finding is pass, fail or unknown; unknown is never a pass.',
  input: z.strictObject({
    cluster: anyCluster,
    target,
    ...PLACE,
    only: codes.describe('Only these checks or areas, such as ["K8S018", "KAR"]').optional(),
    namespace: text('write a namespace').describe('Only what concerns this namespace').optional(),
  }),
  async read({ only, namespace, ...which }, call) {
    const { checkCluster } = await import('../../worker/local/check.ts');
    const { renderCheckText } = await import('../render/check-text.ts');
    const { renderCheckJson } = await import('../../render/readiness/json-report.ts');
    return await inCluster(call, which, async ({ config, cluster: name, target: to }) => {
      const asked = { cluster: name, target: to, ...defined({ only, namespace }) };
      const sources = new Set(selectChecks(CATALOGUE, asked).flatMap(({ reads }) => reads));
      let done = 0;
      const report = await checkCluster(config, {
        ...asked,
        onRead: (id) => call.onProgress(SOURCES[id].what, (done += 1), sources.size),
      });
      return { text: renderCheckText(report), data: JSON.parse(renderCheckJson(report)) as unknown };
    });
  },
});

const plan = tool({
  name: 'plan',
  title: 'Plan of an upgrade',
  description:
    'The plan of an upgrade: hops, steps, gates, what can be undone and until when; or the rules that no plan satisfies, with remedies. Starts nothing.',
  input: z.strictObject({ cluster: anyCluster, target, ...PLACE, strategy }),
  async read({ strategy: chosen, ...which }, call) {
    const { planCluster } = await import('../../worker/local/plan.ts');
    const { renderPlan } = await import('../render/plan.ts');
    return await inCluster(call, which, async ({ config, ...asked }) => {
      const result = await planCluster(config, { ...asked, ...defined({ strategy: chosen }) });
      return { text: renderPlan(result), data: result };
    });
  },
});

const forecast = tool({
  name: 'forecast',
  title: 'Forecast of an upgrade',
  description:
    'What an upgrade would do: duration, pods that block nodes, workloads that go down, gates. Reads the cluster and simulates, for minutes; the forecast is not kept.',
  input: z.strictObject({
    cluster: anyCluster,
    target,
    ...PLACE,
    strategy,
    runs: wholeNumber(100).describe('Simulations; default 20').optional(),
  }),
  async read({ strategy: chosen, runs = 20, ...which }, call) {
    const [
      { READINGS, takeForNow },
      { forecastSnapshot },
      { thisRelease },
      { renderForecast },
      { renderForecastJson },
      { renderViolations },
    ] = await Promise.all([
      import('../../worker/local/snapshots/take-for-now.ts'),
      import('../../worker/local/snapshots/forecast.ts'),
      import('../../worker/releases/build-id.ts'),
      import('../render/forecast/text.ts'),
      import('../../render/forecast/json.ts'),
      import('../render/plan.ts'),
    ]);
    let done = 0;
    const onRead = (what: string): void => call.onProgress(what, (done += 1), READINGS.length);
    return await inCluster(call, which, async ({ config, cluster: name, target: to }) => {
      const snapshot = await takeForNow(config, name, { belay: thisRelease(), onRead, signal: call.signal });
      const result = await forecastSnapshot(snapshot, { config, target: to, runs, seed: 1, ...defined({ strategy: chosen }) });
      if (result.kind === 'refused') return { text: renderViolations(result.violations), data: result };
      return { text: renderForecast(result.forecast), data: JSON.parse(renderForecastJson(result.forecast)) as unknown };
    });
  },
});

const status = tool({
  name: 'status',
  title: 'Runs that go on',
  description:
    'One upgrade with its steps, open gates and evidence, or, without a cluster, all upgrades that run and the freezes that others have kept at their end. Asks Temporal.',
  input: z.strictObject({ cluster: cluster.optional() }),
  async read({ cluster: name }, call) {
    const config = configOf(call, 'status');
    const { openReader } = await import('../../worker/local/open-reader.ts');
    const { renderListed, renderStatus } = await import('../render/status.ts');
    const reader = openReader(config);
    try {
      if (name !== undefined) {
        const answer = await reader.status(name);
        return { text: renderStatus(answer), data: answer };
      }
      const all = await reader.listAll();
      return { text: renderListed(all), data: all };
    } finally {
      await reader.close();
    }
  },
});

const record = tool({
  name: 'record',
  title: 'Change record',
  description:
    'The change record of the last upgrade of a cluster that has ended: steps, decisions and by whom, durations, what was left behind.',
  input: z.strictObject({ cluster }),
  async read({ cluster: name }, call) {
    const config = configOf(call, 'record');
    const { readChangeRecord } = await import('../shared/change-record.ts');
    const { renderRecordMarkdown } = await import('../../render/change-record/markdown.ts');
    const { record: found, json } = await readChangeRecord(config, name);
    return { text: renderRecordMarkdown(found), data: json };
  },
});

const fleet = tool({
  name: 'fleet',
  title: 'All clusters',
  description:
    'Every cluster of belay.yaml, or without one of an account: version, support dates, open run, open campaigns, cost of waiting. What could not be read is "unread".',
  input: z.strictObject({
    clusters: z
      .array(text('write the name of a cluster'), { error: 'write a list of clusters' })
      .min(1, { error: 'name at least one' })
      .describe('Only these')
      .optional(),
    ...PLACE,
    withinDays: wholeNumber(730).describe('What needs action within so many days is due; default 60').optional(),
  }),
  async read({ withinDays = 60, ...which }, call) {
    const [{ windowFits }, { fleetView }, { renderFleet }] = await Promise.all([
      import('../../worker/local/window-fits.ts'),
      import('../../domain/run/fleet-view/view.ts'),
      import('../render/fleet.ts'),
    ]);
    return await inFleet(call, which, async ({ config, read }) => {
      const view = fleetView(await read(), withinDays, windowFits(config));
      return { text: renderFleet(view), data: view };
    });
  },
});

export const TOOLS: readonly Tool[] = [check, plan, forecast, status, record, fleet];
