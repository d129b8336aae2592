/** Brings Karpenter's new version: CRDs first, by helm or through what GitOps owns. */
import type { ChartValues } from '../../activities/delivery/contract.ts';
import type { DeliveredChart, ManagedBy } from '../../domain/facts.ts';
import type { Delivery } from '../../domain/plan/types.ts';
import { someOf } from '../../domain/words.ts';
import { type Phase, phaseFailed } from '../phase.ts';
import type { KarpenterParams } from './karpenter-agreement.ts';

/** `unowned`: CRDs that no Helm release owned when people agreed. */
export async function deliverKarpenter(phase: Phase, params: KarpenterParams, delivery: Delivery, unowned: string[]): Promise<void> {
  if (delivery.kind === 'helm') return await byHelm(phase, params, unowned);
  const skipCrds = delivery.charts.some(({ chart }) => chart === 'karpenter-crd');
  for (const chart of delivery.charts) await byGitOps(phase, params, chart, skipCrds);
}

async function byHelm(phase: Phase, { to, namespace, deployment }: KarpenterParams, unowned: string[]): Promise<void> {
  phase.now(`helm upgrades karpenter-crd to ${to}, then karpenter.`);
  const { chart, crdChart, release, crdRelease, releaseNamespace } = phase.input.policy.karpenter;
  const where = { chart, crdChart, release, crdRelease, releaseNamespace };
  const { adopted } = await phase.activities.survey.upgradeKarpenterWithHelm.executeWithOptions({ summary: `helm: Karpenter ${to}` }, [
    { cluster: phase.cluster, namespace, deployment, to, where, token: phase.token('helm-upgrade', to) },
  ]);
  // After a kill in the middle the second try finds them adopted.
  const all = [...new Set([...unowned, ...adopted])];
  if (all.length === 0) return;
  phase.announcer.note(
    `Karpenter: ${someOf(all)} were no part of a Helm release, which would have stopped karpenter-crd. Belay has marked them as its parts; nothing was deleted.`,
  );
}

async function byGitOps(phase: Phase, params: KarpenterParams, chart: DeliveredChart, skipCrds: boolean): Promise<void> {
  const { to, from } = params;
  const token = phase.token('set-version', `${chart.kind} ${chart.namespace}/${chart.name}/${chart.chart}`);
  // A chart of the CRDs has none beside it.
  const change = { chart, to, token, skipCrds: skipCrds && chart.chart !== 'karpenter-crd' };
  await setChart(phase, change, {
    managedBy: params.managedBy,
    text: (object, owner) =>
      `Please merge ${chart.chart} ${from} → ${to}. ${object} is kept as it is in Git by ${owner}, so a change in the cluster would be put back. ` +
      'Belay watches it and goes on by itself when it has delivered.',
  });
}

export interface ChartSetting {
  chart: DeliveredChart;
  to: string;
  token: string;
  skipCrds: boolean;
  values?: ChartValues;
}

/** Writes the version where GitOps reads it, or asks its owner, and waits until it is delivered. */
export async function setChart(
  phase: Phase,
  change: ChartSetting,
  asking: { managedBy: ManagedBy; text: (object: string, owner: string) => string },
): Promise<'set' | 'owned'> {
  const { chart, to, token } = change;
  const object = `${chart.kind} ${chart.namespace}/${chart.name}`;
  phase.now(`Setting ${chart.chart} in ${object} to ${to}.`);
  const set = await phase.activities.quick.setDeliveredVersion.executeWithOptions({ summary: `${object}: ${chart.chart} ${to}` }, [
    { cluster: phase.cluster, ...change },
  ]);
  if (set.kind === 'owned')
    phase.ask({ component: 'karpenter', name: chart.name, version: to, managedBy: asking.managedBy }, asking.text(object, set.owner));
  else phase.announcer.note(`Karpenter: ${object} now says ${chart.chart} ${to}. Waiting until it has delivered.`);
  const ended = await phase.activities.watch.awaitDelivered.executeWithOptions({ summary: `Wait for ${object}` }, [
    { ...phase.target, chart, to, ...(set.kind === 'set' ? { token } : {}) },
  ]);
  switch (ended.kind) {
    case 'converged':
      return set.kind;
    case 'failed':
      throw phaseFailed(`Delivering ${chart.chart} ${to}: ${ended.why}`);
    case 'put-back':
      throw phaseFailed(
        `Delivering ${chart.chart} ${to}: somebody has set ${object} back to ${ended.version}; name its owner, or change it there, then retry`,
      );
    case 'timed-out':
      throw phaseFailed(`Waiting for ${chart.chart} ${to}: ${ended.note}`);
  }
}
