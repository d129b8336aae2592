/** Chooses add-on versions: bridges that are valid on both minors of a hop, and the target's defaults afterwards. */
import { compareComponentVersions, compareMinors, formatMinor, formatPatch, tryComponentVersion } from '../../core/component-version.ts';
import type { AddOnFact } from '../../facts/facts.ts';
import type { KubernetesVersion } from '../../core/version.ts';
import { formatKubernetesVersion } from '../../core/version.ts';
import type { Hop } from '../model/hops.ts';
import type { AddOnChange } from '../model/changes.ts';

export const KUBE_PROXY = 'kube-proxy';
export const VPC_CNI = 'vpc-cni';

/** Installed versions by add-on, as the plan goes on. */
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

/** Changes before the control plane moves, kube-proxy excepted: it may never be ahead of the API server. */
export function bridgeChanges(hop: Hop, addOns: readonly AddOnFact[], versions: AddOnVersions): AddOnChange[] {
  return addOns.flatMap((addOn) => {
    const installed = versions[addOn.name] ?? addOn.version;
    if (addOn.name === KUBE_PROXY || [hop.from, hop.to].every((minor) => isValidOn(addOn, installed, minor) !== false)) return [];
    const bridge = bridgeVersion(addOn, installed, hop.ahead) ?? bridgeVersion(addOn, installed, [hop.from, hop.to]);
    return bridge === undefined ? [] : changesTo(addOn, installed, bridge, hop.from);
  });
}

/** Changes after the nodes, to what EKS installs by default on the new minor; never to an older version; kube-proxy last. */
export function targetChanges(hop: Hop, addOns: readonly AddOnFact[], versions: AddOnVersions): AddOnChange[] {
  const kubeProxyLast = addOns.toSorted((a, b) => Number(a.name === KUBE_PROXY) - Number(b.name === KUBE_PROXY));
  return kubeProxyLast.flatMap((addOn) => {
    const installed = versions[addOn.name] ?? addOn.version;
    const offers = offeredFor(addOn, hop.to);
    const wanted = (offers?.find((offer) => offer.isDefault) ?? offers?.[0])?.version;
    if (wanted === undefined || !isNewer(wanted, installed)) return [];
    return changesTo(addOn, installed, wanted, hop.to);
  });
}

/** The versions after these changes. */
export function afterChanges(versions: AddOnVersions, changes: readonly AddOnChange[]): AddOnVersions {
  return { ...versions, ...Object.fromEntries(changes.map((change) => [change.name, change.to])) };
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

/**
 * A newer version that is valid on all of these minors: the default of the last one that has such a default, since that is what EKS tests
 * most and what the add-on comes to in the end; else the newest.
 */
function bridgeVersion(addOn: AddOnFact, installed: string, minors: readonly KubernetesVersion[]): string | undefined {
  const valid = (minors[0] === undefined ? [] : (offeredFor(addOn, minors[0]) ?? []))
    .map((offer) => offer.version)
    .filter((version) => isNewer(version, installed) && minors.every((minor) => isValidOn(addOn, version, minor) === true))
    .toSorted(newestFirst);
  const defaults = minors.toReversed().map((minor) => offeredFor(addOn, minor)?.find((offer) => offer.isDefault)?.version);
  return defaults.find((version) => version !== undefined && valid.includes(version)) ?? valid[0];
}

/** One change; for vpc-cni one per minor, each to the newest release that EKS offers on the minor the cluster has then. */
function changesTo(addOn: AddOnFact, from: string, to: string, on: KubernetesVersion): AddOnChange[] {
  const stops = addOn.name === VPC_CNI ? skippedCniMinors(addOn, from, to, on) : [];
  const versions = [...newestOfMinors(addOn, stops, on), to];
  return versions.map((version, index) => ({
    name: addOn.name,
    from: versions[index - 1] ?? from,
    to: version,
    managed: addOn.managed,
  }));
}

/** The newest release of each of these minors of the add-on that EKS offers on a minor of Kubernetes. */
export function newestOfMinors(addOn: AddOnFact, minors: readonly string[], on: KubernetesVersion): string[] {
  const offers = (offeredFor(addOn, on) ?? []).map((offer) => offer.version).toSorted(newestFirst);
  return minors.flatMap((minor) => offers.find((version) => minorOf(version) === minor) ?? []);
}

function minorOf(version: string): string | undefined {
  const parsed = tryComponentVersion(version);
  return parsed === undefined ? undefined : formatMinor(parsed);
}

function isNewer(version: string, than: string): boolean {
  const [a, b] = [tryComponentVersion(version), tryComponentVersion(than)];
  return a !== undefined && b !== undefined && compareComponentVersions(a, b) > 0;
}

function newestFirst(a: string, b: string): number {
  return isNewer(a, b) ? -1 : isNewer(b, a) ? 1 : 0;
}

function sameRelease(addOn: AddOnFact, offered: string, installed: string): boolean {
  if (offered === installed) return true;
  const [a, b] = [tryComponentVersion(offered), tryComponentVersion(installed)];
  return !addOn.managed && a !== undefined && b !== undefined && b.build === 0 && formatPatch(a) === formatPatch(b);
}
