/** Asks Prometheus what an inspection asks it, and the API server who calls deprecated APIs. */
import { METRICS } from '../../../domain/facts/snapshot/allowed/metrics.ts';
import type { SnapshotGap, SnapshotMetric } from '../../../domain/facts/snapshot/format.ts';
import type { Unseen } from '../../../domain/readiness/model/evidence.ts';
import { DEPRECATED_CALLS } from '../../../domain/tables/deprecated-calls.ts';
import type { KubernetesPort, PrometheusPort } from '../../contract/ports.ts';
import { see } from '../../runtime/see.ts';
import { gapOf } from './gap.ts';
import { ISTIODS } from '../inspect/istio.ts';
import { isKubernetesOwn, readDeprecatedCalls } from '../readiness/kubernetes/apis.ts';

/** Nothing where there is no mesh: whether it could be looked for is said by the list of Deployments. */
export async function readMetrics(kubernetes: KubernetesPort, prometheus: PrometheusPort): Promise<(SnapshotMetric | SnapshotGap)[]> {
  const istiods = await see('listing istiods', () => kubernetes.list(ISTIODS));
  if (!istiods.ok || (istiods.value ?? []).length === 0) return [];
  return await Promise.all(
    METRICS.map(async ({ what, query, labels }): Promise<SnapshotMetric | SnapshotGap> => {
      const seen = await see('asking Prometheus', () => prometheus.query(query));
      if (!seen.ok) return { kind: 'gap', what, ...whyNot(seen.unseen.kind) };
      const samples = seen.value.map(({ labels: all, value }) => ({
        labels: Object.fromEntries(labels.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]]))),
        value,
      }));
      // JSON has no infinities, and rates are none.
      return { kind: 'metric', query, samples: samples.filter(({ value }) => Number.isFinite(value)) };
    }),
  );
}

/** Without the address that its own words have. */
const whyNot = (kind: Unseen['kind']): Pick<SnapshotGap, 'why' | 'denied'> =>
  kind === 'denied' ? { why: 'Prometheus refuses the token of belay.yaml', denied: true } : { why: 'Prometheus could not be asked' };

/** How often is not kept: it says when each instance began to count. */
export async function readApiServer(kubernetes: KubernetesPort): Promise<SnapshotMetric | SnapshotGap> {
  const seen = await see('reading /metrics', () => readDeprecatedCalls(kubernetes));
  if (!seen.ok) return gapOf('calls of deprecated APIs', seen.unseen);
  // Types of others say who uses the cluster, and no check asks about them.
  const calls = seen.value.filter(isKubernetesOwn);
  return { kind: 'metric', query: DEPRECATED_CALLS, samples: calls.map((labels) => ({ labels, value: 1 })) };
}
