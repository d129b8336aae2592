/** Brings Karpenter's new version: CRDs first, by helm or through what GitOps owns. */
import type { DeliveredChart } from '../../../domain/facts/facts.ts';
import type { Delivery } from '../../../domain/plan/model/changes.ts';
import type { Phase } from '../base/phase.ts';
import { deliverChart } from '../base/gitops-delivery.ts';
import type { StepParams } from '../../../domain/plan/model/step-params.ts';
import { definitionsAdopted, helmUpgradesKarpenter, mergeKarpenter } from '../../messages/karpenter/controller.ts';

/** `unowned`: CRDs that no Helm release owned at the approval. */
export async function deliverKarpenter(phase: Phase, params: KarpenterParams, delivery: Delivery, unowned: string[]): Promise<void> {
  if (delivery.kind === 'helm') return await byHelm(phase, params, unowned);
  const skipCrds = delivery.charts.some(({ chart }) => chart === 'karpenter-crd');
  for (const chart of chartsToChange(delivery.charts, params)) await byGitOps(phase, params, chart, skipCrds);
}

/** On a way back the CRDs stay: the newer ones are compatible within v1. */
export function chartsToChange(charts: readonly DeliveredChart[], { back }: KarpenterParams): DeliveredChart[] {
  return charts.filter(({ chart }) => back !== true || chart === 'karpenter');
}

async function byHelm(phase: Phase, { to, namespace, deployment, back }: KarpenterParams, unowned: string[]): Promise<void> {
  phase.now(helmUpgradesKarpenter(to, back === true));
  const only = back === true ? { only: 'karpenter' as const } : {};
  const { chart, crdChart, release, crdRelease, releaseNamespace } = phase.input.policy.karpenter;
  const where = { chart, crdChart, release, crdRelease, releaseNamespace };
  const { adopted } = await phase.activities.survey.upgradeKarpenterWithHelm.executeWithOptions({ summary: `helm: Karpenter ${to}` }, [
    { cluster: phase.cluster, namespace, deployment, to, where, token: phase.token('helm-upgrade', to), ...only },
  ]);
  // After a kill in the middle the second try finds them adopted.
  const all = [...new Set([...unowned, ...adopted])];
  if (all.length > 0) phase.announcer.note(definitionsAdopted(all));
}

async function byGitOps(phase: Phase, { to, from, managedBy }: KarpenterParams, chart: DeliveredChart, skipCrds: boolean): Promise<void> {
  await deliverChart(phase, {
    chart,
    to,
    component: 'Karpenter',
    // A chart of the CRDs has none beside it.
    skipCrds: skipCrds && chart.chart !== 'karpenter-crd',
    ask: (owner) => mergeKarpenter(chart, { from, to, managedBy, owner }),
  });
}

export type KarpenterParams = Extract<StepParams, { phase: 'karpenter-controller' }>;
