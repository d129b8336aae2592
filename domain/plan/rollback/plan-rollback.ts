/** From facts to the plan of a way back, or to every reason why there is none. Pure: the same input gives the same plan and hash. */
import type { ClusterFacts } from '../../facts/facts.ts';
import { stops } from '../../core/findings.ts';
import type { PhaseId } from '../../core/phases.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import { formatKubernetesVersion, type KubernetesVersion, tryKubernetesVersion } from '../../core/version.ts';
import type { Hop } from '../model/hops.ts';
import { controlPlaneMinor } from '../state/nodes.ts';
import { planHash } from '../plan-upgrade.ts';
import type { PlanResult, UpgradePlan } from '../model/types.ts';
import { changesBack } from './add-ons.ts';
import { fargateStop } from './fargate.ts';
import { backFindings } from './findings.ts';
import { karpenterBack } from './karpenter.ts';
import { groupsAhead, nodesAhead } from './nodes.ts';
import { refreshesBack } from './self-managed.ts';
import type { SeenForBack } from './evidence.ts';
import { backSteps } from './steps.ts';
import { defined } from '../../core/defined.ts';

/** What cannot be seen is told in the plan, and stops its first step unless people say otherwise. */
export function planRollback(facts: ClusterFacts, seen: SeenForBack, policy: UpgradePolicy): PlanResult {
  const at = controlPlaneMinor(facts);
  const backTo = backToOf(at, seen);
  const groups = groupsAhead(facts, backTo);
  const changes = changesBack(facts.addOns, at, backTo);
  const karpenter = karpenterBack(facts, backTo);
  const fargate = fargateStop({ facts, seen, backTo, policy });
  const isNewer = nodesAhead(facts, backTo).some(({ owner }) => owner === 'self-managed');
  const refreshes = isNewer && refreshesBack(facts, policy);
  const later: PhaseId[] = [
    ...(karpenter === undefined ? [] : ['freeze-drift' as const]),
    ...(karpenter === undefined || karpenter.rollCount === 0 ? [] : ['karpenter-drift' as const]),
    ...(groups.length === 0 ? [] : ['node-groups' as const]),
    ...(refreshes ? ['other-nodes' as const] : []),
    ...(changes.length === 0 ? [] : ['add-ons-back' as const]),
    ...(fargate === undefined ? [] : ['control-plane-back' as const]),
  ];
  const findings = backFindings({ facts, seen, backTo, policy, later }).filter(({ status }) => status !== 'pass');
  const violations = findings
    .filter((finding) => stops(finding) && finding.status === 'fail')
    .map(({ code, message, remediation = '' }) => ({ rule: code, message, remedy: remediation }));
  // One that EKS has begun in time may end after the seven days.
  if (violations.length > 0 || seen.back.kind === 'none') return { kind: 'refused', violations };
  const hop: Hop = {
    from: at,
    to: backTo,
    first: true,
    last: true,
    ahead: [backTo],
    rollsNodes: groups.length > 0 || refreshes || (karpenter?.rollCount ?? 0) > 0,
  };
  const steps = backSteps({
    hop,
    facts,
    policy,
    window: seen.back.window,
    groups,
    changes,
    ...defined({ karpenter, fargate }),
  });
  const plan: UpgradePlan = {
    cluster: facts.cluster,
    kind: 'back',
    from: formatKubernetesVersion(at),
    to: formatKubernetesVersion(backTo),
    hops: [formatKubernetesVersion(backTo)],
    strategy: 'every-hop',
    strategies: [],
    steps,
    findings,
    expectedMs: steps.reduce((sum, step) => sum + step.expectedMs, 0),
    hash: '',
  };
  return { kind: 'plan', plan: { ...plan, hash: planHash(plan) } };
}

/** Where EKS lists no way back, the reasons are still given for the minor before. */
export function backToOf(at: KubernetesVersion, { back }: SeenForBack): KubernetesVersion {
  const named = back.kind === 'none' ? undefined : tryKubernetesVersion(back.window.backTo);
  return named ?? { major: at.major, minor: at.minor - 1 };
}
