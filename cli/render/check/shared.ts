/** What the forms of a readiness report share. */
import type { Area, CheckFinding, Resource } from '../../../domain/readiness/check.ts';

export interface AreaCounts {
  area: Area;
  required: number;
  recommended: number;
  unknown: number;
  passed: number;
}

/** In the order of the catalogue. Areas without a check are left out. */
export function areaCounts(findings: readonly CheckFinding[]): AreaCounts[] {
  const areas: Area[] = ['EKS', 'AWS', 'Kubernetes', 'Karpenter', 'Istio', 'Ownership'];
  return areas.flatMap((area) => {
    const own = findings.filter((finding) => finding.area === area);
    if (own.length === 0) return [];
    const failed = (severity: CheckFinding['severity']): number =>
      own.filter((each) => each.status === 'fail' && each.severity === severity).length;
    return [
      {
        area,
        required: failed('required'),
        recommended: failed('recommended'),
        unknown: own.filter(({ status }) => status === 'unknown').length,
        passed: own.filter(({ status }) => status === 'pass').length,
      },
    ];
  });
}

/** "Deployment shop/cart" */
export function placeOf({ kind, namespace, name }: Resource): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** "required", "recommended", "unknown", "passed". */
export function standingOf({ status, severity }: CheckFinding): 'required' | 'recommended' | 'unknown' | 'passed' {
  if (status === 'pass') return 'passed';
  return status === 'unknown' ? 'unknown' : severity;
}
