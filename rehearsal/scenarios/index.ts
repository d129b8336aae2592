/** All scenarios by name. */
import { autoMode, autoModeBack } from './auto-mode.ts';
import { istioBothLabels, istiodAlone, istioLeftover } from './istio-accidents.ts';
import { conversionWebhook } from './conversion-webhook.ts';
import { karpenterArgo, karpenterCanary, karpenterFlux, karpenterFluxGit } from './karpenter-gitops.ts';
import { amiPromotion, amiPromotionUndone, amiPromotionYoung } from './ami-promotion.ts';
import { aliasWithoutBuild } from './alias-without-build.ts';
import { amiHoldTwoHops } from './ami-hold-two-hops.ts';
import { al2To133 } from './al2-to-1-33.ts';
import { fargate } from './fargate.ts';
import { fargateBack } from './fargate-back.ts';
import { budgetOfOne, multiAttach, noBudgets, selfHeal, spotRole } from './accidents.ts';
import { gitopsSelfHeal, selfExpiringFreeze } from './gitops-self-heal.ts';
import { alertFiring, apiLatency, cloudWatchOnly, healthBlind, prometheusShared, scrapesOnly } from './health.ts';
import { instanceRefresh } from './instance-refresh.ts';
import { istioGateways } from './istio-gateways.ts';
import { istioWave5xx } from './istio-wave-5xx.ts';
import { istioArgo, istioFlux, istioFluxGit } from './istio-gitops.ts';
import { istioArgoAgents, istioFluxAgents } from './istio-gitops-agents.ts';
import { karpenterBack } from './karpenter-back.ts';
import { karpenterHelm } from './karpenter-helm.ts';
import { karpenterAlphaHelm, karpenterBetaFlux, karpenterBetaHelm } from './karpenter-migrations.ts';
import { karpenterThirty } from './karpenter-thirty.ts';
import { maintenanceWindow } from './maintenance-window.ts';
import { readiness } from './readiness.ts';
import { readinessOld } from './readiness-old.ts';
import { ready } from './ready.ts';
import { rollWaves } from './roll-waves.ts';
import type { Scenario } from './scenario.ts';
import { scale50, scale500, scale5000 } from './scale.ts';
import { seed000, seed000Terraform } from './seed-000.ts';
import { seed001 } from './seed-001.ts';
import { seed002 } from './seed-002.ts';
import { seed003 } from './seed-003.ts';
import { seed004 } from './seed-004.ts';
import { selfManaged } from './self-managed.ts';
import { small } from './small.ts';
import { smallIstioCni } from './small-istio-cni.ts';
import { smallIstioHelm } from './small-istio-helm.ts';
import { smallIstioLabel } from './small-istio-label.ts';
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
