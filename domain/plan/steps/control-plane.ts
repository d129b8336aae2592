/** Steps around the control plane: pre-checks, freeze, the move, the bake, the validation. */
import { hasBakeGate } from '../state/bake-gates.ts';
import type { ClusterFacts, NodeClassSwitch } from '../../facts/facts.ts';
import type { FreezeMeans } from '../../policy/freeze-means.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import { formatKubernetesVersion } from '../../core/version.ts';
import { someOf } from '../../core/text.ts';
import type { Hop } from '../model/hops.ts';
import { selectionWords } from '../karpenter/ami-changes.ts';
import type { AmiMove } from '../model/changes.ts';
import type { PlannedGate, PlannedStep } from '../model/types.ts';
import { about } from '../../core/text.ts';
import { minorsOf, NOTHING_TO_UNDO, plannedStep } from './step.ts';
import { defined } from '../../core/defined.ts';
import { eksNameOf } from '../../core/cluster-ref.ts';

/** The first hop's pre-checks carry the gate of the whole plan. */
export function preChecksStep(hop: Hop, facts: ClusterFacts, policy: UpgradePolicy, gate?: PlannedGate): PlannedStep {
  const [from, to] = minorsOf(hop);
  const spared = facts.istio?.loneBudgets ?? [];
  return plannedStep(
    hop,
    { phase: 'pre-checks', from, to, ...(spared.length === 0 ? {} : { spared }) },
    {
      title: `Pre-checks for ${to}`,
      why: `Is the cluster fit for ${to}: health, EKS insights, versions, skew.`,
      gate,
      rollback: NOTHING_TO_UNDO,
    },
    policy,
  );
}

/** undefined: belay.yaml wants no logs that are not on. Where it is not known which are, EKS says so when it is asked. */
export function loggingStep(hop: Hop, facts: ClusterFacts, policy: UpgradePolicy): PlannedStep | undefined {
  const { logs = [] } = facts.controlPlane;
  const types = policy.controlPlane.logging.filter((type) => !logs.includes(type));
  if (types.length === 0) return undefined;
  const [at] = minorsOf(hop);
  const names = types.join(', ');
  const eksName = eksNameOf(facts.cluster);
  const off = JSON.stringify({ clusterLogging: [{ types, enabled: false }] });
  return plannedStep(
    hop,
    { phase: 'control-plane-logging', at, types, managedBy: policy.managedBy.controlPlane },
    {
      title: `Control-plane logs ${names}`,
      why: `belay.yaml wants ${names} in CloudWatch before the first control plane moves: what happened during the upgrade can be read afterwards. CloudWatch charges for each gigabyte that it takes and keeps; audit is the largest.`,
      rollback: {
        what: `the logs ${names}`,
        how: `aws eks update-cluster-config --name ${eksName} --region ${facts.cluster.region} --logging '${off}'`,
        until: 'always; they stay on',
        cost: `none; log group /aws/eks/${eksName}/cluster costs until it is deleted`,
      },
    },
    policy,
  );
}

export interface Freezing {
  whose: 'Karpenter' | 'Auto Mode';
  nodePools: string[];
  /** Node pools that an earlier run has left frozen. */
  frozenBefore: string[];
  switches: readonly NodeClassSwitch[];
  thawsAt: string;
  /** Absent: by budgets alone. */
  means?: FreezeMeans;
  /** By which means and why, after the sentence before it. */
  meansText: string;
  /** Node classes that are pinned to the images in use until the roll, and how far their nodes lag meanwhile. */
  holds: AmiMove[];
  skew: string;
  /** A sentence more about the holds; empty: none. */
  lacks: string;
}

function holdText({ holds, skew, lacks }: Pick<Freezing, 'holds' | 'skew' | 'lacks'>): string {
  if (holds.length === 0) return '';
  const [own, asked] = [holds.filter(({ owner }) => owner === undefined), holds.filter(({ owner }) => owner !== undefined)];
  const names = (moves: readonly AmiMove[]): string => someOf(moves.map(({ nodeClass }) => nodeClass));
  const who = [
    ...(own.length === 0 ? [] : [` Then Belay pins EC2NodeClass ${names(own)} to the images in use.`]),
    ...asked.map(
      ({ nodeClass, before, terms, owner }) =>
        ` Then ${owner} is asked to change EC2NodeClass ${nodeClass} from ${before} to ${selectionWords(terms)}.`,
    ),
  ];
  return `${who.join('')} New nodes, too, stay at the version from before until the roll: ${skew}.${lacks}`;
}

