/** One result of a check. A check that cannot see reports `unknown`, never `pass`. */
export interface Finding {
  /** Stable code such as EKS001. */
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
}

/** Resources named in a finding; the rest is a count. */
const NAMED = 5;

/** What a finding says of the resources concerned. */
export function concerning(resources: readonly string[]): Pick<Finding, 'resources' | 'resourceCount'> {
  return { resources: resources.slice(0, NAMED), resourceCount: resources.length };
}

export type Verdict = 'ready' | 'required-findings' | 'unknowns-only';

/** Any failed required finding blocks; otherwise any unknown of a required check needs a human. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  if (findings.some((f) => f.severity === 'required' && f.status === 'fail')) return 'required-findings';
  if (findings.some((f) => f.severity === 'required' && f.status === 'unknown')) return 'unknowns-only';
  return 'ready';
}
