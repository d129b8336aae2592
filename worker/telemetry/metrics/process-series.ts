/** Series about the process itself: its release, its polls, its calls to services outside, its audit records, its traces, Node's own. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { collectDefaultMetrics, Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { AUDIT_TROUBLE, AUDIT_TROUBLES, type AuditTrouble } from '../../../domain/core/audit-append.ts';
import { SPANS_DROPPED } from '../../../domain/core/dropped-spans.ts';
import { EXTERNAL_CALLS, type ExternalCall } from '../../../domain/core/external-call.ts';
import { NOTIFICATIONS, type NotificationAttempt } from '../../../domain/core/notification-outcome.ts';
import { thisRelease } from '../../releases/build-id.ts';
import type { Component } from './settings.ts';

/** Calls are answered in fractions of a second, and given up after ten or thirty. */
const CALL_BUCKETS_S = [0.05, 0.2, 1, 5, 10, 30];

export interface ProcessSeries {
  /** Which workflow code this process runs (`bundleId`): a worker knows it once it has its bundle. */
  bundled: (bundle: string) => void;
  /** Stops counting calls. */
  end(): void;
}

/** `queuePolls`: the same of each network's task queue, 0 before the first poll. `polledAtS`: when Temporal last saw this worker poll, by Temporal's clock, in seconds since 1970; undefined where it does not poll. */
export function processSeries(
  registry: Registry,
  {
    component,
    polledAtS,
    queuePolls = new Map(),
  }: { component: Component; polledAtS: () => number | undefined; queuePolls?: ReadonlyMap<string, number> },
): ProcessSeries {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const build = new Gauge({
    name: 'belay_build_info',
    help: 'Always 1. Release and workflow code of this process; the Slack process has no bundle.',
    labelNames: ['component', 'version', 'bundle'],
    registers,
  });
  const version = thisRelease();
  build.set({ component, version, bundle: '' }, 1);
  if (component === 'worker') {
    registry.registerMetric(pollsGauge(polledAtS));
    registry.registerMetric(networksGauge(queuePolls));
  }
  const calls = new Counter({
    name: 'belay_external_calls_total',
    help: 'Calls to AWS (each attempt), Kubernetes, Prometheus, Slack, Grafana, webhooks and mail servers, by how they ended.',
    labelNames: ['service', 'operation', 'result'],
    registers,
  });
  const seconds = new Histogram({
    name: 'belay_external_call_seconds',
    help: 'How long these calls took, whatever their result.',
    labelNames: ['service', 'operation'],
    buckets: CALL_BUCKETS_S,
    registers,
  });
  const count = (message: unknown): void => {
    const call = message as ExternalCall;
    const { service, operation, result } = call;
    calls.inc({ service, operation, result });
    seconds.observe({ service, operation }, call.seconds);
  };
  const audit = new Counter({
    name: 'belay_audit_append_failures_total',
    help: 'Appends to audit records that failed, each attempt (unwritten), or that met a record which Belay has not written so (altered).',
    labelNames: ['what'],
    registers,
  });
  // Shown before the first one: an increase from nothing would be missed.
  for (const what of AUDIT_TROUBLES) audit.inc({ what }, 0);
  const countTrouble = (message: unknown): void => audit.inc({ what: message as AuditTrouble });
  const spans = new Counter({
    name: 'belay_trace_spans_dropped_total',
    help: 'Spans of traces that found no room to wait, or that the collector did not take.',
    registers,
  });
  const countSpans = (message: unknown): void => spans.inc(message as number);
  const notifications = new Counter({
    name: 'belay_notification_attempts_total',
    help: 'Events for webhooks and e-mail, each attempt: sent, refused (for good), unknown (it may have arrived, and is not sent again) or failed (tried again).',
    labelNames: ['delivery', 'result'],
    registers,
  });
  const countNotification = (message: unknown): void => {
    const { delivery, result } = message as NotificationAttempt;
    notifications.inc({ delivery, result });
  };
  subscribe(NOTIFICATIONS, countNotification);
  subscribe(EXTERNAL_CALLS, count);
  subscribe(SPANS_DROPPED, countSpans);
  subscribe(AUDIT_TROUBLE, countTrouble);
  return {
    bundled(bundle) {
      build.reset();
      build.set({ component, version, bundle }, 1);
    },
    end() {
      unsubscribe(EXTERNAL_CALLS, count);
      unsubscribe(NOTIFICATIONS, countNotification);
      unsubscribe(SPANS_DROPPED, countSpans);
      unsubscribe(AUDIT_TROUBLE, countTrouble);
    },
  };
}

function pollsGauge(polledAtS: () => number | undefined): Gauge {
  return new Gauge({
    name: 'belay_worker_polls_last_success_timestamp_seconds',
    help: 'When Temporal last saw this worker ask for work, by its own clock. 0 before the first time.',
    registers: [],
    collect() {
      this.set(polledAtS() ?? 0);
    },
  });
}

function networksGauge(queuePolls: ReadonlyMap<string, number>): Gauge {
  return new Gauge({
    name: 'belay_network_polls_last_success_timestamp_seconds',
    help: 'When Temporal last saw a worker of a network ask for work, by its own clock: one series for each network of belay.yaml. 0 before the first time, or where Temporal does not say.',
    labelNames: ['task_queue'],
    registers: [],
    collect() {
      for (const [queue, atS] of queuePolls) this.set({ task_queue: queue }, atS);
    },
  });
}
