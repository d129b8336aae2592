/** The readiness report as JSON: its published schema, and reading one back. */
import { z } from 'zod';
import type { ReadinessReport } from '../../../domain/readiness/report.ts';

const Finding = z.object({
  code: z.string(),
  area: z.enum(['EKS', 'AWS', 'Kubernetes', 'Karpenter', 'Istio', 'Ownership']),
  title: z.string(),
  severity: z.enum(['required', 'recommended']),
  status: z.enum(['pass', 'fail', 'unknown']),
  message: z.string(),
  resources: z.array(z.object({ kind: z.string(), namespace: z.string().optional(), name: z.string(), note: z.string().optional() })),
  remediation: z.string().optional(),
  waived: z.object({ reason: z.string(), by: z.string(), until: z.string() }).optional(),
});

const Waiver = z.object({ check: z.string(), resource: z.string().optional(), reason: z.string(), by: z.string(), until: z.string() });

const Report = z.object({
  schemaVersion: z.literal(1),
  cluster: z.object({ name: z.string(), account: z.string(), region: z.string() }),
  from: z.string(),
  target: z.string(),
  hops: z.array(z.string()),
  nodes: z.array(z.object({ minor: z.string(), owner: z.string(), count: z.number() })).optional(),
  checkedAt: z.string(),
  verdict: z.enum(['ready', 'required-findings', 'unknowns-only']),
  counts: z.object({ required: z.number(), recommended: z.number(), unknown: z.number(), passed: z.number(), waived: z.number() }),
  findings: z.array(Finding),
  expiredWaivers: z.array(Waiver),
});

/** undefined: it is no report of this schema. */
export function parseReport(text: string): ReadinessReport | undefined {
  try {
    return Report.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** JSON Schema of `--format json`. */
export const reportJsonSchema = (): unknown => z.toJSONSchema(Report);
