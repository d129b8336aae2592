/** All rules, in the order in which breaches are told. */
import { addOnsValidOnBothMinors, kubeProxyNotAhead, kubeProxySkew, vpcCniOneMinorAtATime } from './add-ons.ts';
import {
  clusterActiveAndHealthy,
  dependenciesPresent,
  freeIpAddresses,
  inspectionSufficient,
  noRemovedApis,
  noUpdateInProgress,
  workerElsewhere,
} from './cluster.ts';
import { istioCanaryJump, istioSupportsBothMinors } from './istio.ts';
import { canaryPoolIsThere, freezeWhileTheControlPlaneMoves, karpenterSupportsBothMinors, karpenterV1Migration } from './karpenter.ts';
import { nodeClassSwitchPossible } from './node-class-switch.ts';
import { amisCanBeHeld, pinnedReleasesHaveImages } from './amis.ts';
import { kubeletSkew, noAl2From133, nodesReachTheTarget, onceAtTheEndWithinSkew } from './nodes.ts';
import { targetAboveCurrent, targetKnown } from './request.ts';
import type { Rule } from './rule.ts';
import { gatesBeforeTheIrreversible, oneMinorAtATime, orderOfOneHop, planFitsHistory } from './shape.ts';

export const RULES: readonly Rule[] = [
  // what was asked for
  targetKnown,
  targetAboveCurrent,
  // the cluster now
  clusterActiveAndHealthy,
  noUpdateInProgress,
  workerElsewhere,
  inspectionSufficient,
  dependenciesPresent,
  freeIpAddresses,
  noRemovedApis,
  noAl2From133,
  // each hop
  karpenterV1Migration,
  karpenterSupportsBothMinors,
  canaryPoolIsThere,
  istioSupportsBothMinors,
  istioCanaryJump,
  addOnsValidOnBothMinors,
  vpcCniOneMinorAtATime,
  kubeProxyNotAhead,
  kubeProxySkew,
  kubeletSkew,
  onceAtTheEndWithinSkew,
  freezeWhileTheControlPlaneMoves,
  nodeClassSwitchPossible,
  pinnedReleasesHaveImages,
  amisCanBeHeld,
  nodesReachTheTarget,
  // the plan itself
  oneMinorAtATime,
  orderOfOneHop,
  gatesBeforeTheIrreversible,
  planFitsHistory,
];
