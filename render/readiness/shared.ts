/** What the forms of a readiness report share. */
import type { Area } from '../../domain/readiness/model/check.ts';
import type { JudgedFinding, Waiver } from '../../domain/readiness/model/waivers.ts';
import type { Narrowing, ReadinessDiff, ReadinessReport, ReadinessVerdict } from '../../domain/readiness/report.ts';
import { compareText, count } from '../../domain/core/text.ts';

export { placeOf } from '../../domain/readiness/model/names.ts';

const VERDICTS: Record<ReadinessVerdict, string> = {
  ready: 'Ready',
  'required-findings': 'Not ready',
  'unknowns-only': 'Ready as far as could be seen',
};

type Counted = Pick<ReadinessReport, 'verdict' | 'counts'>;

/** Nothing that was seen is wrong, and most was not seen: that is no readiness. */
export const isMostlyUnknown = ({ verdict, counts }: Counted): boolean => verdict === 'unknowns-only' && counts.unknown > counts.passed;

export const verdictText = (report: Counted): string => (isMostlyUnknown(report) ? 'Not known' : VERDICTS[report.verdict]);

/** Worst first. */
export const STANDINGS = ['required', 'unknown', 'recommended', 'waived', 'passed'] as const;
export type Standing = (typeof STANDINGS)[number];

export interface AreaCounts extends Record<Standing, number> {
  area: Area;
}

/** In the order of the catalogue. Areas without a check are left out. */
export function areaCounts(findings: readonly JudgedFinding[]): AreaCounts[] {
  const areas: Area[] = ['EKS', 'AWS', 'Kubernetes', 'Karpenter', 'Istio', 'Ownership'];
  return areas.flatMap((area) => {
    const own = findings.filter((finding) => finding.area === area);
    if (own.length === 0) return [];
    const of = (wanted: Standing): number => withStanding(own, wanted).length;
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

export interface NamespaceCounts extends Record<'required' | 'recommended' | 'waived' | 'resources', number> {
  namespace: string;
}

/** Findings and resources of each namespace that has any, the one with most to do first. */
export function namespaceCounts(findings: readonly JudgedFinding[]): NamespaceCounts[] {
  const found = findings.flatMap((finding) =>
    finding.resources.flatMap(({ namespace }) => (namespace === undefined ? [] : [{ namespace, finding }])),
  );
  const counts = [...Map.groupBy(found, ({ namespace }) => namespace)].map(([namespace, own]): NamespaceCounts => {
    const distinct = [...new Set(own.map(({ finding }) => finding))];
    const of = (wanted: Standing): number => withStanding(distinct, wanted).length;
    return { namespace, required: of('required'), recommended: of('recommended'), waived: of('waived'), resources: own.length };
  });
  return counts.toSorted(
    (a, b) =>
      b.required - a.required || b.recommended - a.recommended || b.resources - a.resources || compareText(a.namespace, b.namespace),
  );
}

export function standingOf({ status, severity, waived }: JudgedFinding): Standing {
  if (status === 'pass') return 'passed';
  if (waived !== undefined) return 'waived';
  return status === 'unknown' ? 'unknown' : severity;
}

export const withStanding = (findings: readonly JudgedFinding[], wanted: Standing): JudgedFinding[] =>
  findings.filter((finding) => standingOf(finding) === wanted);

/** What could not be seen, said once, with every check that waits for it. */
export interface Cause {
  message: string;
  remediation?: string;
  findings: JudgedFinding[];
}

/** One missing permission can leave a dozen checks unknown. */
export function causesOf(unknown: readonly JudgedFinding[]): Cause[] {
  const groups = Map.groupBy(unknown, ({ message, remediation = '' }) => `${message}\n${remediation}`);
  return [...groups.values()].flatMap((findings) => {
    const [first] = findings;
    return first === undefined ? [] : [{ message: first.message, remediation: first.remediation, findings }];
  });
}

export interface DiffLine {
  /** seen: it was unknown, and is not any more; unseen: the other way round. */
  mark: 'fixed' | 'new' | 'fewer' | 'more' | 'seen' | 'unseen';
  code: string;
  text: string;
}

/** What people worked for comes first. */
export function diffLines({ fixed, added, changed }: ReadinessDiff): DiffLine[] {
  const lines = [
    ...fixed.map(({ code, title, status }): DiffLine => ({ mark: status === 'unknown' ? 'seen' : 'fixed', code, text: title })),
    ...added.map(
      ({ code, title, status, message }): DiffLine =>
        // Why it is unknown stands with the finding.
        status === 'unknown' ? { mark: 'unseen', code, text: title } : { mark: 'new', code, text: message },
    ),
    ...changed.map(({ now, before }): DiffLine => {
      const mark = now.resources.length < before ? 'fewer' : 'more';
      return { mark, code: now.code, text: `${before} → ${count(now.resources.length, 'resource')}` };
    }),
  ];
  const order: DiffLine['mark'][] = ['fixed', 'new', 'fewer', 'more', 'seen', 'unseen'];
  return lines.toSorted((a, b) => order.indexOf(a.mark) - order.indexOf(b.mark));
}

export function expiredText({ check, resource, by, until }: Waiver): string {
  return `The waiver of ${check}${resource === undefined ? '' : ` for ${resource}`} by ${by} ended on ${until}.`;
}

/** A narrowed report must not pass for a whole one. */
export function narrowedTexts({ checks, namespace }: Narrowing = {}): string[] {
  return [
    ...(checks === undefined ? [] : [`Only ${checks.run} of ${count(checks.of, 'check')} were run.`]),
    ...(namespace === undefined
      ? []
      : [
          `Only what concerns namespace ${namespace.name}: ${count(namespace.hiddenFindings, 'finding')} and ${count(namespace.hiddenResources, 'resource')} of other namespaces are left out.`,
        ]),
  ];
}
