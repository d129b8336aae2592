/** Findings about nodes: what the plan cannot move, and what moves by itself. */
import type { Finding } from '../../core/findings.ts';
import { BUDGETS_ONLY, meanOf } from '../../policy/freeze-means.ts';
import { eksRelease } from '../../tables/eks-calendar.ts';
import { formatKubernetesVersion } from '../../core/version.ts';
import { agree, count, someOf } from '../../core/text.ts';
import { isAl2Class, isAl2Group } from '../../facts/amazon-linux-2.ts';
import { keeperOf } from '../karpenter/choose-freeze.ts';
import { followsControlPlane, heldClasses, isMovableGroup } from '../state/nodes.ts';
import { amiFindings } from './amis.ts';
import { finding, findingAbout, type FindingContext } from './finding.ts';
import { nodeGroupFindings } from './node-groups.ts';
import { stopsDriftForGood } from '../../facts/node-classes.ts';

export function nodeFindings(context: FindingContext): Finding[] {
  return [
    ...leftBehind(context),
    ...karpenterNodes(context),
    ...amiFindings(context),
    ...nodeGroupFindings(context),
    ...autoMode(context),
    ...lastOfAl2(context),
    ...supportOfTheTarget(context),
  ];
}

function leftBehind({ facts, draft, target }: FindingContext): Finding[] {
  const to = formatKubernetesVersion(target);
  const unseen = (facts.karpenter?.nodePools ?? []).filter((pool) => followsControlPlane(facts, pool) === undefined);
  const foreign = (facts.karpenter?.nodePools ?? []).filter(({ group }) => group !== undefined);
  const others = facts.kubelets.filter(
    ({ owner }) =>
      (owner === 'node-group' && facts.nodeGroups.length === 0) ||
      (owner === 'karpenter' && (facts.karpenter?.nodePools ?? []).length === 0),
  );
  return [
    ...findingAbout(
      facts.nodeGroups.filter((group) => !isMovableGroup(group)),
      (group) => group.name,
      (names) => ({
        code: 'PLN040',
        title: 'Node groups with custom AMIs',
        message: `EKS cannot choose the AMI for ${names}; the plan leaves them where they are.`,
        remediation: `Give their launch templates an AMI for ${to} and update the groups with it.`,
      }),
    ),
    ...findingAbout(
      foreign,
      (pool) => `${pool.name} (${pool.group})`,
      (names) => ({
        code: 'PLN056',
        title: 'Node pools of another provider',
        message: `${names}: Belay freezes and restores their budgets like all others, but does not know whether their nodes follow the control plane, and does not wait for them.`,
        remediation: `Move their nodes to ${to} as their provider says, after the control plane has moved.`,
      }),
    ),
    ...findingAbout(
      draft.steps
        .flatMap(({ params }) => (params.phase === 'karpenter-drift' && params.to === to ? (params.pinnedPools ?? []) : []))
        .filter((name) => !foreign.some((pool) => pool.name === name)),
      (name) => name,
      (names) => ({
        code: 'PLN041',
        title: 'Node pools not following the control plane',
        message: `The node classes of ${names} choose AMIs by id, name or tag: Karpenter will not replace their nodes.`,
        remediation: `Name AMIs for ${to} in belay.yaml (karpenter.amis), or change their amiSelectorTerms after the control plane has moved.`,
      }),
    ),
    ...findingAbout(
      unseen,
      (pool) => `${pool.name} (${pool.nodeClass})`,
      (names) => ({
        code: 'PLN049',
        title: 'Unreadable node classes',
        severity: 'required',
        status: 'unknown',
        message: `The EC2NodeClass of ${names} could not be read: whether its nodes follow the control plane, and on which AMI, is not known.`,
        remediation: 'Allow list on ec2nodeclasses.karpenter.k8s.aws, or look yourself before you approve the plan.',
      }),
    ),
    ...findingAbout(
      facts.kubelets.filter(({ owner }) => owner === 'hybrid'),
      (kubelet) => `${kubelet.count} at ${kubelet.minor}`,
      (names) => ({
        code: 'PLN057',
        title: 'Hybrid nodes',
        message: `Hybrid nodes (${names}) stay as they are: the plan neither upgrades them nor waits for them.`,
        remediation: `Upgrade them with nodeadm, after the control plane has moved to ${to}.`,
      }),
    ),
    ...findingAbout(
      others,
      (kubelet) => `${kubelet.count} at ${kubelet.minor} (${kubelet.owner})`,
      (names) => ({
        code: 'PLN042',
        title: 'Nodes outside the plan',
        message: `${names}: nobody but you moves them.`,
        remediation: 'Replace them after the control plane has moved: their node group or node pool is gone.',
      }),
    ),
  ];
}

