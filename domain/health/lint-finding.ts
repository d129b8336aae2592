/** Findings of the linters: one failed finding about one text. */
import type { Finding } from '../core/findings.ts';

export interface LintInput {
  code: string;
  title: string;
  severity: Finding['severity'];
  message: string;
  /** What was looked at: a query, an object's name. */
  resource: string;
  remediation: string;
}

export function lintFinding({ resource, ...rest }: LintInput): Finding {
  return { ...rest, status: 'fail', resources: [resource], resourceCount: 1 };
}
