/** A forecast as JSON: its published schema (docs/forecast.schema.json), and writing it. */
import { z } from 'zod';
import { COMPARED, type Comparison } from '../../domain/run/forecasts/comparison.ts';
import type { Forecast } from '../../domain/plan/forecast/types.ts';
import { NODE_STRATEGIES, WAVES_BY } from '../../domain/policy/policy.ts';

const Version = {
  schemaVersion: z.literal(1).describe('Of this shape: fields may be added to it, none are taken away or change their meaning'),
};

/** Numbers over all simulations. */
const spread = (what: string) =>
  z
    .object({ p50: z.number().describe('Half of the simulations are at or below'), p90: z.number().describe('Nine in ten are') })
    .describe(what);
const share = z.number().min(0).max(1).describe('In how many of the simulations, 0 to 1');
const basis = z
  .enum(['snapshot', 'learnt', 'configured', 'reports'])
  .describe('snapshot: measured in it; learnt: from earlier upgrades; configured: belay.yaml; reports: of other clusters');

const Workload = z
  .object({
    kind: z.string(),
    namespace: z.string(),
    name: z.string(),
    team: z.string().describe('By ownership labels; absent: nobody’s').optional(),
  })
  .meta({ id: 'workload' });

const Step = z.object({
  id: z.string().describe('Of the plan'),
  title: z.string(),
  phase: z.string(),
  startsAfter: spread('Milliseconds from the beginning of the upgrade'),
  takes: spread('Milliseconds'),
  basis,
});

const ForecastShape = z.object({
  cluster: z.object({
    name: z.string(),
    account: z.string(),
    region: z.string(),
    identity: z.string().optional(),
    network: z.string().optional(),
  }),
  from: z.string(),
  to: z.string(),
  planHash: z.string().describe('Of the plan that was simulated'),
  strategy: z.enum(NODE_STRATEGIES),
  pace: z.string().describe('Where --pace asked for one').optional(),
  waves: z.object({ by: z.enum(WAVES_BY), nodes: z.number().optional(), gate: z.boolean().optional() }).optional(),
  snapshotTakenAt: z.string().describe('ISO 8601'),
  madeAt: z.string().describe('ISO 8601'),
  runs: z.int().describe('Simulations'),
  seed: z.number().describe('The same seed, snapshot and plan give the same forecast'),
  total: spread('Milliseconds'),
  steps: z.array(Step),
  gates: z.array(
    z.object({
      step: z.string(),
      title: z.string(),
      why: z.string(),
      assumed: z.string().describe('What people are assumed to answer'),
      share,
      decidedAfterMs: z.number(),
    }),
  ),
  nodesReplaced: z.array(
    z.object({
      owner: z.enum(['karpenter', 'node-group', 'self-managed', 'auto-mode', 'fargate']),
      name: z.string(),
      count: spread('Nodes'),
    }),
  ),
  blockers: z
    .array(
      z.object({
        pod: z.object({ namespace: z.string(), name: z.string() }),
        node: z.string(),
        workload: Workload.optional(),
        reason: z.enum(['budget', 'several-budgets', 'do-not-disrupt', 'no-room']),
        budgets: z.array(z.string()).describe('PodDisruptionBudgets in the namespace of the pod'),
        share,
      }),
    )
    .describe('Pods that keep their node from being replaced'),
  downtimes: z
    .array(
      z.object({
        workload: Workload,
        replicas: z.number(),
        why: z.enum(['one-replica', 'one-zone', 'all-at-once', 'no-room']),
        down: spread('Milliseconds without a ready pod, over the whole upgrade'),
        share,
      }),
    )
    .describe('Workloads that are without a ready pod for a while'),
  evictions: z.array(z.object({ workload: Workload, count: spread('Pods') })),
  peak: z
    .object({
      extraNodes: spread('Nodes'),
      extraVcpus: spread('vCPUs'),
      extraAddresses: spread('IP addresses of nodes and pods'),
      shortOfAddresses: z.array(z.object({ zone: z.string(), needed: z.number(), free: z.number() })),
      volumesMoved: spread('Volumes that move from one node to another'),
    })
    .describe('Beyond what the cluster has before'),
  surge: z
    .object({
      nodeHours: spread('Hours of nodes beside the old ones'),
      cost: spread('At forecast.prices of belay.yaml; absent: a price is not known').optional(),
      currency: z.string().describe('Of the cost; absent: USD').optional(),
      unpriced: z.array(z.string()).describe('Instance types without a price'),
    })
    .describe('Cost of nodes that run beside the old ones'),
  nodesOverTime: z
    .array(z.object({ atMs: z.number(), old: z.number(), new: z.number(), coming: z.number() }))
    .describe('In the median simulation'),
  limits: z.array(z.string()).describe('What was not read, or is not simulated: unknown, not fine'),
  calibration: z.array(
    z.object({ what: z.string(), basis, medianMs: z.number(), count: z.number().describe('Measurements; 0 where there are none') }),
  ),
});

const Refused = z.object({ label: z.string(), refused: z.array(z.object({ rule: z.string(), message: z.string(), remedy: z.string() })) });

const One = ForecastShape.extend(Version);
const Several = z.object({
  ...Version,
  compared: z.enum(COMPARED),
  variants: z.array(z.union([z.object({ label: z.string(), forecast: ForecastShape }), Refused])),
});
const Document = z.union([One, Several]);

/** What `--format json` writes. */
export function renderForecastJson(forecast: Forecast): string {
  // Typed by the schema, so that forecast and schema cannot drift apart.
  const document: z.input<typeof One> = { schemaVersion: 1, ...forecast };
  return JSON.stringify(document, null, 2);
}

/** The same with --compare. */
export function renderComparisonJson({ by, variants }: Comparison): string {
  const document: z.input<typeof Several> = { schemaVersion: 1, compared: by, variants };
  return JSON.stringify(document, null, 2);
}

/** JSON Schema (draft 2020-12) of both. Open: readers do not stumble over fields that are added. */
export function forecastJsonSchema(): Record<string, unknown> {
  return { title: 'belay forecast --format json', ...z.toJSONSchema(Document, { io: 'input', override: withoutNoise }) };
}

/** What says something about TypeScript and nothing about the file. */
function withoutNoise({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}
