/** Which Istio runs on which Kubernetes minors, and until when it gets fixes. */
import type { ComponentVersion } from '../core/component-version.ts';
import { compareMinors, formatMinor, parseComponentVersion } from '../core/component-version.ts';
import type { KubernetesVersion } from '../core/version.ts';
import { formatKubernetesVersion } from '../core/version.ts';
import type { Support } from './karpenter.ts';

export interface IstioRelease {
  minor: string;
  /** undefined: not verified, so unknown. */
  kubernetes?: readonly string[];
  /** ISO date of the end of life; a month alone is the expected one and counts to its last day. */
  endOfLife?: string;
  /** ISO date of the first patch, of the newest: plans are made for days before it as well. */
  released?: string;
}

/**
 * Newest first. Source: istio.io data/compatibility/supportStatus.yml (master, mid-2026), announcing-1.31, announcing-1.29-eol and endoflife.date. A
 * release is supported until six weeks after the next but one (istio.io, "Supported Releases"): months alone are estimates, eight months after the
 * release as it was for 1.28 and 1.29. Which Kubernetes 1.32 supports is not verified.
 * Istio's own pre-check has a lower bound only, so the upper one has to be enforced here.
 */
const ISTIO_RELEASES: readonly IstioRelease[] = [
  { minor: '1.32', endOfLife: '2027-07' },
  { minor: '1.31', kubernetes: ['1.32', '1.33', '1.34', '1.35', '1.36'], endOfLife: '2027-04', released: '2026-08-31' },
  { minor: '1.30', kubernetes: ['1.32', '1.33', '1.34', '1.35', '1.36'], endOfLife: '2027-01' },
  { minor: '1.29', kubernetes: ['1.31', '1.32', '1.33', '1.34', '1.35'], endOfLife: '2026-10-12' },
  { minor: '1.28', kubernetes: ['1.30', '1.31', '1.32', '1.33', '1.34'], endOfLife: '2026-07-01' },
  { minor: '1.27', kubernetes: ['1.29', '1.30', '1.31', '1.32', '1.33'], endOfLife: '2026-04-07' },
  { minor: '1.26', kubernetes: ['1.29', '1.30', '1.31', '1.32', '1.33'], endOfLife: '2025-12-22' },
  { minor: '1.25', kubernetes: ['1.29', '1.30', '1.31', '1.32'], endOfLife: '2025-09-30' },
  { minor: '1.24', kubernetes: ['1.28', '1.29', '1.30', '1.31'], endOfLife: '2025-06-24' },
  { minor: '1.23', kubernetes: ['1.27', '1.28', '1.29', '1.30'], endOfLife: '2025-04-16' },
  { minor: '1.22', kubernetes: ['1.27', '1.28', '1.29', '1.30'], endOfLife: '2025-01-22' },
  { minor: '1.21', kubernetes: ['1.26', '1.27', '1.28', '1.29'], endOfLife: '2024-09-27' },
  { minor: '1.20', kubernetes: ['1.25', '1.26', '1.27', '1.28', '1.29'], endOfLife: '2024-06-25' },
];

const OLDEST_KNOWN = parseComponentVersion('1.20');

/** Does this Istio support this Kubernetes minor? What is older than the table is past all support. */
export function istioSupport(istio: ComponentVersion, minor: KubernetesVersion): Support {
  if (compareMinors(istio, OLDEST_KNOWN) < 0) return 'unsupported';
  const kubernetes = release(istio)?.kubernetes;
  if (kubernetes === undefined) return 'unknown';
  return kubernetes.includes(formatKubernetesVersion(minor)) ? 'supported' : 'unsupported';
}

/** Istio minors known to support every one of `minors`, oldest first. */
export function istioVersionsFor(minors: readonly KubernetesVersion[]): ComponentVersion[] {
  return ISTIO_RELEASES.map((entry) => parseComponentVersion(entry.minor))
    .filter((version) => minors.every((minor) => istioSupport(version, minor) === 'supported'))
    .toReversed();
}

/** The last day of fixes, as the table has it: "2026-07-01" or an expected month, "2026-11". */
export function istioEndOfLife(istio: ComponentVersion): string | undefined {
  return release(istio)?.endOfLife;
}

/**
 * By how many minors node agents may be ahead of istiod: istio-cni 1.x works with a control plane of 1.x-1, 1.x and 1.x+1 (istio.io, "Install the Istio
 * CNI node agent"), ztunnel with none that is older (ambient/upgrade). Both may be one behind.
 */
export const AGENT_AHEAD: Readonly<Record<'istio-cni' | 'ztunnel', number>> = { 'istio-cni': 1, ztunnel: 0 };

/** Days since its first patch at `now` (ISO 8601), negative before it. undefined: long ago, the table does not say. */
export function istioAgeDays(istio: ComponentVersion, now: string): number | undefined {
  const released = release(istio)?.released;
  return released === undefined ? undefined : (Date.parse(now) - Date.parse(released)) / 86_400_000;
}

/** Is this Istio past its end of life at `now` (ISO 8601)? undefined: not known. */
export function istioPastEndOfLife(istio: ComponentVersion, now: string): boolean | undefined {
  if (compareMinors(istio, OLDEST_KNOWN) < 0) return true;
  const end = istioEndOfLife(istio);
  // ISO dates compare as text; a month alone ends with its last day.
  return end === undefined ? undefined : now.slice(0, end.length) > end;
}

/** The first patch of a minor whose istiod keeps a Gateway's configuration for the pods that it still serves. */
const KEEPS_GATEWAYS_FROM: Record<string, number> = { '1.29': 5, '1.30': 2 };

/**
 * Does istiod of this version push an empty configuration to the pods of a Gateway (Gateway API) as soon as another revision takes it over?
 * Connections fail until pods of the new revision are Ready, about half a minute. Since 1.24.3; mended in 1.29.5, 1.30.2 and 1.31
 * (istio/istio#59959, #60158; release notes of 1.29.5).
 */
export function istioDropsGateways(istio: ComponentVersion): boolean {
  if (compareMinors(istio, parseComponentVersion('1.24')) < 0 || compareMinors(istio, parseComponentVersion('1.31')) >= 0) return false;
  if (formatMinor(istio) === '1.24') return istio.patch >= 3;
  return istio.patch < (KEEPS_GATEWAYS_FROM[formatMinor(istio)] ?? Infinity);
}

function release(istio: ComponentVersion): IstioRelease | undefined {
  return ISTIO_RELEASES.find((entry) => entry.minor === formatMinor(istio));
}
