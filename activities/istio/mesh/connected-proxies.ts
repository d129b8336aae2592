/** Proxies that are connected to istiods, by proxy version: `pilot_xds`, as Prometheus has scraped it. */
import { messageOf } from '../../../domain/core/unknown.ts';
import type { ConnectedReading } from '../../../domain/health/mesh/wave-connections.ts';
import type { ClusterPorts } from '../../contract/ports.ts';
import { failureType } from '../../runtime/translate-errors.ts';

/** Never throws for what Prometheus does. No series at all means that the query is blind, not that there are no proxies. */
export async function readConnected({ prometheus }: Pick<ClusterPorts, 'prometheus'>): Promise<ConnectedReading> {
  if (prometheus === undefined) return { kind: 'blind', why: 'no Prometheus is configured' };
  try {
    const series = await prometheus.query('sum by (version) (pilot_xds)');
    if (series.length === 0) return { kind: 'blind', why: 'Prometheus has no series pilot_xds: istiod is not scraped' };
    return { kind: 'seen', versions: Object.fromEntries(series.map(({ labels, value }) => [labels['version'] ?? '', value])) };
  } catch (error) {
    if (failureType(error) === undefined) throw error;
    return { kind: 'blind', why: messageOf(error) };
  }
}
