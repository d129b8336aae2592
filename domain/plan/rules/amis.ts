/** Rules about the images of Karpenter's nodes. */
import { isPinned, lacksBuild } from '../../facts/ami-names.ts';
import { FIRST_WITHOUT_AL2, isAl2Alias } from '../../facts/amazon-linux-2.ts';
import { refusedHolds } from '../karpenter/ami-pins.ts';
import { classesInUse } from '../karpenter/ami-changes.ts';
import { compareKubernetesVersions, tryKubernetesVersion } from '../../core/version.ts';
import type { AmiMove } from '../model/changes.ts';
import type { Breach, Rule } from './rule.ts';
import { aliasOf } from '../../facts/node-classes.ts';

export const pinnedReleasesHaveImages: Rule = {
  name: 'pinned-releases-have-images',
  text: 'If Karpenter replaces nodes, pinned releases of node classes have Amazon images for the minor.',
  remedy: 'Name a release with such images in belay.yaml (karpenter.amis), or pin the class to one.',
  check({ facts, plan }) {
    const builds = facts.amiBuilds ?? [];
    // The last edit of a class holds in the hops after it as well.
    let edited: AmiMove[] = [];
    return (plan?.steps ?? []).flatMap(({ params }): Breach[] => {
      if (params.phase !== 'karpenter-drift') return [];
      const { to, moves = [] } = params;
      edited = [...moves, ...edited];
      return classesInUse(facts).flatMap(({ nodeClass }): Breach[] => {
        const move = edited.find((each) => each.nodeClass === nodeClass.name);
        const aliases = move === undefined ? [aliasOf(nodeClass)] : move.terms.map(({ alias }) => alias);
        return aliases.flatMap((alias): Breach[] => {
          if (alias === undefined || !isPinned(alias) || !lacksBuild(builds, alias, to) || isOfAl2Rule(alias, to)) return [];
          const whose =
            move === undefined ? `EC2NodeClass ${nodeClass.name} is pinned to` : `belay.yaml moves EC2NodeClass ${nodeClass.name} to`;
          return [
            { message: `${whose} ${alias}, for which there is no image for ${to}: its new nodes would silently keep the old version.` },
          ];
        });
      });
    });
  },
};

/** What the rule no-al2-from-1.33 says already. */
function isOfAl2Rule(alias: string, to: string): boolean {
  const minor = tryKubernetesVersion(to);
  return isAl2Alias(alias) && minor !== undefined && compareKubernetesVersions(minor, FIRST_WITHOUT_AL2) >= 0;
}

export const amisCanBeHeld: Rule = {
  name: 'amis-can-be-held',
  text: 'If belay.yaml holds AMIs, each node class needs one image per architecture.',
  remedy: 'First roll its nodes to one AMI, split it, or remove karpenter.holdAmis.',
  check: ({ facts }) =>
    refusedHolds(facts).map(({ nodeClass, why }) => ({ message: `The AMIs of EC2NodeClass ${nodeClass} cannot be held: ${why}.` })),
};
