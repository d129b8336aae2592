/** Prometheus as a snapshot knows it. */
import type { Snapshot } from '../../../../domain/facts/snapshot/format.ts';
import type { PrometheusPort } from '../../../contract/ports.ts';
import { notHeld } from './failures.ts';

export function replayedPrometheus({ metrics }: Pick<Snapshot, 'metrics'>): PrometheusPort {
  return {
    async query(promql) {
      const held = metrics.find(({ query }) => query === promql);
      if (held === undefined) throw notHeld('what Prometheus says');
      return held.samples.map(({ labels, value }) => ({ labels: { ...labels }, value }));
    },
  };
}