export function freezeStep(
  hop: Hop,
  { whose, nodePools, frozenBefore, switches, thawsAt, means, meansText, holds, skew, lacks }: Freezing,
  policy: UpgradePolicy,
): PlannedStep {
  const pointed = switches.map(({ nodePool, from, to, owner }) => {
    const change = `NodePool ${nodePool} from EC2NodeClass ${from} to ${to}`;
    return owner === undefined ? ` Then Belay points ${change}.` : ` Then ${owner} is asked to point ${change}.`;
  });
  const switched =
    switches.length === 0 ? '' : `${pointed.join('')} New nodes come from there at once; the others are replaced in ${thawsAt}.`;
  return plannedStep(
    hop,
    {
      phase: 'freeze-drift',
      nodePools,
      ...(frozenBefore.length === 0 ? {} : { frozenBefore }),
      ...(switches.length === 0 ? {} : { switches: [...switches] }),
      ...defined({ means }),
      ...(holds.length === 0 ? {} : { holds }),
    },
    {
      title: `Freeze ${whose}`,
      why: `${whose} sees the new version before EKS reports the control plane done, and would replace nodes at once; node pools ${someOf(nodePools)} wait until ${thawsAt}.${meansText}${switched}${holdText({ holds, skew, lacks })}`,
      rollback: {
        what: 'the freeze',
        how: `Belay removes its own ${means?.usual === 'node-annotation' ? 'marks on nodes' : `budget entry${means?.byNode === undefined ? '' : ' and its marks on nodes'}`}, and only that${switches.length === 0 ? '' : ', once the NodePools that it has switched name their old classes again'}`,
        until: 'the control plane moves; lifting the freeze later replaces every node, so you are asked',
        cost: 'none until then',
      },
    },
    policy,
  );
}

export function controlPlaneStep(hop: Hop, facts: ClusterFacts, policy: UpgradePolicy): PlannedStep {
  const [from, to] = minorsOf(hop);
  const nextMove = hop.last ? '' : ', and only until the control plane moves on';
  return plannedStep(
    hop,
    { phase: 'control-plane', from, to, managedBy: policy.managedBy.controlPlane },
    {
      title: `Control plane ${from} → ${to}`,
      why: `EKS moves a control plane by one minor at a time${hop.last ? '' : `; the target ${formatKubernetesVersion(hop.ahead.at(-1) ?? hop.to)} comes after it`}.`,
      gate: {
        title: `Move the control plane to ${to}?`,
        next: `The control plane of ${facts.cluster.name} moves from ${from} to ${to}. That cannot be paused or stopped.`,
        why: "The only way back is EKS's version rollback.",
      },
      rollback: {
        what: `the control plane, back to ${from}`,
        how: `EKS version rollback (UpdateClusterVersion with ${from}) while no kubelet is newer and add-ons are valid on ${from}`,
        until: `7 days after the control plane's update${nextMove}`,
        cost: 'about as long as the upgrade; data and workloads remain; nodes launched meanwhile move first',
      },
    },
    policy,
  );
}

export function bakeStep(hop: Hop, policy: UpgradePolicy): PlannedStep {
  const [, to] = minorsOf(hop);
  return plannedStep(
    hop,
    { phase: 'bake', to, bakeMs: policy.timing.bakeMs, ...(hasBakeGate(policy.timing.bakeMs) ? { gate: true } : {}) },
    {
      title: `Verify and watch ${to}`,
      why: `The cluster is verified and watched for ${about(policy.timing.bakeMs)} while going back is still cheap.`,
      rollback: NOTHING_TO_UNDO,
    },
    policy,
  );
}

export function validationStep(hop: Hop, policy: UpgradePolicy): PlannedStep {
  const [, to] = minorsOf(hop);
  return plannedStep(
    hop,
    { phase: 'validation', to },
    {
      title: `Validate ${to}`,
      why: `The control plane, every node and every add-on are looked at once more at ${to}.`,
      rollback: NOTHING_TO_UNDO,
    },
    policy,
  );
}
