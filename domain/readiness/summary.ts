/** A report in short: small enough for Temporal's history and a message, and enough to say later what has changed. */
import type { CheckFinding } from './model/check.ts';
import { placeOf } from './model/names.ts';
import { pairUp, type ReadinessReport } from './report.ts';
import type { ClusterRef } from '../core/cluster-ref.ts';

/** Bounds of a summary: 180 KiB at the very worst, a tenth of that on real clusters. */
const MAX_FINDINGS = 100;
const MAX_NAMED = 6;
/** A namespace and a name of 63 characters each fit. */
const MAX_NAME = 150;
const MAX_TEXT = 300;

/** A finding that failed or is unknown, and that nobody waived. */
export interface OpenFinding extends Pick<CheckFinding, 'code' | 'title' | 'severity' | 'status' | 'message' | 'remediation'> {
  /** The first ones, "Deployment shop/cart". */
  named: string[];
  resourceCount: number;
}

export interface ReadinessSummary extends Pick<ReadinessReport, 'from' | 'target' | 'checkedAt' | 'verdict' | 'counts'> {
  cluster: ClusterRef;
  /** Worst first. */
  open: OpenFinding[];
}

export function summarize({ cluster, from, target, checkedAt, verdict, counts, findings }: ReadinessReport): ReadinessSummary {
  const open = findings.filter(({ status, waived }) => status !== 'pass' && waived === undefined);
  return { cluster, from, target, checkedAt, verdict, counts, open: open.slice(0, MAX_FINDINGS).map(openFinding) };
}

function openFinding({ code, title, severity, status, message, resources, remediation }: CheckFinding): OpenFinding {
  return {
    code,
    title: short(title, MAX_NAME),
    severity,
    status,
    message: short(message, MAX_TEXT),
    ...(remediation === undefined ? {} : { remediation: short(remediation, MAX_TEXT) }),
    named: resources.slice(0, MAX_NAMED).map((resource) => short(placeOf(resource), MAX_NAME)),
    resourceCount: resources.length,
  };
}

const short = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`);

/** As many as a message shows. */
const WORST = 5;

/** The summary with the worst findings alone. */
export function headlineOf(summary: ReadinessSummary): ReadinessSummary {
  return { ...summary, open: summary.open.slice(0, WORST) };
}

type Named = Pick<OpenFinding, 'code' | 'title'>;

/** A finding that stays, with other resources than before. */
export interface ChangedFinding extends Named {
  before: number;
  now: number;
  /** Known only where both summaries name all resources. */
  gone: string[];
  come: string[];
}

export interface ReadinessChange {
  /** When the earlier check was made, ISO 8601. */
  since: string;
  fixed: Named[];
  added: Named[];
  changed: ChangedFinding[];
  unchangedCount: number;
}

/** What has changed since an earlier check of the same cluster. */
export function changeSince(before: ReadinessSummary, now: ReadinessSummary): ReadinessChange {
  const { fixed, added, pairs } = pairUp(before.open, now.open);
  const named = ({ code, title }: Named): Named => ({ code, title });
  const changed = pairs.flatMap(({ was, now: is }) => changedFinding(was, is) ?? []);
  return {
    since: before.checkedAt,
    fixed: fixed.map(named),
    added: added.map(named),
    changed,
    unchangedCount: pairs.length - changed.length,
  };
}

function changedFinding(was: OpenFinding, is: OpenFinding): ChangedFinding | undefined {
  const allNamed = [was, is].every(({ named, resourceCount }) => named.length === resourceCount);
  const gone = allNamed ? was.named.filter((name) => !is.named.includes(name)) : [];
  const come = allNamed ? is.named.filter((name) => !was.named.includes(name)) : [];
  if (was.resourceCount === is.resourceCount && gone.length + come.length === 0) return undefined;
  return { code: is.code, title: is.title, before: was.resourceCount, now: is.resourceCount, gone, come };
}