/** belay.yaml wants budgets where somebody puts them back. */
function againstGit({ facts, draft }: FindingContext): Finding[] {
  const frozen = draft.steps.flatMap(({ params }) => (params.phase === 'freeze-drift' ? [params.means] : []));
  const pools = facts.karpenter?.nodePools ?? [];
  const fought = pools.filter(
    (pool) => keeperOf(pool) !== undefined && frozen.some((means) => meanOf(pool.name, means ?? BUDGETS_ONLY) !== 'node-annotation'),
  );
  return findingAbout(
    fought,
    (pool) => `${pool.name} (${keeperOf(pool)})`,
    (names) => ({
      code: 'PLN060',
      title: 'GitOps may revert the freeze',
      message: `belay.yaml (karpenter.freezeBy) freezes ${names} by budgets, and whoever keeps these NodePools as in Git puts them back: nodes may be replaced before the guard has frozen again.`,
      remediation: 'Leave karpenter.freezeBy at auto or set it to node-annotation, or have GitOps leave spec.disruption.budgets alone.',
    }),
  );
}

function karpenterNodes(context: FindingContext): Finding[] {
  const { facts } = context;
  const karpenter = facts.karpenter;
  if (karpenter === undefined) return [];
  const { expiringSoonCount: soon } = karpenter;
  const expiring =
    soon === 0
      ? []
      : [
          finding({
            code: 'PLN043',
            title: 'Nodes expire during the upgrade',
            message: `${count(soon, 'NodeClaim')} ${agree(soon, 'expires', 'expire')} within 24 hours: Karpenter drains ${agree(soon, 'it', 'them')} whatever the freeze says.`,
            remediation: `Start after ${agree(soon, 'it has', 'they have')} been replaced.`,
          }),
        ];
  return [
    ...expiring,
    ...findingAbout(
      karpenter.nodePools.filter((pool) => pool.frozenBy !== undefined),
      (pool) => pool.name,
      (names) => ({
        code: 'PLN044',
        title: 'Node pools are frozen already',
        message: `${names} carry a freeze of an earlier run; this run takes it over and restores what was before it.`,
      }),
    ),
    ...findingAbout(
      karpenter.nodePools.filter((pool) => pool.frozenBy === undefined && pool.nodeCount > 0 && pool.budgets?.some(stopsDriftForGood)),
      (pool) => pool.name,
      (names) => ({
        code: 'PLN052',
        title: 'Their own budgets forbid drift',
        severity: 'required',
        message: `${names} have a budget of 0 nodes for drift without a schedule: Karpenter takes the smallest budget, so no pace of Belay's will replace their nodes.`,
        remediation: 'Remove that budget, or give it a schedule and a duration; Belay freezes and paces drift itself.',
      }),
    ),
    ...againstGit(context),
    ...findingAbout(
      heldClasses(facts),
      (name) => name,
      (names) => ({
        code: 'PLN051',
        title: 'An earlier run holds AMIs',
        message: `${names} are pinned to the images that their nodes run (annotation belay.dev/ami-before); this run puts their aliases back before it replaces nodes.`,
      }),
    ),
    ...findingAbout(
      [...karpenter.nodePools, ...karpenter.nodeClasses].filter((object) => !object.ready),
      (object) => object.name,
      (names) => ({
        code: 'PLN045',
        title: 'Node pools or node classes are not Ready',
        severity: 'required',
        message: `${names} are not Ready: Karpenter launches no nodes for them.`,
        remediation: 'Read the conditions of the objects and solve what they name.',
      }),
    ),
  ];
}

function autoMode({ facts }: FindingContext): Finding[] {
  if (!facts.controlPlane.autoMode) return [];
  const builtIn = facts.autoModePools?.filter((pool) => pool.builtIn && pool.nodeCount > 0).map((pool) => pool.name);
  if (builtIn?.length === 0) return [];
  const names = builtIn === undefined ? 'its node pools' : someOf(builtIn);
  return [
    finding({
      code: 'PLN050',
      title: 'EKS Auto Mode rolls its nodes by itself',
      message: `EKS replaces the nodes of ${names} after each control-plane move; the budgets of built-in pools cannot be edited, so no freeze and no gate holds them back.`,
      resources: [facts.cluster.name],
      remediation:
        'Move what must not be disturbed to a NodePool of your own, which Belay freezes and paces, or protect it by PodDisruptionBudgets.',
    }),
  ];
}

function lastOfAl2({ facts, target }: FindingContext): Finding[] {
  const al2 = [
    ...facts.nodeGroups.filter(isAl2Group).map((group) => group.name),
    ...(facts.karpenter?.nodeClasses ?? []).filter(isAl2Class).map((c) => c.name),
  ];
  return findingAbout(
    al2,
    (name) => name,
    (names) => ({
      code: 'PLN047',
      title: 'Amazon Linux 2 ends with 1.32',
      message: `${names} use Amazon Linux 2, which has no AMIs from Kubernetes 1.33 on; ${formatKubernetesVersion(target)} is still possible.`,
      remediation: 'Move to Amazon Linux 2023 before the next upgrade.',
    }),
  );
}

function supportOfTheTarget({ facts, target, now }: FindingContext): Finding[] {
  const to = formatKubernetesVersion(target);
  const end = facts.supportedVersions.find((v) => v.version === to)?.endOfStandardSupport ?? eksRelease(to)?.endOfStandardSupport;
  if (end === undefined || now.slice(0, 10) <= end.slice(0, 10)) return [];
  return [
    finding({
      code: 'PLN048',
      title: 'The target is past standard support',
      message: `EKS ended standard support of ${to} on ${end.slice(0, 10)}: the cluster will cost extended support.`,
      resources: [to],
      remediation: 'Plan on to a newer minor.',
    }),
  ];
}
