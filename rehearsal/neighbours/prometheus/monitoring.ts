/** What a scenario says of its monitoring: whose series its Prometheus holds, and what Alertmanager keeps silent. */
import { counter, series } from './series.ts';
import type { Series } from './evaluate.ts';

export interface Monitoring {
  /** Every series has a label `cluster`; the other cluster is in trouble all the time. */
  shared?: { cluster: string; other: string };
  /** Name of a critical alert that fires all the time, and is silenced. */
  silenced?: string;
  /** By CloudWatch, a fifth of the shop's answers are errors while the control plane is updated. */
  shopFails?: true;
  /** By its own metrics, a tenth of the API server's answers are 503 while node groups are updated. */
  apiServerFails?: true;
}

export const silencedAlert = (alertname: string): Record<string, string> => ({ alertname, severity: 'critical', namespace: 'shop' });
export const NEIGHBOURS_ALERT = { alertname: 'KubeAPIDown', severity: 'critical' };

/** The series as this Prometheus has them. */
export function monitored(own: Series[], { shared, silenced }: Monitoring, sinceSec: number): Series[] {
  const all = silenced === undefined ? own : [...own, alert(silencedAlert(silenced))];
  if (shared === undefined) return all;
  const { cluster, other } = shared;
  return [
    ...all.map((one) => ({ ...one, labels: { ...one.labels, cluster } })),
    alert({ ...NEIGHBOURS_ALERT, cluster: other }),
    counter('apiserver_request_total', { job: 'kubernetes-apiservers', verb: 'GET', code: '503', cluster: other }, 900, sinceSec),
  ];
}

const alert = (labels: Record<string, string>): Series => series('ALERTS', { alertstate: 'firing', ...labels }, 1);
