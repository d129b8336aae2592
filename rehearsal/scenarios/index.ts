/** All scenarios by name. */
import { autoMode, autoModeBack } from './nodes/auto-mode.ts';
import { istioBothLabels, istiodAlone, istioLeftover } from './istio/istio-accidents.ts';
import { conversionWebhook } from './conversion-webhook.ts';
import { karpenterArgo, karpenterCanary, karpenterFlux, karpenterFluxGit } from './karpenter/karpenter-gitops.ts';
import { amiPromotion, amiPromotionUndone, amiPromotionYoung } from './karpenter/ami-promotion.ts';
import { aliasWithoutBuild } from './karpenter/alias-without-build.ts';
import { amiHoldTwoHops } from './karpenter/ami-hold-two-hops.ts';
import { al2To133 } from './karpenter/al2-to-1-33.ts';
import { fargate } from './nodes/fargate.ts';
import { fargateBack } from './nodes/fargate-back.ts';
import { budgetOfOne, multiAttach, noBudgets, selfHeal, spotRole } from './accidents.ts';
import { gitopsSelfHeal, selfExpiringFreeze } from './gitops-self-heal.ts';
import { alertFiring, apiLatency, cloudWatchOnly, healthBlind, prometheusShared, scrapesOnly } from './health.ts';
import { instanceRefresh } from './nodes/instance-refresh.ts';
import { istioGateways } from './istio/istio-gateways.ts';
import { istioWave5xx } from './istio/istio-wave-5xx.ts';
import { istioArgo, istioFlux, istioFluxGit } from './istio/istio-gitops.ts';
import { istioArgoAgents, istioFluxAgents } from './istio/istio-gitops-agents.ts';
import { karpenterBack } from './karpenter/karpenter-back.ts';
import { karpenterHelm } from './karpenter/karpenter-helm.ts';
import { karpenterAlphaHelm, karpenterBetaFlux, karpenterBetaHelm } from './karpenter/karpenter-migrations.ts';
import { karpenterThirty } from './karpenter/karpenter-thirty.ts';
import { maintenanceWindow } from './maintenance-window.ts';
import { readiness } from './readiness.ts';
import { readinessOld } from './readiness-old.ts';
import { ready } from './ready.ts';
import { rollWaves } from './karpenter/roll-waves.ts';
import type { Scenario } from './scenario.ts';
import { scale50, scale500, scale5000 } from './scale.ts';
import { seed000, seed000Terraform } from './seeds/seed-000.ts';
import { seed001 } from './seeds/seed-001.ts';
import { seed002 } from './seeds/seed-002.ts';
import { seed003 } from './seeds/seed-003.ts';
import { seed004 } from './seeds/seed-004.ts';
import { selfManaged } from './nodes/self-managed.ts';
import { small } from './small.ts';
import { smallIstioCni } from './istio/small-istio-cni.ts';
import { smallIstioHelm } from './istio/small-istio-helm.ts';
import { smallIstioLabel } from './istio/small-istio-label.ts';
import { twoRoles } from './two-roles.ts';
import { undoneAddOns, undoneHalfway, undoneIstio } from './undone.ts';
import { upAndDown } from './up-and-down.ts';
import { nodeNeverReady, volumeHeld } from './watchers.ts';
import { whole } from './whole.ts';

export type { Scenario } from './scenario.ts';

export const SCENARIOS: Record<string, Scenario> = Object.fromEntries(
  [
    seed000,
    seed000Terraform,
    seed001,
    seed002,
    seed003,
    seed004,
    small,
    twoRoles,
    smallIstioHelm,
    smallIstioCni,
    smallIstioLabel,
    conversionWebhook,
    istioWave5xx,
    istioGateways,
    istioBothLabels,
    istioLeftover,
    istiodAlone,
    karpenterThirty,
    rollWaves,
    maintenanceWindow,
    healthBlind,
    alertFiring,
    prometheusShared,
    cloudWatchOnly,
    scrapesOnly,
    apiLatency,
    volumeHeld,
    nodeNeverReady,
    gitopsSelfHeal,
    selfExpiringFreeze,
    noBudgets,
    selfHeal,
    budgetOfOne,
    multiAttach,
    spotRole,
    karpenterHelm,
    karpenterFlux,
    karpenterCanary,
    karpenterFluxGit,
    karpenterArgo,
    karpenterAlphaHelm,
    karpenterBetaHelm,
    karpenterBetaFlux,
    istioFlux,
    istioFluxGit,
    istioFluxAgents,
    istioArgo,
    istioArgoAgents,
    whole,
    autoMode,
    autoModeBack,
    aliasWithoutBuild,
    amiHoldTwoHops,
    amiPromotion,
    amiPromotionYoung,
    amiPromotionUndone,
    al2To133,
    fargate,
    fargateBack,
    selfManaged,
    instanceRefresh,
    ready,
    readiness,
    readinessOld,
    upAndDown,
    karpenterBack,
    undoneHalfway,
    undoneAddOns,
    undoneIstio,
    scale50,
    scale500,
    scale5000,
  ].map((scenario) => [scenario.name, scenario]),
);

export function scenarioNamed(name: string): Scenario | undefined {
  return Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined;
}

/** Throws a RangeError that lists the names. */
export function findScenario(name: string): Scenario {
  const found = scenarioNamed(name);
  if (found === undefined) throw new RangeError(`there is no scenario "${name}": choose one of ${Object.keys(SCENARIOS).join(', ')}`);
  return found;
}
