/** A snapshot on a terminal. */
import { count as plural, utcMinute } from '../../domain/core/text.ts';
import type { SnapshotSummary } from '../../domain/facts/snapshot/summary.ts';
import { incomplete } from '../messages/snapshots.ts';

const KIB = 1024;
const WIDTH = 12;
const NAMES = 30;

/** "640 B", "12 kB", "1.2 MB" */
export function sizeOf(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  return bytes < KIB * KIB ? `${Math.round(bytes / KIB)} kB` : `${(bytes / KIB / KIB).toFixed(1)} MB`;
}

export function renderSnapshot(summary: SnapshotSummary): string {
  const {
    cluster,
    kubernetes,
    takenAt,
    endedAt,
    belay,
    version,
    anonymized,
    bytes,
    objects,
    calls,
    metrics,
    absent,
    gaps,
    namespaces,
    ownerKeys,
  } = summary;
  const rest = namespaces.length - NAMES;
  const lines = [
    `Snapshot of ${cluster.name} (${cluster.eksName === undefined ? '' : `${cluster.eksName} in EKS, `}account ${cluster.account}, ${cluster.region}), Kubernetes ${kubernetes.minor}`,
    '',
    row('Taken', `${utcMinute(takenAt)} to ${utcMinute(endedAt)}`),
    row('By', `Belay ${belay}, format ${version}`),
    row('Size', sizeOf(bytes)),
    row('Names', anonymized ? 'replaced by tokens' : 'real: accounts, namespaces, workloads, nodes, images'),
    ...(ownerKeys === undefined ? [] : [row('Teams', ownerKeys.length === 0 ? 'not known' : `by ${ownerKeys.join(', ')}`)]),
    row('AWS', calls.map(({ service, count }) => `${service} ${count}`).join(', ') || 'nothing'),
    ...metrics.map(({ query, count }) => row('Prometheus', `${plural(count, 'sample')} of ${query}`)),
    row('Namespaces', `${namespaces.slice(0, NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}` || 'none'),
    '',
    ...objects.map(({ type, count }) => `${String(count).padStart(WIDTH)}  ${type}`),
    ...(absent.length === 0 ? [] : ['', row('Not served', absent.join(', '))]),
    '',
    ...(gaps.length === 0 ? ['It is complete.'] : gaps.map(({ what, why }) => incomplete(what, why))),
    '',
    'Not in it: Secrets, ConfigMap data, environment variables, arguments, commands, user data, add-on configuration values.',
  ];
  return lines.join('\n');
}

const row = (name: string, text: string): string => `${name.padEnd(WIDTH)}${text}`;
