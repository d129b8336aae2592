/** What the forms of a readiness report share. */
import type { Area, CheckFinding } from '../../../domain/readiness/check.ts';
import type { JudgedFinding } from '../../../domain/readiness/waivers.ts';

export { placeOf } from '../../../domain/readiness/names.ts';

export interface AreaCounts {
  area: Area;
  required: number;
  recommended: number;
  unknown: number;
  passed: number;
  waived: number;
}

/** In the order of the catalogue. Areas without a check are left out. */
export function areaCounts(findings: readonly JudgedFinding[]): AreaCounts[] {
  const areas: Area[] = ['EKS', 'AWS', 'Kubernetes', 'Karpenter', 'Istio', 'Ownership'];
  return areas.flatMap((area) => {
    const own = findings.filter((finding) => finding.area === area);
    if (own.length === 0) return [];
    const of = (standing: ReturnType<typeof standingOf>): number => own.filter((each) => standingOf(each) === standing).length;
    return [
      {
        area,
        required: of('required'),
        recommended: of('recommended'),
        unknown: of('unknown'),
        passed: of('passed'),
        waived: of('waived'),
      },
    ];
  });
}

export function standingOf({ status, severity, waived }: JudgedFinding): CheckFinding['severity'] | 'unknown' | 'passed' | 'waived' {
  if (status === 'pass') return 'passed';
  if (waived !== undefined) return 'waived';
  return status === 'unknown' ? 'unknown' : severity;
}
