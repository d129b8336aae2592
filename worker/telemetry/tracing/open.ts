/** Traces of a process, where an OTLP endpoint is set; without one nothing of OpenTelemetry is loaded. */
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { SPANS_DROPPED } from '../../../domain/core/dropped-spans.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { RUN_RECORDED } from '../../../domain/run/record/recorded-run.ts';
import type { UpgradeReport } from '../../../domain/run/record/status.ts';
import { spansOfActivities, spansOfStarts } from './live-spans.ts';
import { recordedSpans } from './recorded-spans.ts';
import { tracesSentTo } from './settings.ts';
import type { Emit } from './span.ts';

/** A process that ends waits so long for a collector. */
const CLOSE_MS = 2_000;

export interface OpenTracing {
  activities: ActivityInterceptorsFactory[];
  starts: WorkflowClientInterceptor[];
  /** Sends what there is. Never rejects. */
  close(): Promise<void>;
}

const OFF: OpenTracing = { activities: [], starts: [], close: async () => undefined };

/** Throws a RangeError that names variable and fix where the endpoint cannot be one. Afterwards a collector that is away only costs spans. */
export async function openTracing({
  component,
  env,
  log,
}: {
  component: 'worker' | 'slack';
  env: NodeJS.ProcessEnv;
  log: { info(message: string): void; warn(message: string): void };
}): Promise<OpenTracing> {
  const endpoint = tracesSentTo(env);
  if (endpoint === undefined) return OFF;
  const { createSender } = await import('./sender.ts');
  const where = `${endpoint.protocol}//${endpoint.host}`;
  const failing = { now: false };
  const dropped = (count: number, why: string): void => {
    channel(SPANS_DROPPED).publish(count);
    if (!failing.now) log.warn(`traces do not reach ${where}, and spans are dropped until they do: ${why}`);
    failing.now = true;
  };
  const sender = createSender({ serviceName: `belay-${component}`, dropped, sent: () => void (failing.now = false) });
  const emit: Emit = (span) => {
    try {
      sender.emit(span);
    } catch (error) {
      dropped(1, messageOf(error));
    }
  };
  const tell = (message: unknown): void => {
    try {
      for (const span of recordedSpans(message as UpgradeReport)) emit(span);
    } catch (error) {
      // A subscriber that throws would end the process.
      dropped(1, messageOf(error));
    }
  };
  subscribe(RUN_RECORDED, tell);
  log.info(`traces are sent to ${where}`);
  return {
    activities: [spansOfActivities(emit)],
    starts: [spansOfStarts(emit)],
    async close() {
      unsubscribe(RUN_RECORDED, tell);
      await Promise.race([sender.close().catch(() => undefined), sleep(CLOSE_MS, undefined, { ref: false })]);
    },
  };
}
