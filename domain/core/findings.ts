/** One result of a check. A check that cannot see reports `unknown`, never `pass`. */
export interface Finding {
  /** Stable code such as EKS001 (docs/reference/checks.md), or PLN001 for one of a plan. */
  code: string;
  title: string;
  severity: 'required' | 'recommended';
  status: 'pass' | 'fail' | 'unknown';
  /** One sentence: what was seen. For `unknown`: why it cannot be seen. */
  message: string;
  /** The first few resources concerned; `resourceCount` has the whole number. */
  resources: string[];
  resourceCount: number;
  remediation?: string;
  /** Somebody lives with it, until a day (belay.yaml, waivers): it stays visible and stops nothing. */
  waived?: { reason: string; by: string; until: string };
}

/** Resources named in a finding; the rest is a count. */
const NAMED = 5;

/** What a finding says of the resources concerned. */
export function concerning(resources: readonly string[]): Pick<Finding, 'resources' | 'resourceCount'> {
  return { resources: resources.slice(0, NAMED), resourceCount: resources.length };
}

/** It stands against going on: required, not passed, and nobody has waived it. */
export function stops({ severity, status, waived }: Finding): boolean {
  return severity === 'required' && status !== 'pass' && waived === undefined;
}

export type Verdict = 'ready' | 'required-findings' | 'unknowns-only';

/** Any failed required finding blocks; otherwise any unknown of a required check needs a human. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  const stopping = findings.filter(stops);
  if (stopping.some((f) => f.status === 'fail')) return 'required-findings';
  return stopping.length > 0 ? 'unknowns-only' : 'ready';
}
