/** Versions of EKS add-ons: which one is newer, and which EKS offers for a Kubernetes version. */
import type { AddOnFact } from './facts.ts';
import { formatKubernetesVersion, type KubernetesVersion } from '../core/version.ts';
import { compareComponentVersions, compareMinors, formatMinor, formatPatch, tryComponentVersion } from '../core/component-version.ts';

export const KUBE_PROXY = 'kube-proxy';

export const VPC_CNI = 'vpc-cni';

/** Installed versions by add-on, as the plan continues. */
export type AddOnVersions = Readonly<Record<string, string>>;

/** What EKS offers for this minor, newest first. undefined: unknown, which is not "none". */
export function offeredFor(addOn: AddOnFact, minor: KubernetesVersion): { version: string; isDefault: boolean }[] | undefined {
  const list = addOn.offered[formatKubernetesVersion(minor)];
  return list === undefined || list.length === 0 ? undefined : list;
}

/** Is this version offered for the minor? undefined: unknown. A self-managed image may lack the eksbuild, so its patch counts. */
export function isValidOn(addOn: AddOnFact, version: string, minor: KubernetesVersion): boolean | undefined {
  return offeredFor(addOn, minor)?.some((offer) => sameRelease(addOn, offer.version, version));
}

/**
 * Minors of a vpc-cni change that are passed over although EKS offers them: vpc-cni moves one minor at a time
 * (EKS best practices guide, "Amazon VPC CNI").
 */
export function skippedCniMinors(addOn: AddOnFact, from: string, to: string, on: KubernetesVersion): string[] {
  const [start, end] = [tryComponentVersion(from), tryComponentVersion(to)];
  if (start === undefined || end === undefined) return [];
  const between = (offeredFor(addOn, on) ?? []).flatMap((offer) => tryComponentVersion(offer.version) ?? []);
  const passed = between.filter((v) => compareMinors(v, start) > 0 && compareMinors(v, end) < 0);
  return [...new Set(passed.map(formatMinor))].toReversed();
}

/** The newest release of each of these minors of the add-on that EKS offers on a minor of Kubernetes. */
export function newestOfMinors(addOn: AddOnFact, minors: readonly string[], on: KubernetesVersion): string[] {
  const offers = (offeredFor(addOn, on) ?? []).map((offer) => offer.version).toSorted(newestFirst);
  return minors.flatMap((minor) => offers.find((version) => minorOf(version) === minor) ?? []);
}

export function minorOf(version: string): string | undefined {
  const parsed = tryComponentVersion(version);
  return parsed === undefined ? undefined : formatMinor(parsed);
}

export function isNewer(version: string, than: string): boolean {
  const [a, b] = [tryComponentVersion(version), tryComponentVersion(than)];
  return a !== undefined && b !== undefined && compareComponentVersions(a, b) > 0;
}

export function newestFirst(a: string, b: string): number {
  return isNewer(a, b) ? -1 : isNewer(b, a) ? 1 : 0;
}

export function sameRelease(addOn: Pick<AddOnFact, 'managed'>, offered: string, installed: string): boolean {
  if (offered === installed) return true;
  const [a, b] = [tryComponentVersion(offered), tryComponentVersion(installed)];
  return !addOn.managed && a !== undefined && b !== undefined && b.build === 0 && formatPatch(a) === formatPatch(b);
}
