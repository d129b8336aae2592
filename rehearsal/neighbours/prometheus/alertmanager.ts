/** Alertmanager's stand-in: GET /api/v2/alerts. Shapes as in Alertmanager's api/v2/openapi.yaml, gettableAlert. */
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { World } from '../../world/world.ts';
import { NEIGHBOURS_ALERT, silencedAlert } from './monitoring.ts';
import { ONE_ALERT, WATCHDOG } from './platform-metrics.ts';

const SILENCE_ID = '7d8e9f00-1c2b-4f6a-9a01-0d6d8d6f2c11';
const HOUR_MS = 3_600_000;

interface Alert {
  labels: Record<string, string>;
  silencedBy: string[];
}

function gettable(world: World, { labels, silencedBy }: Alert): object {
  const at = (offsetMs: number): string => new Date(world.clock.nowMs() + offsetMs).toISOString();
  return {
    annotations: {},
    endsAt: at(HOUR_MS / 15),
    fingerprint: createHash('sha256').update(JSON.stringify(labels)).digest('hex').slice(0, 16),
    receivers: [{ name: 'default' }],
    startsAt: at(-HOUR_MS),
    status: { inhibitedBy: [], silencedBy, state: silencedBy.length > 0 ? 'suppressed' : 'active' },
    updatedAt: at(0),
    generatorURL: 'http://prometheus.example/graph',
    labels,
  };
}

/** What Prometheus has sent. An external label comes with each alert. */
function alertsOf(world: World): Alert[] {
  const { shared, silenced } = world.monitoring ?? {};
  const own: Record<string, string> = shared === undefined ? {} : { cluster: shared.cluster };
  const sent = (labels: Record<string, string>, silencedBy: string[] = []): Alert => ({
    labels: { ...labels, ...own, prometheus: 'monitoring/k8s' },
    silencedBy,
  });
  return [
    sent(WATCHDOG),
    ...(world.faults.inForce('prometheus:alert') ? [sent(ONE_ALERT)] : []),
    ...(silenced === undefined ? [] : [sent(silencedAlert(silenced), [SILENCE_ID])]),
    ...(shared === undefined ? [] : [{ labels: { ...NEIGHBOURS_ALERT, cluster: shared.other }, silencedBy: [] }]),
  ];
}

/** Filters are true unless they say otherwise. */
export function answerAlerts(world: World, { query }: Request, response: Response): void {
  const wanted = alertsOf(world).filter(({ silencedBy }) => query[silencedBy.length > 0 ? 'silenced' : 'active'] !== 'false');
  response.json(wanted.map((alert) => gettable(world, alert)));
}
