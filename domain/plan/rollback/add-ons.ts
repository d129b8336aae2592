/** Which add-ons have to go down before the control plane may. */
import { compareComponentVersions, tryComponentVersion } from '../../core/component-version.ts';
import type { AddOnFact } from '../../facts/facts.ts';
import { compareKubernetesVersions, type KubernetesVersion, tryKubernetesVersion } from '../../core/version.ts';
import type { AddOnChange } from '../model/changes.ts';
import { isValidOn, KUBE_PROXY, newestOfMinors, offeredFor, skippedCniMinors, VPC_CNI } from '../../facts/add-on-versions.ts';

/** `unknown`: EKS does not say whether the version is valid there. `stuck`: it is not, and nothing older is offered for both minors. */
export type AddOnBack = { kind: 'fits' | 'unknown' | 'stuck' } | { kind: 'change'; change: AddOnChange };

/** The default of the minor to which it goes, where the control plane that is still ahead takes that as well; else the newest that both take. */
export function addOnBack(addOn: AddOnFact, at: KubernetesVersion, backTo: KubernetesVersion): AddOnBack {
  const { name, version, managed } = addOn;
  const proxy = name === KUBE_PROXY ? tryKubernetesVersion(version) : undefined;
  const aheadOfServer = proxy !== undefined && compareKubernetesVersions(proxy, backTo) > 0;
  const valid = isValidOn(addOn, version, backTo);
  if (!aheadOfServer && valid === undefined) return { kind: 'unknown' };
  if (!aheadOfServer && valid === true) return { kind: 'fits' };
  const offers = (offeredFor(addOn, backTo) ?? []).filter((offer) => isOlder(offer.version, version));
  const both = offers.filter((offer) => isValidOn(addOn, offer.version, at) === true);
  const to = both.find(({ isDefault }) => isDefault)?.version ?? both[0]?.version;
  return to === undefined ? { kind: 'stuck' } : { kind: 'change', change: { name, from: version, to, managed } };
}

/** kube-proxy first: it is the one that may never be ahead. vpc-cni goes one minor at a time, down as well (EKS best practices guide, "Amazon VPC CNI"). */
export function changesBack(addOns: readonly AddOnFact[], at: KubernetesVersion, backTo: KubernetesVersion): AddOnChange[] {
  const changes = addOns.flatMap((addOn) => {
    const back = addOnBack(addOn, at, backTo);
    if (back.kind !== 'change') return [];
    const { name, from, to, managed } = back.change;
    const passed = name === VPC_CNI ? newestOfMinors(addOn, skippedCniMinors(addOn, to, from, at), at).toReversed() : [];
    return [...passed, to].map((stop, index, all): AddOnChange => ({ name, from: all[index - 1] ?? from, to: stop, managed }));
  });
  return changes.toSorted((a, b) => Number(b.name === KUBE_PROXY) - Number(a.name === KUBE_PROXY));
}

function isOlder(a: string, b: string): boolean {
  const [left, right] = [tryComponentVersion(a), tryComponentVersion(b)];
  return left !== undefined && right !== undefined && compareComponentVersions(left, right) < 0;
}
