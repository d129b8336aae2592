/** Looks through Karpenter's objects and settings for what current versions refuse or ignore. */
import { compareMinors, parseComponentVersion, tryComponentVersion } from '../core/component-version.ts';
import type { Finding } from '../core/findings.ts';
import { lintFinding } from '../health/lint-finding.ts';

const V1 = parseComponentVersion('1.0');
const V1_1 = parseComponentVersion('1.1');

/** NodePool v1: `spec.disruption.consolidationPolicy`. */
export function lintNodePool(pool: { name: string; consolidationPolicy?: string }): Finding[] {
  if (pool.consolidationPolicy !== 'WhenUnderutilized') return [];
  return [
    lintFinding({
      code: 'LNT010',
      title: 'The consolidation policy was renamed',
      severity: 'required',
      message: `NodePool ${pool.name} has consolidationPolicy WhenUnderutilized, which the v1 CRD rejects. It never governed drift either.`,
      resource: pool.name,
      remediation: 'Use WhenEmptyOrUnderutilized; govern drift with disruption budgets.',
    }),
  ];
}

/** EC2NodeClass v1: AMIs have to be selected by terms; `amiFamily` alone is not enough. */
export function lintNodeClass(nodeClass: { name: string; amiFamily?: string; amiSelectorTerms?: readonly object[] }): Finding[] {
  if ((nodeClass.amiSelectorTerms ?? []).length > 0) return [];
  return [
    lintFinding({
      code: 'LNT011',
      title: 'The node class selects no AMI',
      severity: 'required',
      message: `EC2NodeClass ${nodeClass.name} has no amiSelectorTerms, which v1 requires${nodeClass.amiFamily === undefined ? '' : `; amiFamily ${nodeClass.amiFamily} alone does not select one`}.`,
      resource: nodeClass.name,
      remediation: 'Add amiSelectorTerms, for example [{alias: al2023@latest}].',
    }),
  ];
}

export interface KarpenterInstall {
  version: string;
  /** Chart value webhook.enabled. */
  webhookEnabled?: boolean;
  /** Feature gates as text, "Drift=false". */
  featureGates?: string;
}

/** Settings of the controller's installation. */
export function lintKarpenterInstall(install: KarpenterInstall): Finding[] {
  const version = tryComponentVersion(install.version);
  if (version === undefined) return [];
  const findings: Finding[] = [];
  if (compareMinors(version, V1) >= 0 && /drift(?:Enabled)?\s*[=:]\s*false/i.test(install.featureGates ?? ''))
    findings.push(
      lintFinding({
        code: 'LNT012',
        title: 'Drift cannot be switched off',
        severity: 'required',
        message: `Drift is always on since Karpenter 1.0: ${install.featureGates} does nothing in ${install.version}.`,
        resource: `karpenter ${install.version}`,
        remediation: 'Freeze drift with a disruption budget of 0 nodes while the control plane moves.',
      }),
    );
  if (install.webhookEnabled === false && compareMinors(version, V1_1) < 0)
    findings.push(
      lintFinding({
        code: 'LNT013',
        title: 'The migration to v1 needs the conversion webhooks',
        severity: 'required',
        message: `Karpenter ${install.version} with webhook.enabled=false can neither convert v1beta1 objects nor be rolled back.`,
        resource: `karpenter ${install.version}`,
        remediation: 'Set webhook.enabled=true on the last patch before 1.0 and on 1.0; 1.1 does without.',
      }),
    );
  return findings;
}
