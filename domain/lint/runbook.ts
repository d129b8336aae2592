/** Looks through lines of hand-written runbooks for steps that destroy or that EKS does not have. */
import type { Finding } from '../core/findings.ts';
import { lintFinding } from '../health/lint-finding.ts';

interface Trap {
  code: string;
  title: string;
  pattern: RegExp;
  message: string;
  remediation: string;
}

const TRAPS: readonly Trap[] = [
  {
    code: 'LNT020',
    title: 'Deleting Karpenter’s CRDs deletes its nodes',
    pattern: /kubectl\s+delete\s+(?:crds?|customresourcedefinitions?)\b.*karpenter/i,
    message: 'Deleting a CRD deletes its objects: NodePools, NodeClaims and with them the nodes.',
    remediation: 'Adopt the CRDs: label them managed-by=Helm and annotate release name and namespace, or install with --take-ownership.',
  },
  {
    code: 'LNT021',
    title: 'EKS gives no access to etcd',
    pattern: /\betcd(?:ctl)?\b.*(?:backup|snapshot|restore)|(?:backup|snapshot|restore)\b.*\betcd\b/i,
    message: 'etcd of an EKS control plane can be neither saved nor restored.',
    remediation: 'Use EKS’s version rollback to the minor before, within 7 days of the update.',
  },
];

/** Findings about one line of a runbook or script. */
export function lintRunbookLine(line: string): Finding[] {
  return TRAPS.filter((trap) => trap.pattern.test(line)).map(({ pattern: _pattern, ...trap }) =>
    lintFinding({ ...trap, severity: 'required', resource: line.trim() }),
  );
}
