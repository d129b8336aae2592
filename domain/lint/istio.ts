/** Looks at namespace labels that select an Istio injector. */
import type { Finding } from '../core/findings.ts';
import { lintFinding } from '../health/lint-finding.ts';

/** `istio-injection` wins over `istio.io/rev`: with both, the revision is ignored (Istio's webhook selectors). */
export function lintNamespaceLabels(name: string, labels: Readonly<Record<string, string>>): Finding[] {
  const revision = labels['istio.io/rev'];
  if (revision === undefined || labels['istio-injection'] === undefined) return [];
  return [
    lintFinding({
      code: 'LNT030',
      title: 'istio-injection wins over istio.io/rev',
      severity: 'required',
      message: `Namespace ${name} has istio.io/rev=${revision} and istio-injection=${labels['istio-injection']}: the revision is ignored.`,
      resource: name,
      remediation: 'Remove the label istio-injection.',
    }),
  ];
}
