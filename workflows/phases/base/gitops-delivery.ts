/** One chart through an object of Flux or Argo CD: the version written where nobody keeps it as in Git, else the merge asked for; then watched. */
import type { Delivered, ValueEdit } from '../../../activities/contract/delivery.ts';
import type { DeliveredChart } from '../../../domain/facts/facts.ts';
import type { Phase } from './phase.ts';
import { objectTitle } from '../../../domain/core/text.ts';
import { settingVersion, versionSet } from '../../messages/deliveries.ts';
import type { ChangeRequest } from '../../messages/note.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import { defined } from '../../../domain/core/defined.ts';

export interface ChartDelivery {
  chart: DeliveredChart;
  /** A version, or a minor: its newest patch then. */
  to: string;
  skipCrds?: boolean;
  values?: ValueEdit[];
  /** Where one phase brings several versions through the same object: each is a change of its own. */
  oneOfSeveral?: boolean;
  /** Whose chart it is, in notes: "Karpenter". */
  component: string;
  /** Said where somebody keeps the object as in Git. */
  ask: (owner: string) => ChangeRequest;
}

/** Resolves with the version that was delivered. Fails as a phase does where it is taken back, put back, or does not come. */
export async function deliverChart(phase: Phase, delivery: ChartDelivery): Promise<string> {
  const { chart, to, component, ask } = delivery;
  const object = objectTitle(chart);
  const token = phase.token('set-version', `${object}/${chart.chart}${delivery.oneOfSeveral === true ? `@${to}` : ''}`);
  const change = { chart: chart.chart, object, version: to };
  phase.now(settingVersion(change));
  const set = await setVersion(phase, delivery, to, token);
  if (set.kind === 'owned') phase.ask(ask(set.owner));
  else phase.announcer.note(versionSet(component, change));
  const version = await awaitVersion(phase, chart, to, set.kind === 'set' ? token : undefined);
  if (set.kind === 'set' && version !== to) await pin(phase, delivery, version);
  return version;
}

/** A range would bring a newer release on any later day. */
async function pin(phase: Phase, delivery: ChartDelivery, version: string): Promise<void> {
  const token = phase.token('pin-version', `${objectTitle(delivery.chart)}/${delivery.chart.chart}/${version}`);
  const set = await setVersion(phase, delivery, version, token);
  if (set.kind === 'set') await awaitVersion(phase, delivery.chart, version, token);
}

async function setVersion(phase: Phase, { chart, skipCrds = false, values }: ChartDelivery, to: string, token: string) {
  return await phase.activities.quick.setDeliveredVersion.executeWithOptions({ summary: `${objectTitle(chart)}: ${chart.chart} ${to}` }, [
    { cluster: phase.cluster, chart, to, token, skipCrds, ...(values === undefined || values.length === 0 ? {} : { values }) },
  ]);
}

async function awaitVersion(phase: Phase, chart: DeliveredChart, to: string, token: string | undefined): Promise<string> {
  const ended = await phase.activities.watch.awaitDelivered.executeWithOptions({ summary: `Wait for ${objectTitle(chart)}` }, [
    { ...phase.target, chart, to, ...defined({ token }) },
  ]);
  return versionIn(ended, chart, to);
}

/** What has converged; everything else ends the phase. */
export function versionIn(ended: Delivered, chart: Pick<DeliveredChart, 'chart' | 'kind' | 'namespace' | 'name'>, to: string): string {
  switch (ended.kind) {
    case 'converged':
      return ended.version ?? to;
    case 'failed':
      throw phaseFailed(`Delivering ${chart.chart} ${to}: ${ended.why}`);
    case 'put-back':
      throw phaseFailed(
        `Delivering ${chart.chart} ${to}: somebody has set ${chart.kind} ${chart.namespace}/${chart.name} back to ${ended.version}; name its owner, or change it there, then retry`,
      );
    case 'timed-out':
      throw phaseFailed(`Waiting for ${chart.chart} ${to}: ${ended.note}`);
  }
}
