/** What a way back does about Karpenter: which classes are pinned to images of the older minor, which nodes roll, and what Belay cannot pin. */
import { type AmiBuild, ARCHITECTURES, amiFamilyOf, buildOf, minorOfImage, parseAlias } from '../../facts/ami-names.ts';
import type { ClusterFacts, NodeClassFact } from '../../facts/facts.ts';
import { formatKubernetesVersion, type KubernetesVersion } from '../../core/version.ts';
import { classesInUse, selectionWords } from '../karpenter/ami-changes.ts';
import { amiHolds } from '../karpenter/ami-pins.ts';
import type { AmiMove } from '../model/changes.ts';
import { isAhead } from './ahead.ts';
import { defined } from '../../core/defined.ts';

/** A class that would launch nodes that are newer, and that Belay does not pin. */
export interface Unpinnable {
  nodeClass: string;
  why: string;
}

export interface KarpenterBack {
  /** Classes that choose by alias, with the images of the older minor. */
  pins: AmiMove[];
  unpinnable: Unpinnable[];
  nodePools: string[];
  /** Nodes that are newer and roll. */
  rollCount: number;
  /** Pools whose classes choose other images than those of the older minor by id: their nodes are not waited for. */
  pinnedPools: string[];
}

type Pin = { terms: AmiMove['terms']; before: string; amiFamily?: string } | { why: string };

/** undefined: there is no Karpenter, or nothing to do about it: its nodes are old enough and their classes choose by id. */
export function karpenterBack(facts: ClusterFacts, backTo: KubernetesVersion): KarpenterBack | undefined {
  const minor = formatKubernetesVersion(backTo);
  const rollCount = facts.kubelets
    .filter(({ owner, minor: kubelet }) => owner === 'karpenter' && isAhead(kubelet, backTo))
    .reduce((sum, { count }) => sum + count, 0);
  const uses = classesInUse(facts);
  const pins: AmiMove[] = [];
  const unpinnable: Unpinnable[] = [];
  for (const { nodeClass, nodePools } of uses) {
    const pin = pinOf(nodeClass, facts, backTo, rollCount > 0);
    if (pin === undefined) continue;
    const { name, deliveredBy: owner } = nodeClass;
    if ('why' in pin) unpinnable.push({ nodeClass: name, why: pin.why });
    else {
      const why = `a node that is launched before the control plane is back must not be newer than ${minor}`;
      pins.push({ nodeClass: name, nodePools, ...pin, why, ...defined({ owner }) });
    }
  }
  if (facts.karpenter === undefined || pins.length + unpinnable.length + rollCount === 0) return undefined;
  const elsewhere = uses.filter(({ nodeClass }) => choosesOthers(nodeClass, minor));
  return {
    pins,
    unpinnable,
    nodePools: facts.karpenter.nodePools.map(({ name }) => name),
    rollCount,
    pinnedPools: elsewhere.flatMap(({ nodePools }) => nodePools),
  };
}

/** "default to ami-1, ami-2" */
export const pinWords = ({ nodeClass, terms }: AmiMove): string => `${nodeClass} to ${selectionWords(terms)}`;

/** undefined: it launches nothing that is newer. */
function pinOf(nodeClass: NodeClassFact, facts: ClusterFacts, backTo: KubernetesVersion, rolls: boolean): Pin | undefined {
  const { alias, heldAlias, selects, amiNames = [] } = nodeClass;
  const minor = formatKubernetesVersion(backTo);
  const newer = amiNames.find((name) => isAhead(minorOfImage(name) ?? minor, backTo));
  if (alias === undefined) {
    if (newer !== undefined) return { why: `it chooses ${newer}, which is newer: choose images of ${minor} there by id` };
    if (selects === 'ids' || heldAlias !== undefined) return undefined;
    return { why: `it chooses images by name, tag or parameter: choose images of ${minor} there by id` };
  }
  const amiFamily = nodeClass.amiFamily ?? amiFamilyOf(alias);
  if (amiFamily === undefined) return { why: `alias ${alias} belongs to no AMI family that is known` };
  const use = (facts.amiHolds ?? []).find((each) => each.nodeClass === nodeClass.name);
  if (use?.accelerated !== undefined) {
    return { why: `its node ${use.accelerated} has accelerators, whose images ids do not tell from others: split the class first` };
  }
  if (use?.acceleratedPool !== undefined) {
    return {
      why: `its NodePool ${use.acceleratedPool} launches accelerators, whose images ids do not tell from others: split the class first`,
    };
  }
  // Nothing rolls where the images in use are old enough: they are what is pinned.
  const hold = rolls ? undefined : amiHolds(facts, false).find((each) => each.nodeClass === nodeClass.name);
  const family = amiFamily === nodeClass.amiFamily ? {} : { amiFamily };
  if (hold !== undefined) return { terms: hold.terms, before: alias, ...family };
  const ids = imagesOf(alias, facts.amiBuilds ?? [], minor);
  if (ids.length === 0) return { why: `no image of ${alias} for ${minor} is known${unseen(facts)}` };
  return { terms: ids.map((id) => ({ id })), before: alias, ...family };
}

/** Of the alias itself, so that nothing drifts when it chooses again; where Amazon built none for that minor, of the newest release. */
function imagesOf(alias: string, builds: readonly AmiBuild[], minor: string): string[] {
  const newest = `${parseAlias(alias)?.family}@latest`;
  const candidates = [alias, newest].map((each) => buildOf(builds, each, minor)?.images ?? {});
  const images = candidates.find((each) => Object.keys(each).length > 0) ?? {};
  return ARCHITECTURES.flatMap((arch) => images[arch] ?? []);
}

/** Images whose names tell another minor. */
function choosesOthers({ alias, heldAlias, amiNames = [] }: NodeClassFact, minor: string): boolean {
  if (alias !== undefined || heldAlias !== undefined || amiNames.length === 0) return false;
  return amiNames.every((name) => (minorOfImage(name) ?? minor) !== minor);
}

const unseen = ({ amiBuildsUnseen }: ClusterFacts): string => (amiBuildsUnseen === undefined ? '' : ` (${amiBuildsUnseen})`);
