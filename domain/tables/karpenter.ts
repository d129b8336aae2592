/** Which Karpenter runs on which Kubernetes minors, and which one to choose for a way from one minor to another. */
import type { ComponentVersion } from '../core/component-version.ts';
import {
  compareComponentVersions,
  compareMinors,
  formatMinor,
  formatPatch,
  parseComponentVersion,
  tryComponentVersion,
} from '../core/component-version.ts';
import type { KubernetesVersion } from '../core/version.ts';
import { compareKubernetesVersions, formatKubernetesVersion, parseKubernetesVersion } from '../core/version.ts';

/** From this Karpenter version on (until the next entry), these Kubernetes minors. */
export interface KarpenterRange {
  /** "1.6" for all its patches; "1.0.5" from that patch on. */
  since: string;
  minKubernetes: string;
  maxKubernetes: string;
}

/**
 * Oldest first; an entry holds until the next one. Source: aws/karpenter-provider-aws
 * hack/docs/compatibilitymatrix_gen/compatibility.yaml (2026-08-21), which pkg/providers/version/version.go agrees with; 1.15 has no row
 * there yet, so its version.go alone says (1.15.0 to 1.15.2).
 * Outside its range Karpenter only logs, it does not stop: so the matrix has to be enforced here.
 */
const KARPENTER_RANGES: readonly KarpenterRange[] = [
  { since: '0.21', minKubernetes: '1.21', maxKubernetes: '1.24' },
  { since: '0.25', minKubernetes: '1.21', maxKubernetes: '1.25' },
  { since: '0.28', minKubernetes: '1.23', maxKubernetes: '1.25' }, // 0.28.0 is incompatible with 1.26 and newer
  { since: '0.28.1', minKubernetes: '1.23', maxKubernetes: '1.27' },
  { since: '0.31', minKubernetes: '1.23', maxKubernetes: '1.28' },
  { since: '0.34', minKubernetes: '1.23', maxKubernetes: '1.29' },
  { since: '0.37', minKubernetes: '1.23', maxKubernetes: '1.30' },
  { since: '1.0', minKubernetes: '1.25', maxKubernetes: '1.30' },
  { since: '1.0.5', minKubernetes: '1.25', maxKubernetes: '1.31' }, // the first patch for 1.31
  { since: '1.1', minKubernetes: '1.25', maxKubernetes: '1.31' },
  { since: '1.2', minKubernetes: '1.25', maxKubernetes: '1.32' },
  { since: '1.3', minKubernetes: '1.25', maxKubernetes: '1.32' },
  { since: '1.4', minKubernetes: '1.25', maxKubernetes: '1.32' },
  { since: '1.5', minKubernetes: '1.26', maxKubernetes: '1.33' },
  { since: '1.6', minKubernetes: '1.26', maxKubernetes: '1.34' },
  { since: '1.7', minKubernetes: '1.26', maxKubernetes: '1.34' },
  { since: '1.8', minKubernetes: '1.26', maxKubernetes: '1.34' },
  { since: '1.9', minKubernetes: '1.26', maxKubernetes: '1.35' },
  { since: '1.10', minKubernetes: '1.26', maxKubernetes: '1.35' },
  { since: '1.11', minKubernetes: '1.26', maxKubernetes: '1.35' },
  { since: '1.12', minKubernetes: '1.26', maxKubernetes: '1.35' },
  { since: '1.13', minKubernetes: '1.26', maxKubernetes: '1.36' },
  { since: '1.14', minKubernetes: '1.26', maxKubernetes: '1.36' },
  { since: '1.15', minKubernetes: '1.26', maxKubernetes: '1.37' },
];

/** The newest minor that the table knows. A newer one is unknown, not unsupported. */
const NEWEST_KNOWN = parseComponentVersion('1.15');

/** Newest patch of each minor (release tags of aws/karpenter-provider-aws, 2026-11-29; those below 0.35 have a v). Newer ones may exist; any at or above a minimum will do. */
export const KARPENTER_NEWEST_PATCHES: Readonly<Record<string, string>> = {
  '0.31': 'v0.31.4',
  '0.32': 'v0.32.10',
  '0.33': 'v0.33.12',
  '0.34': 'v0.34.13',
  '0.35': '0.35.12',
  '0.36': '0.36.9',
  '0.37': '0.37.7',
  '1.0': '1.0.14',
  '1.1': '1.1.10',
  '1.2': '1.2.8',
  '1.3': '1.3.8',
  '1.4': '1.4.4',
  '1.5': '1.5.8',
  '1.6': '1.6.8',
  '1.7': '1.7.6',
  '1.8': '1.8.8',
  '1.9': '1.9.3',
  '1.10': '1.10.2',
  '1.11': '1.11.3',
  '1.12': '1.12.2',
  '1.13': '1.13.1',
  '1.14': '1.14.3',
  '1.15': '1.15.2',
};

