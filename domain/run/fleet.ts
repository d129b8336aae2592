/** Which Kubernetes versions clusters run and may go to, and until when EKS supports them. */
import type { SupportedVersion } from '../facts/facts.ts';
import { eksRelease, supportDates } from '../tables/eks-calendar.ts';
import { compareKubernetesVersions, formatKubernetesVersion, nextMinor, tryKubernetesVersion } from '../core/version.ts';

/** `version` undefined: it could not be read, and `why` says why. */
export interface ClusterVersion {
  name: string;
  version?: string;
  /** Its upgrade policy; undefined: EKS does not say. */
  supportType?: SupportType;
  why?: string;
}

/** At the end of standard support AWS upgrades a STANDARD cluster by itself; an EXTENDED one stays, and costs more. */
export type SupportType = 'STANDARD' | 'EXTENDED';

export interface FleetVersions {
  /** EKS's own Date, ISO 8601. */
  readAt: string;
  clusters: ClusterVersion[];
  /** What EKS offers; empty where that could not be read. */
  offered: SupportedVersion[];
  /** Why not. */
  whyNotOffered?: string;
}

export interface Target {
  minor: string;
  /** ISO dates; undefined: not known. */
  endOfStandardSupport?: string;
  endOfExtendedSupport?: string;
}

/** Until when a minor is supported: as EKS says, else by the table. */
export function supportOf(minor: string, offered: readonly SupportedVersion[]): Target {
  return { minor, ...supportDates(minor, offered) };
}

/** The minors that a cluster may be upgraded to, the next one first, up to the first one that EKS does not offer. */
export function targetsFrom(version: string, offered: readonly SupportedVersion[]): Target[] {
  const current = tryKubernetesVersion(version);
  if (current === undefined) return [];
  const targets: Target[] = [];
  for (let next = nextMinor(current); isOffered(formatKubernetesVersion(next), offered); next = nextMinor(next))
    targets.push(supportOf(formatKubernetesVersion(next), offered));
  return targets;
}

function isOffered(minor: string, offered: readonly SupportedVersion[]): boolean {
  if (offered.length === 0) return eksRelease(minor) !== undefined;
  return isListed(minor, offered);
}

/** By what EKS lists alone: no list, and it is not there. */
export const isListed = (minor: string, offered: readonly SupportedVersion[]): boolean =>
  offered.some(({ version, status }) => version === minor && status !== 'UNSUPPORTED');

export type Support = 'standard' | 'extended' | 'ended' | 'unknown';

/** Where a minor stands at a time (ISO 8601); the days that are left of it, where that is known. */
export function supportAt({ endOfStandardSupport, endOfExtendedSupport }: Target, at: string): { support: Support; daysLeft?: number } {
  const now = Date.parse(at);
  const left = (iso: string | undefined): number => Math.ceil((Date.parse(iso ?? '') - now) / DAY_MS);
  const [standard, extended] = [left(endOfStandardSupport), left(endOfExtendedSupport)];
  if (Number.isNaN(standard)) return { support: 'unknown' };
  if (standard > 0) return { support: 'standard', daysLeft: standard };
  if (Number.isNaN(extended)) return { support: 'unknown' };
  return extended > 0 ? { support: 'extended', daysLeft: extended } : { support: 'ended' };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Oldest first; those that could not be read come last. */
export function oldestFirst(clusters: readonly ClusterVersion[]): ClusterVersion[] {
  return clusters.toSorted((a, b) => {
    const [one, other] = [tryKubernetesVersion(a.version ?? ''), tryKubernetesVersion(b.version ?? '')];
    if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
    return compareKubernetesVersions(one, other) || a.name.localeCompare(b.name);
  });
}
