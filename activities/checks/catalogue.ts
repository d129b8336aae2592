/** Every check by its stable code: title and severity in one place, so that a finding cannot be worded in two ways. */
import { concerning, type Finding } from '../../domain/findings.ts';
import type { CheckReport } from '../contract.ts';
import { failureType, translateError } from '../translate-errors.ts';

interface Check {
  title: string;
  severity: Finding['severity'];
}

export const CHECKS = {
  EKS001: { title: 'Cluster is ACTIVE without health issues', severity: 'required' },
  EKS002: { title: 'No other update is running', severity: 'required' },
  EKS003: { title: 'EKS upgrade insights are fresh', severity: 'required' },
  EKS004: { title: 'EKS upgrade insight', severity: 'required' },
  EKS005: { title: 'EKS upgrade insight (warning)', severity: 'recommended' },
  EKS006: { title: 'Control plane is at the expected version', severity: 'required' },
  EKS007: { title: 'EKS offers the target version', severity: 'required' },
  EKS008: { title: 'Target version is in standard support', severity: 'recommended' },
  EKS009: { title: 'Node groups are ACTIVE without health issues', severity: 'required' },
  EKS010: { title: 'No Amazon Linux 2 nodes from 1.33 on', severity: 'required' },
  EKS011: { title: 'Add-ons have a version for both minors', severity: 'required' },
  EKS012: { title: 'Add-ons are ACTIVE without health issues', severity: 'required' },
  EKS013: { title: 'Node groups are at the target version', severity: 'required' },
  EKS014: { title: 'Add-ons are valid on the target version', severity: 'required' },
  EKS015: { title: 'Everything can be read', severity: 'recommended' },
  K8S001: { title: 'Kubelets stay within three minors of the control plane', severity: 'required' },
  K8S002: { title: 'kube-proxy is not newer and at most three minors older than the control plane', severity: 'required' },
  K8S003: { title: 'Pod disruption budgets allow evictions', severity: 'recommended' },
  K8S004: { title: 'API server says it is ready', severity: 'required' },
  K8S005: { title: 'Every API server answers with the expected version', severity: 'required' },
  K8S006: { title: 'Nine in ten nodes are Ready', severity: 'required' },
  K8S007: { title: 'Nodes are at the target version', severity: 'required' },
  K8S008: { title: 'Every node is Ready', severity: 'recommended' },
  K8S009: { title: 'Self-managed and Fargate nodes are at the target version', severity: 'recommended' },
  K8S010: { title: 'No volume is attached to a node that is gone', severity: 'required' },
  K8S011: { title: 'Webhooks that must answer have somebody behind them', severity: 'required' },
  K8S012: { title: 'Workloads have more than one replica', severity: 'recommended' },
  K8S013: { title: 'No pod has more than one disruption budget', severity: 'required' },
  K8S014: { title: 'No cluster autoscaler removes nodes meanwhile', severity: 'recommended' },
  KAR001: { title: 'Karpenter supports both minors', severity: 'required' },
  KAR002: { title: 'NodePools and EC2NodeClasses are ready', severity: 'required' },
  KAR003: { title: 'No NodeClaim expires within a day', severity: 'recommended' },
  KAR004: { title: 'The freeze of Karpenter drift holds', severity: 'required' },
  KAR005: { title: 'Karpenter is changed before the control plane moves', severity: 'recommended' },
  KAR006: { title: 'No freeze is left on a NodePool', severity: 'recommended' },
  KAR007: { title: 'No AMI hold is left on an EC2NodeClass', severity: 'recommended' },
  IST001: { title: 'Istio supports both minors', severity: 'required' },
  IST002: { title: 'Istio control planes are ready', severity: 'required' },
  IST003: { title: 'Istio is changed before the control plane moves', severity: 'recommended' },
} as const satisfies Record<string, Check>;

export type CheckCode = keyof typeof CHECKS;

export interface Result {
  status: Finding['status'];
  message: string;
  resources?: readonly string[];
  remediation?: string;
  /** Narrows the title: the insight's name. */
  titleSuffix?: string;
}

/** A finding of a catalogued check. */
export function finding(code: CheckCode, result: Result): Finding {
  const check: Check = CHECKS[code];
  return {
    code,
    title: result.titleSuffix === undefined ? check.title : `${check.title}: ${result.titleSuffix}`,
    severity: check.severity,
    status: result.status,
    message: result.message,
    ...concerning(result.resources ?? []),
    ...(result.remediation === undefined ? {} : { remediation: result.remediation }),
  };
}

/** Passes where nothing is wrong; else fails and names what is. `remediation` is said only then. */
export function findingUnless(
  code: CheckCode,
  wrong: readonly string[],
  { pass, fail, remediation }: { pass: string; fail: string; remediation?: string },
): Finding {
  if (wrong.length === 0) return finding(code, { status: 'pass', message: pass });
  return finding(code, { status: 'fail', message: fail, resources: wrong, ...(remediation === undefined ? {} : { remediation }) });
}

/** What may not be read is unknown; all else that went wrong while `doing` is thrown. */
export function unknownWhereDenied(code: CheckCode, error: unknown, doing: string, permission: string): Finding {
  const failure = translateError(error, doing);
  if (failureType(failure) !== 'AccessDenied') throw failure;
  return finding(code, { status: 'unknown', message: failure.message, remediation: `Allow ${permission}.` });
}

const MAX_FINDINGS = 40;

/** What crosses the boundary: no passes, at most 40. When some are cut, the last one says how many. */
export function report(all: readonly Finding[]): CheckReport {
  const open = all.filter((one) => one.status !== 'pass').toSorted((a, b) => rank(a) - rank(b));
  const passedCount = all.length - open.length;
  if (open.length <= MAX_FINDINGS) return { findings: open, passedCount };
  const cut = open.slice(MAX_FINDINGS - 1);
  const rest: Finding = {
    ...finding('EKS015', {
      status: 'unknown',
      message: `${cut.length} more findings are left out here; fix the ones above and check again.`,
    }),
    // Sorted: a required one is cut only where everything above is required as well.
    severity: cut.some((one) => one.severity === 'required') ? 'required' : 'recommended',
  };
  return { findings: [...open.slice(0, MAX_FINDINGS - 1), rest], passedCount };
}

function rank(one: Finding): number {
  return (one.severity === 'required' ? 0 : 2) + (one.status === 'fail' ? 0 : 1);
}