/** Releases not to run, and why (upgrade guide and release notes). */
const KARPENTER_TO_AVOID: readonly { version: string; why: string }[] = [
  { version: '1.8.4', why: 'it has a regression in topology spread constraints' },
];

/** Before 1.0 these patches are the only ones from which (and back to which) the way to 1.0 leads (v1 migration guide). */
export const KARPENTER_PATCHES_BEFORE_V1: readonly string[] = ['0.37.7', '0.36.9', '0.35.12', 'v0.34.13', 'v0.33.12'];

/**
 * The patch of `from`'s minor that stands before 1.0, else the newest of them: below 0.33 there is none. Text that is no version
 * gives the newest.
 */
export function patchBeforeV1(from: string): string {
  const version = tryComponentVersion(from);
  const own = KARPENTER_PATCHES_BEFORE_V1.find(
    (each) => version !== undefined && compareMinors(parseComponentVersion(each), version) === 0,
  );
  return own ?? KARPENTER_PATCHES_BEFORE_V1[0] ?? '0.37.7';
}

interface Entry {
  since: ComponentVersion;
  min: KubernetesVersion;
  max: KubernetesVersion;
}

const ENTRIES: readonly Entry[] = KARPENTER_RANGES.map((range) => ({
  since: parseComponentVersion(range.since),
  min: parseKubernetesVersion(range.minKubernetes),
  max: parseKubernetesVersion(range.maxKubernetes),
}));

/** `unknown`: newer or older than the table. */
export type Support = 'supported' | 'unsupported' | 'unknown';

/** Does this Karpenter support this Kubernetes minor? */
export function karpenterSupport(karpenter: ComponentVersion, minor: KubernetesVersion): Support {
  const entry = entryOf(karpenter);
  if (entry === undefined) return 'unknown';
  return covers(entry, minor) ? 'supported' : 'unsupported';
}

/** The Kubernetes minors of this Karpenter, for messages: "1.25 to 1.31". undefined: not in the table. */
export function karpenterRangeText(karpenter: ComponentVersion): string | undefined {
  const entry = entryOf(karpenter);
  return entry === undefined ? undefined : `${formatKubernetesVersion(entry.min)} to ${formatKubernetesVersion(entry.max)}`;
}

/** A Karpenter version to go to. */
export interface KarpenterChoice {
  /** "1.6": any patch of it at or above `minimum` will do. */
  minor: string;
  /** The newest patch that is known ("1.6.8"), else the minimum. */
  version: string;
  /** The oldest release that will do: "1.6.0", "1.0.5". */
  minimum: string;
}

/**
 * The smallest Karpenter minor that supports all of `minors`, at or above `installed`. undefined: there is none.
 * The smallest, since each newer minor brings changes of its own (permissions, CRDs) that the upgrade does not need.
 */
export function smallestKarpenterFor(minors: readonly KubernetesVersion[], installed?: ComponentVersion): KarpenterChoice | undefined {
  const entry = ENTRIES.find(
    (e) => minors.every((minor) => covers(e, minor)) && (installed === undefined || compareMinors(e.since, installed) >= 0),
  );
  if (entry === undefined) return undefined;
  const minimum = installed !== undefined && compareComponentVersions(installed, entry.since) > 0 ? installed : entry.since;
  const newest = KARPENTER_NEWEST_PATCHES[formatMinor(entry.since)];
  const version =
    newest !== undefined && compareComponentVersions(parseComponentVersion(newest), minimum) >= 0 ? newest : formatPatch(minimum);
  return { minor: formatMinor(entry.since), version, minimum: formatPatch(minimum) };
}

/**
 * The Karpenter to change to before the first of `minors` (current, next, …, target) is left: the smallest one that covers them all,
 * so that one change serves the whole upgrade; else the one that covers the current, the next and as many more as possible.
 */
export function preferredKarpenter(minors: readonly KubernetesVersion[], installed?: ComponentVersion): KarpenterChoice | undefined {
  for (let count = minors.length; count >= Math.min(2, minors.length); count -= 1) {
    const choice = smallestKarpenterFor(minors.slice(0, count), installed);
    if (choice !== undefined) return choice;
  }
  return undefined;
}

/** Why this release should not run, if so. */
export function karpenterToAvoid(karpenter: ComponentVersion): string | undefined {
  return KARPENTER_TO_AVOID.find((entry) => compareComponentVersions(parseComponentVersion(entry.version), karpenter) === 0)?.why;
}

/** undefined: newer or older than the table. */
function entryOf(karpenter: ComponentVersion): Entry | undefined {
  if (compareMinors(karpenter, NEWEST_KNOWN) > 0) return undefined;
  return ENTRIES.findLast((entry) => compareComponentVersions(entry.since, karpenter) <= 0);
}

function covers(entry: Entry, minor: KubernetesVersion): boolean {
  return compareKubernetesVersions(minor, entry.min) >= 0 && compareKubernetesVersions(minor, entry.max) <= 0;
}
