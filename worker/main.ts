/** The worker process: runs workflows and activities, and outlives the Temporal server. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataConverter } from '@temporalio/common';
import { bundleWorkflowCode, NativeConnection, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import type { BelayActivities } from '../activities/contract.ts';
import { keepAliveInterceptor } from '../activities/keep-alive.ts';
import { translateErrorsInterceptor } from '../activities/translate-errors.ts';
import type { Config } from '../domain/config/config.ts';
import { TASK_QUEUE } from '../workflows/ids.ts';
import { createDataConverter } from './codec/data-converter.ts';
import { examineClock } from './clock.ts';
import { moduleBeside } from './beside.ts';
import { createLogger, installRuntime, type Logger } from './log.ts';
import { createPorts } from './ports.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import { sessionInterceptor } from './session-interceptor.ts';
import { endWhenStalled } from './stall/end-when-stalled.ts';
import { isRefusal, type TemporalSettings, temporalSettings, TemporalUnreachableError, why } from './temporal.ts';

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5_000;

/** Runs until the signal aborts; then finishes what it can within 30 seconds. Throws where waiting cannot help (credentials refused, wrong keys). */
export async function runWorker(options: { config: Config; signal: AbortSignal; log?: Logger }): Promise<void> {
  const log = options.log ?? createLogger('belay-worker');
  installRuntime(log);
  const settings = temporalSettings(options.config.temporal);
  const dataConverter = createDataConverter(process.env);
  const ports = createPorts(options.config, { namespace: settings.namespace });
  // Beside the work: a clock that is off is said, and an AWS that is away holds nothing up.
  void examineClock(options.config, ports.clients, log);
  const workflowBundle = await bundle(dataConverter, log);
  const stopWatching = endWhenStalled();
  try {
    await runAgainAndAgain({ settings, dataConverter, workflowBundle, activities: ports.activities, signal: options.signal, log });
  } finally {
    await stopWatching();
    await ports.close();
  }
  log.info('worker stopped');
}

interface Running {
  settings: TemporalSettings;
  dataConverter: DataConverter;
  workflowBundle: WorkflowBundleWithSourceMap;
  activities: BelayActivities;
  signal: AbortSignal;
  log: Logger;
}

/** Until the signal aborts: what Temporal's absence ends is begun again. */
async function runAgainAndAgain(running: Running): Promise<void> {
  const { settings, signal, log } = running;
  let retryMs = FIRST_RETRY_MS;
  while (!signal.aborted) {
    const startedAt = performance.now();
    try {
      await runOnce(running);
    } catch (error) {
      if (isRefusal(error)) throw new TemporalUnreachableError(settings, error);
      log.warn({ address: settings.address, why: why(error) }, 'Temporal is not there; trying again');
    }
    if (performance.now() - startedAt > 30_000) retryMs = FIRST_RETRY_MS;
    if (!signal.aborted) await sleep(retryMs, undefined, { signal }).catch(() => undefined);
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  }
}

/** Workflow code is bundled once; a reconnection does not need it again. */
async function bundle({ failureConverterPath }: DataConverter, log: Logger): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflowCode({
    workflowsPath: moduleBeside(import.meta.url, '../workflows/index'),
    workflowInterceptorModules: [moduleBeside(import.meta.url, '../workflows/run-header')],
    failureConverterPath,
    logger: {
      log: () => undefined,
      trace: () => undefined,
      debug: () => undefined,
      info: () => undefined,
      warn: (message) => log.warn(message),
      error: (message) => log.error(message),
    },
  });
}

async function runOnce(running: Running): Promise<void> {
  const { settings, log, signal } = running;
  const connection = await NativeConnection.connect(settings.connection);
  try {
    const added = await registerSearchAttributes(connection, settings.namespace);
    if (added.length > 0) log.info({ added }, 'search attributes registered');
    const worker = await Worker.create({
      connection,
      namespace: settings.namespace,
      taskQueue: TASK_QUEUE,
      dataConverter: running.dataConverter,
      workflowBundle: running.workflowBundle,
      activities: running.activities,
      interceptors: { activity: [sessionInterceptor, translateErrorsInterceptor, keepAliveInterceptor] },
      // A dead worker's cached workflows are handed to another one after this long.
      stickyQueueScheduleToStartTimeout: '1s',
      // Heartbeats go out often enough that details are fresh after a crash and a cancellation is heard soon.
      maxHeartbeatThrottleInterval: '2s',
      shutdownGraceTime: '30s',
      maxCachedWorkflows: 200,
      // Each running upgrade has a handful of watchers that mostly sleep: a hundred clusters must not wait for each other.
      maxConcurrentActivityTaskExecutions: 1_000,
    });
    const stop = (): void => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) return;
    log.info({ address: settings.address, namespace: settings.namespace, taskQueue: TASK_QUEUE }, 'worker is polling');
    try {
      await worker.run();
    } finally {
      signal.removeEventListener('abort', stop);
    }
  } finally {
    await connection.close().catch(() => undefined);
  }
}
