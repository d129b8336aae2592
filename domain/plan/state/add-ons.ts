/** Chooses add-on versions: bridges that are valid on both minors of a hop, and the target's defaults afterwards. */
import type { AddOnFact } from '../../facts/facts.ts';
import type { KubernetesVersion } from '../../core/version.ts';
import type { Hop } from '../model/hops.ts';
import type { AddOnChange } from '../model/changes.ts';
import {
  type AddOnVersions,
  isNewer,
  isValidOn,
  KUBE_PROXY,
  newestFirst,
  newestOfMinors,
  offeredFor,
  skippedCniMinors,
  VPC_CNI,
} from '../../facts/add-on-versions.ts';

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
