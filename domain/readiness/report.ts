/** The readiness report: findings worst first, counts, and what it comes to. */
import { formatKubernetesVersion, tryKubernetesVersion } from '../core/version.ts';
import type { Check, CheckFinding, Context } from './model/check.ts';
import { runCheck } from './model/check.ts';
import type { Evidence } from './model/evidence.ts';
import { applyWaivers, type JudgedFinding, type Waiver } from './model/waivers.ts';
import type { ClusterRef } from '../core/cluster-ref.ts';
import { compareText } from '../core/text.ts';

export type ReadinessVerdict = 'ready' | 'required-findings' | 'unknowns-only';

export interface ReadinessReport {
  /** Of this shape. */
  schemaVersion: 1;
  cluster: ClusterRef;
  from: string;
  target: string;
  /** Minors on the way, the target last. */
  hops: string[];
  /** Nodes by kubelet minor and owner; absent where nodes could not be read. */
  nodes?: { minor: string; owner: string; count: number }[];
  /** What was left out on request; absent where everything was looked at. */
  narrowed?: Narrowing;
  /** ISO 8601 */
  checkedAt: string;
  verdict: ReadinessVerdict;
  /** Waived findings count for none of the others. */
  counts: { required: number; recommended: number; unknown: number; passed: number; waived: number };
  /** Worst first; waived ones after all that are open. */
  findings: JudgedFinding[];
  /** Waivers whose last day is over although their check still finds something. */
  expiredWaivers: Waiver[];
}

export interface Narrowing {
  /** By --only and --skip. `codes`: of those that were run; absent in reports of older releases. */
  checks?: { run: number; of: number; codes?: readonly string[] | undefined };
  /** Findings of other namespaces are hidden whole; of those that stay, resources elsewhere are. */
  namespace?: { name: string; hiddenFindings: number; hiddenResources: number };
}

export interface Selection {
  only?: readonly string[];
  skip?: readonly string[];
}

/** Checks by code; an entry of letters alone ("EKS") means all of an area. */
export function selectChecks(catalogue: readonly Check[], { only, skip = [] }: Selection): Check[] {
  const meets = (code: string, wanted: readonly string[]): boolean =>
    wanted.some((each) => code === each || (/^[A-Z0-9]{3}$/.test(each) && code.startsWith(each)));
  return catalogue.filter(({ code }) => (only === undefined || meets(code, only)) && !meets(code, skip));
}

/** Is it the code of a check, or the name of an area? */
export const isCheckOrArea = (catalogue: readonly Check[], code: string): boolean => selectChecks(catalogue, { only: [code] }).length > 0;

export interface Reporting {
  cluster: ClusterRef;
  checks: readonly Check[];
  /** How many there are to choose from; absent: all of them are in `checks`. */
  catalogueCount?: number;
  evidence: Evidence;
  context: Context;
  /** Only what concerns this namespace; findings without a namespace stay. */
  namespace?: string;
  waivers?: readonly Waiver[];
  /** Default: `runCheck`. */
  run?: (check: Check, evidence: Evidence, context: Context) => CheckFinding[];
}

export function reportReadiness(reporting: Reporting): ReadinessReport {
  const { cluster, checks, evidence, context, namespace, waivers = [], run = runCheck } = reporting;
  const all = checks.flatMap((check) => run(check, evidence, context));
  const concerned = namespace === undefined ? all : all.flatMap((finding) => within(finding, namespace));
  const judged = applyWaivers(concerned, waivers, context.now);
  const findings = judged.findings.toSorted((a, b) => rank(a) - rank(b) || compareText(a.code, b.code));
  const open = (severity: CheckFinding['severity']): number =>
    findings.filter((each) => each.waived === undefined && each.status === 'fail' && each.severity === severity).length;
  const unknown = findings.filter(({ status, waived }) => status === 'unknown' && waived === undefined);
  return {
    schemaVersion: 1,
    cluster,
    from: formatKubernetesVersion(context.from),
    target: formatKubernetesVersion(context.target),
    hops: context.hops.map(formatKubernetesVersion),
    ...nodesByVersion(evidence),
    ...narrowing(reporting, all, concerned),
    checkedAt: context.now,
    verdict: open('required') > 0 ? 'required-findings' : unknown.length > 0 ? 'unknowns-only' : 'ready',
    counts: {
      required: open('required'),
      recommended: open('recommended'),
      unknown: unknown.length,
      passed: findings.filter(({ status }) => status === 'pass').length,
      waived: findings.filter(({ waived }) => waived !== undefined).length,
    },
    findings,
    expiredWaivers: judged.expired,
  };
}

