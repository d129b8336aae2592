/** One way for both tools of GitOps: write the version where it stands, unless somebody would put it back, and wait until it is delivered. */
import type { KubernetesDeps } from '../../contract/ports.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { argoDelivery, setArgoVersion } from './argo-cd.ts';
import type { Delivered, DeliveryActivities } from '../../contract/delivery.ts';
import { fluxDelivery, setFluxVersion } from './flux.ts';

export function createGitOpsActivities(deps: KubernetesDeps): Pick<DeliveryActivities, 'setDeliveredVersion' | 'awaitDelivered'> {
  return {
    async setDeliveredVersion({ cluster, ...change }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      return await (change.chart.kind === 'HelmRelease' ? setFluxVersion(port, change) : setArgoVersion(port, change));
    },
    async awaitDelivered({ cluster, timing, chart, to, token }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const probe = chart.kind === 'HelmRelease' ? fluxDelivery : argoDelivery;
      const timeoutMs = token === undefined ? timing.askTimeoutMs : timing.rolloutTimeoutMs;
      const doing = `waiting for ${chart.kind} ${chart.namespace}/${chart.name} to deliver ${chart.chart} ${to}`;
      const result = await waitUntil<Delivered>({ timing, timeoutMs, doing }, () => probe(port, chart, to, token));
      return result.kind === 'done' ? result.value : { kind: 'timed-out', note: result.lastNote ?? 'nothing was seen' };
    },
  };
}
