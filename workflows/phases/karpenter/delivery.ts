/** Brings Karpenter's new version: CRDs first, by helm or through what GitOps owns. */
import type { DeliveredChart } from '../../../domain/facts/facts.ts';
import type { Delivery } from '../../../domain/plan/model/changes.ts';
import { objectTitle, someOf } from '../../../domain/core/text.ts';
import type { Phase } from '../base/phase.ts';
import { deliverChart } from '../base/gitops-delivery.ts';
import type { StepParams } from '../../../domain/plan/model/step-params.ts';

/** `unowned`: CRDs that no Helm release owned when people agreed. */
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
  phase.now(back === true ? `helm brings karpenter to ${to}; its CRDs stay.` : `helm upgrades karpenter-crd to ${to}, then karpenter.`);
  const only = back === true ? { only: 'karpenter' as const } : {};
  const { chart, crdChart, release, crdRelease, releaseNamespace } = phase.input.policy.karpenter;
  const where = { chart, crdChart, release, crdRelease, releaseNamespace };
  const { adopted } = await phase.activities.survey.upgradeKarpenterWithHelm.executeWithOptions({ summary: `helm: Karpenter ${to}` }, [
    { cluster: phase.cluster, namespace, deployment, to, where, token: phase.token('helm-upgrade', to), ...only },
  ]);
  // After a kill in the middle the second try finds them adopted.
  const all = [...new Set([...unowned, ...adopted])];
  if (all.length === 0) return;
  phase.announcer.note(
    `Karpenter: ${someOf(all)} were no part of a Helm release, which would have stopped karpenter-crd. Belay has marked them as its parts; nothing was deleted.`,
  );
}

async function byGitOps(phase: Phase, { to, from, managedBy }: KarpenterParams, chart: DeliveredChart, skipCrds: boolean): Promise<void> {
  await deliverChart(phase, {
    chart,
    to,
    component: 'Karpenter',
    // A chart of the CRDs has none beside it.
    skipCrds: skipCrds && chart.chart !== 'karpenter-crd',
    ask: (owner) => ({
      ask: { component: 'karpenter', name: chart.name, version: to, managedBy },
      text:
        `Please merge ${chart.chart} ${from} → ${to}. ${objectTitle(chart)} is kept as it is in Git by ${owner}, so a change in the cluster would be put back. ` +
        'Belay watches it and continues by itself once it has delivered.',
    }),
  });
}

export type KarpenterParams = Extract<StepParams, { phase: 'karpenter-controller' }>;