function nodesByVersion({ nodes }: Evidence): Pick<ReadinessReport, 'nodes'> {
  if (!nodes.ok) return {};
  const groups = Map.groupBy(nodes.value, ({ kubelet, owner }) => {
    const minor = tryKubernetesVersion(kubelet);
    return `${minor === undefined ? 'unknown' : formatKubernetesVersion(minor)} ${owner}`;
  });
  const counted = [...groups].map(([key, own]) => {
    const [minor = '', owner = ''] = key.split(' ');
    return { minor, owner, count: own.length };
  });
  return { nodes: counted.toSorted((a, b) => compareText(a.minor, b.minor) || compareText(a.owner, b.owner)) };
}

/** `all` and `concerned`: findings before and after the namespace was applied. */
function narrowing(
  { checks, catalogueCount = checks.length, namespace }: Reporting,
  all: readonly CheckFinding[],
  concerned: readonly CheckFinding[],
): Pick<ReadinessReport, 'narrowed'> {
  const resourceCount = (findings: readonly CheckFinding[]): number => findings.flatMap(({ resources }) => resources).length;
  const chosen =
    checks.length === catalogueCount ? {} : { checks: { run: checks.length, of: catalogueCount, codes: checks.map(({ code }) => code) } };
  if (namespace === undefined) return 'checks' in chosen ? { narrowed: chosen } : {};
  const hidden = {
    name: namespace,
    hiddenFindings: all.length - concerned.length,
    hiddenResources: resourceCount(all) - resourceCount(concerned),
  };
  return { narrowed: { ...chosen, namespace: hidden } };
}

/** The part of a finding that concerns a namespace; nothing where all of it concerns others. */
function within(finding: CheckFinding, namespace: string): CheckFinding[] {
  if (finding.resources.every((each) => each.namespace === undefined)) return [finding];
  const resources = finding.resources.filter((each) => each.namespace === namespace);
  return resources.length === 0 ? [] : [{ ...finding, resources }];
}

/** Failed before unknown before waived before passed; required before recommended. */
export function rank({ status, severity, waived }: Pick<JudgedFinding, 'status' | 'severity' | 'waived'>): number {
  const place = status === 'pass' ? 3 : waived !== undefined ? 2 : status === 'unknown' ? 1 : 0;
  return place * 2 + (severity === 'required' ? 0 : 1);
}

export interface ReadinessDiff {
  fixed: CheckFinding[];
  added: CheckFinding[];
  /** With fewer or more resources than before. */
  changed: { now: CheckFinding; before: number }[];
  staying: number;
}

/**
 * What has changed since an older report: by code, and by message where a code is there more than once. Only of checks that both have run: what one of them
 * left out is neither fixed nor new. What is waived now, or could not be seen, is not fixed.
 */
export function diffReports(before: ReadinessReport, now: ReadinessReport): ReadinessDiff {
  const isInBoth = ({ code }: CheckFinding): boolean => hasRun(before, code) && hasRun(now, code);
  const open = ({ findings }: ReadinessReport): CheckFinding[] =>
    findings.filter((finding) => finding.status !== 'pass' && finding.waived === undefined && isInBoth(finding));
  const { fixed, added, pairs } = pairUp(open(before), open(now));
  const unseen = new Set(now.findings.filter(({ status }) => status === 'unknown').map(({ code }) => code));
  const gone = pairUp(fixed, waivedIn(now)).fixed.filter(({ code, status }) => status === 'unknown' || !unseen.has(code));
  const counted = pairs.map((pair) => ({ now: pair.now, before: pair.was.resources.length }));
  return { fixed: gone, added, changed: counted.filter((pair) => pair.now.resources.length !== pair.before), staying: pairs.length };
}

/** A check that was run leaves a finding, if only that it passes; where a namespace was asked for, those of others are hidden. */
function hasRun({ findings, narrowed }: ReadinessReport, wanted: string): boolean {
  if (findings.some(({ code }) => code === wanted)) return true;
  if (narrowed?.namespace === undefined) return false;
  return narrowed.checks === undefined || narrowed.checks.codes?.includes(wanted) === true;
}

/** Each finding once, however many waivers share its resources. */
function waivedIn({ findings }: ReadinessReport): CheckFinding[] {
  const waived = findings.filter((finding) => finding.waived !== undefined);
  return [...new Map(waived.map((finding) => [`${finding.code} ${finding.status} ${finding.message}`, finding])).values()];
}

/** Findings that are in both, in the older alone and in the newer alone. */
export function pairUp<T extends Pick<CheckFinding, 'code' | 'status' | 'message'>>(
  old: readonly T[],
  current: readonly T[],
): { fixed: T[]; added: T[]; pairs: { now: T; was: T }[] } {
  const counterpart = (finding: T, among: readonly T[]): T | undefined => {
    const same = among.filter(({ code, status }) => code === finding.code && status === finding.status);
    return same.length > 1 ? same.find(({ message }) => message === finding.message) : same[0];
  };
  return {
    fixed: old.filter((finding) => counterpart(finding, current) === undefined),
    added: current.filter((finding) => counterpart(finding, old) === undefined),
    pairs: current.flatMap((now) => {
      const was = counterpart(now, old);
      return was === undefined ? [] : [{ now, was }];
    }),
  };
}
