/** One chart of Karpenter's to one version, with the values of its webhooks: by helm, through what GitOps owns, or asked for. */
import type { KarpenterChart, ValueEdit } from '../../../activities/contract/delivery.ts';
import { deliverChart } from '../base/gitops-delivery.ts';
import { chartAdopts, helmInstalls, installChart, mergeChart } from '../../messages/karpenter/migration.ts';
import type { MigrationWalk } from './walk.ts';
import { defined } from '../../../domain/core/defined.ts';

export interface ChartChange {
  chart: KarpenterChart;
  to: string;
  /** What the migration needs beside the version; the rest stays. */
  values?: ValueEdit[];
  why: string;
}

/** Of Karpenter's own charts (values.yaml of karpenter and karpenter-crd, 0.37.7 and 1.0). */
const WEBHOOK_PORT = 8443;

export function webhookValues({ params }: MigrationWalk, chart: KarpenterChart): ValueEdit[] {
  const service = { serviceName: params.deployment, serviceNamespace: params.namespace };
  const webhook = { enabled: true, port: WEBHOOK_PORT, ...(chart === 'karpenter' ? {} : service) };
  return Object.entries(webhook).map(([key, value]) => ({ path: ['webhook', key], value }));
}

/** Resolves when it has been delivered, or asked for. What it brought is for the caller to verify. */
export async function bringChart(walk: MigrationWalk, change: ChartChange): Promise<void> {
  const { phase, params } = walk;
  const { chart, to, values } = change;
  const { delivery, managedBy } = params;
  if (delivery?.kind === 'helm') return await byHelm(walk, change);
  const charts = delivery?.charts.filter((each) => each.chart === chart) ?? [];
  if (charts.length === 0) return phase.ask(installChart(change, managedBy));
  const skipCrds = chart === 'karpenter' && delivery?.charts.some((other) => other.chart === 'karpenter-crd') === true;
  for (const each of charts)
    await deliverChart(phase, {
      chart: each,
      to,
      skipCrds,
      ...defined({ values }),
      oneOfSeveral: true,
      component: 'Karpenter',
      ask: (owner) => mergeChart(change, { delivered: each, managedBy, owner }),
    });
}

async function byHelm(walk: MigrationWalk, { chart, to, values }: ChartChange): Promise<void> {
  const { phase, params } = walk;
  phase.now(helmInstalls(chart, to));
  const { namespace, deployment } = params;
  const { chart: location, crdChart, release, crdRelease, releaseNamespace } = phase.input.policy.karpenter;
  const where = { chart: location, crdChart, release, crdRelease, releaseNamespace };
  const { adopted } = await phase.activities.survey.upgradeKarpenterWithHelm.executeWithOptions({ summary: `helm: ${chart} ${to}` }, [
    {
      cluster: phase.cluster,
      namespace,
      deployment,
      to,
      where,
      token: phase.token('helm-upgrade', `${chart}@${to}`),
      only: chart,
      ...defined({ values }),
    },
  ]);
  if (adopted.length > 0) walk.say(chartAdopts(adopted));
}

/** The controller's image says that it runs; throws where it does not come. */
export async function untilController(walk: MigrationWalk, to: string): Promise<void> {
  const { phase, params } = walk;
  const { namespace, deployment } = params;
  const { version, timedOut } = await phase.activities.watch.awaitKarpenterVersion.executeWithOptions(
    { summary: `Wait for Karpenter ${to}` },
    [{ ...phase.target, wanted: to, minimum: to, namespace, deployment }],
  );
  if (timedOut) throw walk.failed(`Waiting for Karpenter ${to}: it still runs ${version}`);
}
