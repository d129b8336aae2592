/** Rules about Karpenter: its matrix, its way to 1.0, and the freeze. */
import { formatPatch, tryComponentVersion } from '../../component-version.ts';
import { KARPENTER_PATCHES_BEFORE_V1, karpenterRangeText, karpenterSupport, smallestKarpenterFor } from '../../tables/karpenter.ts';
import { formatKubernetesVersion } from '../../version.ts';
import { autoModePoolsOfOnesOwn } from '../nodes.ts';
import { type Breach, controlPlaneMoments, type Rule } from './rule.ts';

export const karpenterSupportsBothMinors: Rule = {
  name: 'karpenter-supports-both-minors',
  text: 'Before the control plane moves, Karpenter runs in a version that supports both minors of the hop.',
  remedy: 'Change Karpenter to a version that supports both minors first.',
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

export const karpenterV1Migration: Rule = {
  name: 'karpenter-v1-migration',
  text: 'Karpenter does not pass from before 1.0 to 1.0 or newer inside an upgrade: its objects have to be migrated.',
  remedy: 'Migrate Karpenter to v1 first, then start the upgrade again.',
  check: ({ moments }) =>
    moments.flatMap(({ step }): Breach[] => {
      if (step.params.phase !== 'karpenter-controller') return [];
      const [from, to] = [tryComponentVersion(step.params.from), tryComponentVersion(step.params.to)];
      if (from === undefined || to === undefined || from.major >= 1 || to.major < 1) return [];
      const patch = KARPENTER_PATCHES_BEFORE_V1.find((p) => tryComponentVersion(p)?.minor === from.minor);
      const start = patch ?? `0.32.x (v1alpha5 to v1beta1), then ${KARPENTER_PATCHES_BEFORE_V1.at(-1)}`;
      return [
        {
          message: `Karpenter ${formatPatch(from)} has to become ${formatPatch(to)}, and between them lies the migration to v1.`,
          remedy:
            `Follow Karpenter's v1 migration guide: ${start} with webhooks on, then the newest 1.0 patch, manifests rewritten to v1, ` +
            `storedVersions ["v1"] on all CRDs; only then 1.1 or newer. belay migrate karpenter CLUSTER says how far it is and writes the manifests.`,
        },
      ];
    }),
};

export const freezeWhileTheControlPlaneMoves: Rule = {
  name: 'freeze-while-the-control-plane-moves',
  text: 'Karpenter may replace no node while the control plane moves, and may again before the plan ends.',
  remedy: 'Put freeze-drift before the first control-plane step and karpenter-drift after the last.',
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
