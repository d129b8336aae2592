/** A readiness report of a big cluster: a thousand findings, forty namespaces, names that are markup. */
import type { Area, Resource } from '../../domain/readiness/model/check.ts';
import type { ReadinessReport } from '../../domain/readiness/report.ts';
import type { JudgedFinding } from '../../domain/readiness/model/waivers.ts';

export const FINDING_COUNT = 1_000;
const NAMESPACE_COUNT = 40;
const AREAS: [Area, string][] = [
  ['EKS', 'EKS'],
  ['AWS', 'AWS'],
  ['Kubernetes', 'K8S'],
  ['Karpenter', 'KAR'],
  ['Istio', 'IST'],
  ['Ownership', 'OWN'],
];
/** Is shown as it is, and run by nobody. */
export const ODD_NAME = '<img src=x onerror=alert(1)>';

const namespaceOf = (index: number): string => `team-${String(index % NAMESPACE_COUNT).padStart(2, '0')}`;

/** Of a hundred: 5 required, 10 unknown for one of two reasons, 40 recommended, 5 waived, 40 passed. */
function finding(index: number): JudgedFinding {
  const [area, prefix] = AREAS[index % AREAS.length] ?? ['EKS', 'EKS'];
  const share = index % 100;
  const about = {
    code: `${prefix}${String(100 + Math.floor(index / AREAS.length)).padStart(3, '0')}`,
    area,
    title: `Nothing stands in the way, number ${index}`,
    severity: share < 5 ? 'required' : 'recommended',
  } as const;
  if (share >= 60) return { ...about, status: 'pass', message: 'All is well.', resources: [] };
  if (share >= 5 && share < 15) {
    const what = index % 2 === 0 ? 'pods' : 'nodes';
    const message = `${what} could not be read: Kubernetes answered 403 (${what} is forbidden).`;
    return { ...about, status: 'unknown', message, resources: [], remediation: `Allow list on ${what}.` };
  }
  const resources = Array.from(
    { length: 1 + (index % 30) },
    (_, each): Resource => ({ kind: 'Deployment', namespace: namespaceOf(index + each), name: `service-${index}-${each}` }),
  );
  const named: Resource[] = index === 0 ? [{ kind: 'Deployment', namespace: namespaceOf(0), name: ODD_NAME, note: 'odd' }] : resources;
  const open: JudgedFinding = {
    ...about,
    status: 'fail',
    message: 'Something stands in the way.',
    resources: named,
    remediation: 'Clear it away.',
  };
  return share < 55 ? open : { ...open, waived: { reason: 'batch only', by: 'Ada Okafor', until: '2027-06-30' } };
}

export function largeReport(): ReadinessReport {
  const findings = Array.from({ length: FINDING_COUNT }, (_, index) => finding(index));
  return {
    schemaVersion: 1,
    cluster: { name: 'prod-seoul', account: '111122223333', region: 'ap-northeast-2' },
    from: '1.31',
    target: '1.34',
    hops: ['1.32', '1.33', '1.34'],
    nodes: [
      { minor: '1.30', owner: 'self-managed', count: 12 },
      { minor: '1.31', owner: 'karpenter', count: 4_800 },
      { minor: '1.31', owner: 'node-group', count: 188 },
    ],
    checkedAt: '2026-03-01T10:00:00.000Z',
    verdict: 'required-findings',
    counts: { required: 50, unknown: 100, recommended: 400, waived: 50, passed: 400 },
    findings,
    expiredWaivers: [{ check: 'K8S012', resource: 'team-01/*', reason: 'old', by: 'kim', until: '2026-01-31' }],
  };
}
