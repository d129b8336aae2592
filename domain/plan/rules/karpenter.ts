/** Rules about Karpenter: its matrix, its way to 1.0, and the freeze. */
import { compareMinors, formatMinor, formatPatch, parseComponentVersion, tryComponentVersion } from '../../core/component-version.ts';
import { KARPENTER_NEWEST_PATCHES, karpenterRangeText, karpenterSupport, smallestKarpenterFor } from '../../tables/karpenter.ts';
import { compareKubernetesVersions, formatKubernetesVersion, type KubernetesVersion, parseKubernetesVersion } from '../../core/version.ts';
import { someOf } from '../../core/text.ts';
import { autoModePoolsOfOnesOwn } from '../state/nodes.ts';
import type { StepParams } from '../model/step-params.ts';
import { type Breach, controlPlaneMoments, type Rule } from './rule.ts';

export const karpenterSupportsBothMinors: Rule = {
  name: 'karpenter-supports-both-minors',
  text: 'Before the control plane moves, Karpenter supports both minors.',
  remedy: 'First change Karpenter to one that does.',
  check: (context) =>
    controlPlaneMoments(context).flatMap(({ before, after }): Breach[] => {
      const version = before.karpenter === undefined ? undefined : tryComponentVersion(before.karpenter);
      if (version === undefined) return [];
      const minors = [before.controlPlane, after.controlPlane];
      if (minors.every((minor) => karpenterSupport(version, minor) !== 'unsupported')) return [];
      const [from, to] = minors.map(formatKubernetesVersion);
      const bridge = smallestKarpenterFor(minors, version);
      return [
        {
          message: `Karpenter ${formatPatch(version)} supports Kubernetes ${karpenterRangeText(version) ?? 'none that is known'}; the hop needs ${from} and ${to}.`,
          remedy:
            bridge === undefined
              ? `No Karpenter at or above ${formatPatch(version)} is known to support both: see Karpenter's compatibility matrix, or choose a nearer target.`
              : `Change Karpenter to ${bridge.minor} (at least ${bridge.minimum}) before the control plane moves to ${to}.`,
        },
      ];
    }),
};

/** Older ones have changes of their own on the way to 0.31, which nobody here walks. */
const OLDEST_TO_MIGRATE = parseComponentVersion('0.28');
/** Karpenter 1.0's own. */
const OLDEST_KUBERNETES_OF_V1 = parseKubernetesVersion('1.25');

export const karpenterV1Migration: Rule = {
  name: 'karpenter-v1-migration',
  text: 'Karpenter reaches 1.0 only by migrating its objects, possible from 0.28 and Kubernetes 1.25.',
  remedy: 'Put karpenter-migration before Karpenter’s step.',
  check: ({ moments }) => moments.flatMap(({ step, before }): Breach[] => migrationBreaches(step.params, before.controlPlane)),
};

function migrationBreaches(params: StepParams, minor: KubernetesVersion): Breach[] {
  if (params.phase !== 'karpenter-controller' && params.phase !== 'karpenter-migration') return [];
  const [from, to] = [tryComponentVersion(params.from), tryComponentVersion(params.to)];
  if (from === undefined || to === undefined || from.major >= 1 || to.major < 1) return [];
  if (params.phase === 'karpenter-controller')
    return [{ message: `Karpenter ${formatPatch(from)} has to become ${formatPatch(to)}, and between them lies the migration to v1.` }];
  const start = KARPENTER_NEWEST_PATCHES['0.31'] ?? 'v0.31.4';
  const tooOld: Breach = {
    message: `Karpenter ${formatPatch(from)} is older than ${formatMinor(OLDEST_TO_MIGRATE)}: from there no way to v1 is known to Belay.`,
    remedy: `Upgrade Karpenter to ${start} by its upgrade guide first, then start the upgrade again.`,
  };
  const tooLow: Breach = {
    message: `Karpenter ${formatPatch(to)} needs Kubernetes ${formatKubernetesVersion(OLDEST_KUBERNETES_OF_V1)}; the control plane is at ${formatKubernetesVersion(minor)}, and Belay works with Karpenter’s API v1 alone.`,
    remedy: `Upgrade to ${formatKubernetesVersion(OLDEST_KUBERNETES_OF_V1)} without Belay, with Karpenter as it is, then start again.`,
  };
  return [
    ...(compareMinors(from, OLDEST_TO_MIGRATE) < 0 ? [tooOld] : []),
    ...(compareKubernetesVersions(minor, OLDEST_KUBERNETES_OF_V1) < 0 ? [tooLow] : []),
  ];
}

export const canaryPoolIsThere: Rule = {
  name: 'canary-pool-is-there',
  text: 'If belay.yaml names a canary node’s NodePool, it exists and belongs to Karpenter.',
  remedy: 'Correct or remove karpenter.canaryNode in belay.yaml.',
  check: ({ facts, moments }) =>
    moments.flatMap(({ step: { params } }): Breach[] => {
      if (params.phase !== 'karpenter-controller' || params.canaryPool === undefined) return [];
      const { canaryPool } = params;
      const names = (facts.karpenter?.nodePools ?? []).map(({ name }) => name);
      return names.includes(canaryPool)
        ? []
        : [{ message: `There is no NodePool ${canaryPool} for a canary node; there is ${someOf(names) || 'none'}.` }];
    }),
};

export const freezeWhileTheControlPlaneMoves: Rule = {
  name: 'freeze-while-the-control-plane-moves',
  text: 'Karpenter replaces no nodes while the control plane moves, but may before the plan ends.',
  remedy: 'Put freeze-drift before the first control-plane and karpenter-drift after the last.',
  check(context) {
    const { facts } = context;
    const pools = [...(facts.karpenter?.nodePools ?? []), ...autoModePoolsOfOnesOwn(facts)].map((pool) => pool.name);
    const thawed = controlPlaneMoments(context).flatMap(({ step, before }): Breach[] => {
      const open = pools.filter((pool) => !before.frozenPools.includes(pool));
      return open.length === 0 ? [] : [{ message: `Node pools ${open.slice(0, 5).join(', ')} are not frozen when ${step.id} starts.` }];
    });
    const left = context.moments.at(-1)?.after.frozenPools ?? [];
    return left.length === 0
      ? thawed
      : [...thawed, { message: `Node pools ${left.slice(0, 5).join(', ')} are still frozen at the plan's end.` }];
  },
};
