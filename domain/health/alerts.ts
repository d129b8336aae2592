/** Firing alerts: whether they stop a step, and how people read them. */
import { count, someOf } from '../core/text.ts';
import type { PhaseId } from '../core/phases.ts';
import { defined } from '../core/defined.ts';
import type { TriedCheck } from './checks.ts';

/** Steps that cannot be undone, or that move everybody's pods. */
const STOPPED: readonly PhaseId[] = ['control-plane', 'node-groups', 'other-nodes', 'karpenter-drift'];

export const stoppedByAlerts = (phase: PhaseId): boolean => STOPPED.includes(phase);

/** Severities of alerts that nobody is paged for (kube-prometheus: runbooks, "severity"). */
const QUIET = ['info', 'none'];

/** Series of ALERTS by the name of the alert. */
export interface FiringAlert {
  name: string;
  severity?: string;
  seriesCount: number;
  /** Of the first one, where they say it: "shop/cart". */
  where?: string;
}

export interface Firing {
  kind: 'firing';
  alerts: FiringAlert[];
  /** Why Alertmanager's silences are not known: some of the alerts may be silenced. */
  silencesUnseen?: string;
}

export type AlertVerdict = { kind: 'quiet' } | Firing | { kind: 'unknown'; why: string };

/** Groups what fires by name; ignored ones and those of no severity stop nothing. */
export function judgeFiring(series: readonly { labels: Record<string, string> }[], ignored: readonly string[]): AlertVerdict {
  const alerts = new Map<string, FiringAlert>();
  for (const { labels } of series) {
    const { alertname: name = 'an alert without a name', severity, namespace, pod, deployment, node } = labels;
    if (ignored.includes(name) || QUIET.includes(severity ?? '')) continue;
    const known = alerts.get(name);
    const where = [namespace, deployment ?? pod ?? node].filter((each) => each !== undefined).join('/');
    if (known !== undefined) known.seriesCount += 1;
    else alerts.set(name, { name, ...defined({ severity }), seriesCount: 1, ...(where === '' ? {} : { where }) });
  }
  const critical = (each: FiringAlert): number => (each.severity === 'critical' ? 0 : 1);
  const sorted = [...alerts.values()].toSorted((a, b) => critical(a) - critical(b) || a.name.localeCompare(b.name));
  return sorted.length === 0 ? { kind: 'quiet' } : { kind: 'firing', alerts: sorted };
}

/** None fires yet: those that did before Prometheus lost its data are pending anew. */
export const pendingAnew = ({ alerts }: Pick<Firing, 'alerts'>, minutes: number): AlertVerdict => ({
  kind: 'unknown',
  why: `Prometheus has no data from ${minutes} minutes ago, so alerts that were firing start over as pending: ${someOf(alerts.map(({ name }) => name))}`,
});

/** Among the health checks that are tried with the plan. */
export const ALERTS_NAME = 'alerts';

/** Prometheus has no series of an alert, pending or firing. */
export const alertsBlind = (): Extract<TriedCheck, { kind: 'blind' }> => ({
  name: ALERTS_NAME,
  kind: 'blind',
  why: 'Prometheus has no series of ALERTS, not even of an alert that always fires, such as Watchdog',
  hint: 'Add such an alert, correct prometheus.matchers, or set health.alerts: ignore.',
});

/** An alert as Alertmanager has it. suppressed: silenced or inhibited. */
export interface KnownAlert {
  labels: Record<string, string>;
  suppressed: boolean;
}

/** What Prometheus alone adds to the series of an alert. */
const OF_THE_SERIES = ['__name__', 'alertstate'];

/**
 * The series whose alerts are not suppressed. Alertmanager's labels are the series' own and those that Prometheus adds to all it sends; where it
 * knows several such alerts (of other clusters), one that is not suppressed is enough, and one that it does not know is not silenced.
 */
export function unsuppressed<S extends { labels: Record<string, string> }>(series: readonly S[], known: readonly KnownAlert[]): S[] {
  return series.filter(({ labels }) => {
    const own = Object.entries(labels).filter(([name]) => !OF_THE_SERIES.includes(name));
    const same = known.filter((alert) => own.every(([name, value]) => alert.labels[name] === value));
    return same.length === 0 || same.some(({ suppressed }) => !suppressed);
  });
}

/** "2 alerts fire: KubePodCrashLooping, TargetDown" */
export function alertsText({ alerts }: Pick<Firing, 'alerts'>): string {
  const names = someOf(alerts.map(({ name }) => name));
  return alerts.length === 1 ? `alert ${names} fires` : `${alerts.length} alerts fire: ${names}`;
}

export function alertLine({ name, severity, seriesCount, where }: FiringAlert): string {
  const more = [...(severity === undefined ? [] : [severity]), ...(where === undefined ? [] : [where])];
  return `${name}${more.length === 0 ? '' : ` (${more.join(', ')})`}${seriesCount > 1 ? `, ${count(seriesCount, 'time')}` : ''}`;
}
