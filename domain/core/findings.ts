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
  /** People have skipped in this run what would have put it right: it stays visible and stops nothing. */
  accepted?: Pick<Skipped, 'what' | 'by' | 'reason'>;
}

/** Something that people left as it is, and what may therefore be behind at the end. */
export interface Skipped {
  /** "Node groups to 1.32", "ip-10-0-1-7" */
  what: string;
  by: string;
  /** Empty where none was asked for. */
  reason: string;
  nodes?: string[];
  nodePools?: string[];
  nodeGroups?: string[];
  /** All nodes of these kinds, as facts of kubelets name them. */
  owners?: string[];
  addOns?: string[];
  /** Karpenter at the version, and revisions of Istio, that the step would have replaced: how their names in findings end. */
  components?: string[];
}

/** What a finding calls Karpenter. */
export const karpenterNamed = (version: string): string => `Karpenter ${version}`;

/** What a finding calls Istio: its version may be patched, its revision stays. */
export const istioNamed = (version: string, revision: string): string => `Istio ${version} ${revisionNamed(revision)}`;
export const revisionNamed = (revision: string): string => `(revision ${revision})`;

/** Resources named in a finding; the rest is a count. */
const NAMED = 5;

/** What a finding says of the resources concerned. */
export function concerning(resources: readonly string[]): Pick<Finding, 'resources' | 'resourceCount'> {
  return { resources: resources.slice(0, NAMED), resourceCount: resources.length };
}

/** It stands against going on: required, not passed, and nobody has waived or accepted it. */
export function stops({ severity, status, waived, accepted }: Finding): boolean {
  return severity === 'required' && status !== 'pass' && waived === undefined && accepted === undefined;
}

export type Verdict = 'ready' | 'required-findings' | 'unknowns-only';

/** Any failed required finding blocks; otherwise any unknown of a required check needs a human. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  const stopping = findings.filter(stops);
  if (stopping.some((f) => f.status === 'fail')) return 'required-findings';
  return stopping.length > 0 ? 'unknowns-only' : 'ready';
}
