/** The readiness report as JSON: its published schema (docs/readiness.schema.json), writing it, and reading one back. */
import { z } from 'zod';
import type { ReadinessDiff, ReadinessReport } from '../../domain/readiness/report.ts';
import { defined } from '../../domain/core/defined.ts';

const count = (what: string): z.ZodNumber => z.int().min(0).describe(what);
const minor = (what: string): z.ZodString =>
  z
    .string()
    .regex(/^1\.\d+$/)
    .describe(what);

const Resource = z
  .object({
    kind: z.string().describe('Such as Deployment'),
    namespace: z.string().describe('Absent for what belongs to the whole cluster').optional(),
    name: z.string(),
    note: z.string().describe('What is wrong with this one, where they differ').optional(),
  })
  .meta({ id: 'resource' });

const WaivedBecause = {
  reason: z.string().describe('Why people live with it'),
  by: z.string().describe('Who decided it'),
  until: z.string().describe('ISO date: the last day on which it counts'),
};

const Finding = z
  .object({
    code: z.string().describe('Stable; docs/reference/checks.md lists them'),
    area: z.enum(['EKS', 'AWS', 'Kubernetes', 'Karpenter', 'Istio', 'Ownership']),
    title: z.string().describe('What has to be true'),
    severity: z.enum(['required', 'recommended']).describe('At this target'),
    status: z.enum(['pass', 'fail', 'unknown']).describe('unknown: it could not be seen, and the message says why'),
    message: z.string().describe('What was found'),
    resources: z.array(Resource).readonly().describe('What it is about; empty where it passes'),
    remediation: z.string().describe('What to do; for unknown the permission that is missing').optional(),
    waived: z.object(WaivedBecause).describe('People live with it: it counts for nothing').optional(),
  })
  .meta({ id: 'finding' });

const Waiver = z.object({
  check: z.string().describe('Code of the check'),
  resource: z.string().describe('Absent: the whole check').optional(),
  ...WaivedBecause,
});

const Report = z.object({
  schemaVersion: z.literal(1).describe('Of this shape: fields may be added to it, none are taken away or change their meaning'),
  cluster: z.object({ name: z.string(), account: z.string().describe('AWS account id'), region: z.string() }),
  from: minor('Minor of the control plane'),
  target: minor('Minor that the cluster is checked for'),
  hops: z.array(z.string()).describe('Minors on the way, the target last'),
  nodes: z
    .array(z.object({ minor: z.string().describe('Of the kubelet'), owner: z.string(), count: count('How many') }))
    .describe('Absent where nodes could not be read')
    .optional(),
  narrowed: z
    .object({
      checks: z
        .object({
          run: count('Checks that were run'),
          of: count('Checks that there are'),
          codes: z.array(z.string()).readonly().describe('Of those that were run').optional(),
        })
        .describe('--only and --skip')
        .optional(),
      namespace: z
        .object({
          name: z.string(),
          hiddenFindings: count('Findings that concern other namespaces alone'),
          hiddenResources: count('Resources of other namespaces, also in findings that stay'),
        })
        .describe('--namespace')
        .optional(),
    })
    .describe('What was left out on request; absent where everything was looked at')
    .optional(),
  checkedAt: z.string().describe('ISO 8601'),
  verdict: z
    .enum(['ready', 'required-findings', 'unknowns-only'])
    .describe('required-findings: something required fails; unknowns-only: nothing that was seen does, and something was not seen'),
  counts: z
    .object({
      required: count('Required findings that fail'),
      recommended: count('Recommended findings that fail'),
      unknown: count('Findings that could not be judged'),
      passed: count('Findings that pass'),
      waived: count('Findings that people live with: they count for none of the others'),
    })
    .describe('Of findings, not of resources'),
  findings: z.array(Finding).describe('Worst first; waived ones after all that are open'),
  expiredWaivers: z.array(Waiver).describe('Waivers whose last day is over although their check still finds something'),
});

const Diff = z.object({
  fixed: z.array(Finding).describe('Open then, gone now; what is waived or could not be seen now is not among them'),
  added: z.array(Finding).describe('Open now, not then'),
  changed: z.array(z.object({ now: Finding, before: count('Resources then') })).describe('Open then and now, with fewer or more resources'),
  staying: count('Open then and now, those of `changed` among them'),
});

const Document = Report.extend({ diff: Diff.describe('Since an older report, with --diff: of checks that both have run').optional() });

/** What `--format json` writes. */
export function renderCheckJson(report: ReadinessReport, diff?: ReadinessDiff): string {
  // Typed by the schema, so that report and schema cannot drift apart.
  const document: z.input<typeof Document> = { ...report, ...defined({ diff }) };
  return JSON.stringify(document, null, 2);
}

/** undefined: it is no report of this schema. */
export function parseReport(text: string): ReadinessReport | undefined {
  try {
    return Report.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** JSON Schema (draft 2020-12) of what `--format json` writes. Open: readers do not stumble over fields that are added. */
export function reportJsonSchema(): Record<string, unknown> {
  return { title: 'belay check --format json', ...z.toJSONSchema(Document, { io: 'input', override: withoutNoise }) };
}

/** What says something about TypeScript and nothing about the file. */
function withoutNoise({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema.readOnly;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
