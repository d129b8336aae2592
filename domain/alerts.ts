/** Firing alerts: whether they stop a step, and how people read them. */
import { count, someOf } from './words.ts';
import type { PhaseId } from './phases.ts';

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

export type AlertVerdict = { kind: 'quiet' } | { kind: 'firing'; alerts: FiringAlert[] } | { kind: 'unknown'; why: string };

/** Groups what fires by name; ignored ones and those of no severity stop nothing. */
export function judgeFiring(series: readonly { labels: Record<string, string> }[], ignored: readonly string[]): AlertVerdict {
  const alerts = new Map<string, FiringAlert>();
  for (const { labels } of series) {
    const { alertname: name = 'an alert without a name', severity, namespace, pod, deployment, node } = labels;
    if (ignored.includes(name) || QUIET.includes(severity ?? '')) continue;
    const known = alerts.get(name);
    const where = [namespace, deployment ?? pod ?? node].filter((each) => each !== undefined).join('/');
    if (known !== undefined) known.seriesCount += 1;
    else alerts.set(name, { name, ...(severity === undefined ? {} : { severity }), seriesCount: 1, ...(where === '' ? {} : { where }) });
  }
  const critical = (each: FiringAlert): number => (each.severity === 'critical' ? 0 : 1);
  const sorted = [...alerts.values()].toSorted((a, b) => critical(a) - critical(b) || a.name.localeCompare(b.name));
  return sorted.length === 0 ? { kind: 'quiet' } : { kind: 'firing', alerts: sorted };
}

/** "2 alerts fire: KubePodCrashLooping, TargetDown" */
export function alertsText({ alerts }: Extract<AlertVerdict, { kind: 'firing' }>): string {
  const names = someOf(alerts.map(({ name }) => name));
  return alerts.length === 1 ? `alert ${names} fires` : `${alerts.length} alerts fire: ${names}`;
}

export function alertLine({ name, severity, seriesCount, where }: FiringAlert): string {
  const more = [...(severity === undefined ? [] : [severity]), ...(where === undefined ? [] : [where])];
  return `${name}${more.length === 0 ? '' : ` (${more.join(', ')})`}${seriesCount > 1 ? `, ${count(seriesCount, 'time')}` : ''}`;
}
