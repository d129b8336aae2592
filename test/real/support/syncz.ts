/** What istiods say of their proxies: /debug/syncz, as `istioctl proxy-status` reads it, of each istiod that Prometheus scrapes. */
import { query } from './prometheus.ts';

const LIMIT_MS = 5_000;

interface SyncStatus {
  istio_version?: string;
  cluster_sent?: string;
  cluster_acked?: string;
  listener_sent?: string;
  listener_acked?: string;
}

/** "1-30: 6 of 6 in sync, 1.30.2", a line for each revision with proxies. */
export async function syncz(prometheusUrl: string): Promise<string[]> {
  const istiods = await query(prometheusUrl, 'up{job="istiod"} == 1');
  return (await Promise.all(istiods.map(({ metric }) => statusOf(metric)))).flat();
}

async function statusOf({ instance, istio_io_rev: revision }: Record<string, string>): Promise<string[]> {
  const response = await fetch(`http://${instance}/debug/syncz`, { signal: AbortSignal.timeout(LIMIT_MS) });
  const proxies: SyncStatus[] = JSON.parse(await response.text());
  if (proxies.length === 0) return [];
  const versions = [...new Set(proxies.map(({ istio_version: version }) => version))].join(' ');
  return [`${revision}: ${proxies.filter(inSync).length} of ${proxies.length} in sync, ${versions}`];
}

/** Clusters and listeners were sent, and acknowledged as sent. */
const inSync = (proxy: SyncStatus): boolean =>
  proxy.cluster_sent !== undefined &&
  proxy.cluster_sent === proxy.cluster_acked &&
  proxy.listener_sent !== undefined &&
  proxy.listener_sent === proxy.listener_acked;
