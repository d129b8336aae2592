/** Rules about nodes: skew, Amazon Linux 2, and that they arrive. */
import type { ClusterFacts } from '../../facts/facts.ts';
import { compareKubernetesVersions, formatKubernetesVersion, minorDistance, tryKubernetesVersion } from '../../core/version.ts';
import { FIRST_WITHOUT_AL2, isAl2Class, isAl2Group } from '../../facts/amazon-linux-2.ts';
import { classesInUse } from '../karpenter/ami-changes.ts';
import type { NodeSet } from '../state/nodes.ts';
import { type Breach, controlPlaneMoments, type Rule, type RuleContext } from './rule.ts';
import { allowedSkew, lagsTooFar } from '../../facts/version-skew.ts';
import { aliasOf } from '../../facts/node-classes.ts';
import { agree, count } from '../../core/text.ts';

export const kubeletSkew: Rule = {
  name: 'kubelet-skew',
  text: 'Kubelets are never newer than the API server, and at most three minors behind (two below 1.25).',
  remedy: 'First move these nodes to the control plane’s minor.',
  check(context) {
    const start = context.moments[0]?.before;
    const newer = (start?.nodes ?? []).filter((set) => start !== undefined && compareKubernetesVersions(set.minor, start.controlPlane) > 0);
    return [
      ...newer.map((set) => ({
        message: `${describe(set)} at ${formatKubernetesVersion(set.minor)} ${agree(set.count, 'is', 'are')} newer than the control plane.`,
      })),
      ...lagging(context, (set, first) => !waitsForTheEnd(context, set, first)),
    ];
  },
};

export const onceAtTheEndWithinSkew: Rule = {
  name: 'once-at-the-end-within-skew',
  text: 'Nodes wait for the last hop only if kubelets stay within three minors.',
  remedy: 'Use strategy every-hop, or two runs.',
  check: (context) => lagging(context, (set, first) => waitsForTheEnd(context, set, first)),
};

/** Lags only because the strategy leaves the nodes for the last hop: every-hop would have moved them by then. */
function waitsForTheEnd(context: RuleContext, set: NodeSet, first: boolean): boolean {
  return context.plan?.strategy === 'once-at-the-end' && set.movable && !first;
}

function lagging(context: RuleContext, concerns: (set: NodeSet, firstHop: boolean) => boolean): Breach[] {
  return controlPlaneMoments(context).flatMap(({ before, after }, index) =>
    before.nodes
      .filter((set) => lagsTooFar(set.minor, after.controlPlane) && concerns(set, index === 0))
      .map((set) => ({
        message: `${describe(set)} at ${formatKubernetesVersion(set.minor)} would be ${minorDistance(set.minor, after.controlPlane)} minors behind a control plane at ${formatKubernetesVersion(after.controlPlane)}; ${allowedSkew(set.minor)} are allowed.`,
      })),
  );
}

function describe(set: NodeSet): string {
  return set.group === undefined ? count(set.count, set.label) : `${count(set.count, 'node')} of ${set.label}`;
}

export const noAl2From133: Rule = {
  name: 'no-al2-from-1.33',
  text: 'No node group or node class uses Amazon Linux 2 on the way to 1.33, which has no such AMIs.',
  remedy: 'Move to Amazon Linux 2023 first.',
  check({ facts, target }) {
    const wanted = tryKubernetesVersion(target);
    return wanted === undefined || compareKubernetesVersions(wanted, FIRST_WITHOUT_AL2) < 0 ? [] : al2Users(facts, target);
  },
};

function al2Users(facts: ClusterFacts, target: string): Breach[] {
  const groups = facts.nodeGroups.filter(isAl2Group).map((group) => ({
    message: `Node group ${group.name} has AMI type ${group.amiType}, which does not exist for ${target}.`,
    remedy: `An AMI type cannot be changed: create a node group with AL2023, drain ${group.name} and delete it.`,
  }));
  // Of a class that no pool uses, or will use then, no node is launched.
  const used = classesInUse(facts).map(({ nodeClass }) => nodeClass);
  const classes = used.filter(isAl2Class).map((nodeClass) => ({
    message: `EC2NodeClass ${nodeClass.name} uses alias ${aliasOf(nodeClass)}, which does not exist for ${target}: its node pools would stop to provision.`,
    remedy: `Create an EC2NodeClass with alias al2023@… or bottlerocket@…, and name it in belay.yaml (karpenter.switchNodeClass): Belay points its NodePools there under the freeze.`,
  }));
  return [...groups, ...classes];
}

export const nodesReachTheTarget: Rule = {
  name: 'nodes-reach-the-target',
  text: 'Every node the plan can move ends at the target.',
  remedy: 'Add the node group to node-groups, or a karpenter-drift step, in the last hop.',
  check({ plan, moments }) {
    const end = moments.at(-1)?.after;
    if (plan === undefined || end === undefined) return [];
    return end.nodes
      .filter((set) => set.movable && compareKubernetesVersions(set.minor, end.controlPlane) < 0)
      .map((set) => ({ message: `${describe(set)} would still be at ${formatKubernetesVersion(set.minor)} when the plan ends.` }));
  },
};
