/** The worker process: runs workflows and activities, and outlives the Temporal server. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataConverter } from '@temporalio/common';
import { type NativeConnection, Worker } from '@temporalio/worker';
import type { BelayActivities } from '../activities/contract/belay-activities.ts';
import { keepAliveInterceptor } from '../activities/runtime/keep-alive.ts';
import { translateErrorsInterceptor } from '../activities/runtime/translate-errors.ts';
import type { Config } from '../domain/policy/config/config.ts';
import { networksOf } from '../domain/policy/config/of-cluster.ts';
import { activitiesOfClusters } from '../workflows/runtime/activity-places.ts';
import { createDataConverter } from './crypto/codec/data-converter.ts';
import { examineClock } from './doctor/clock.ts';
import { createLogger, installRuntime, type Logger } from './config/log.ts';
import { createPorts, type Ports } from './ports.ts';
import { howToAdd, registerSearchAttributes } from './temporal/search-attributes.ts';
import { sealResultsInterceptor } from './crypto/codec/seal-results.ts';
import { logFieldsInterceptor } from './temporal/interceptors/log-fields.ts';
import { createSessionInterceptor, sessionOn } from './temporal/interceptors/session.ts';
import { sideEffectsInterceptor } from './temporal/interceptors/side-effects.ts';
import { thisRelease } from './releases/build-id.ts';
import { deploymentVersion } from './releases/deployment.ts';
import { MissingKeyError, requireKeys } from './releases/require-keys.ts';
import { type WorkflowCode, workflowCode } from './releases/workflow-code.ts';
import { endWhenStalled } from './temporal/stall/end-when-stalled.ts';
import { servedClusters } from './config/network.ts';
import { noPolls, notReady, type PollState, readyFileOf, whyNotReady } from './temporal/poll-watch.ts';
import { networkPolls, queueOfNetwork, WORKFLOWS_QUEUE } from './temporal/pollers.ts';
import { beginProposals } from './temporal/proposals.ts';
import { noQueuePolls, type QueuePolls } from './temporal/watch-networks.ts';
import { type Watched, watchConnection } from './watch-connection.ts';
import { watchSteps } from './telemetry/annotations/watch.ts';
import { openMetrics } from './telemetry/metrics/open.ts';
import { type OpenTracing, openTracing } from './telemetry/tracing/open.ts';
import { isRefusal, type TemporalSettings, temporalSettings, TemporalUnreachableError, why } from './temporal/connection.ts';
import { connectNatively } from './temporal/connect-natively.ts';

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5_000;

/** Runs until the signal aborts; then finishes what it can within 30 seconds. Throws where waiting cannot help (credentials refused, wrong keys, a port in use). */
export async function runWorker(options: { config: Config; signal: AbortSignal; network?: string; log?: Logger }): Promise<void> {
  const log = options.log ?? createLogger('belay-worker');
  const polls = noPolls();
  const networks = networksOf(options.config);
  const queuePolls = noQueuePolls(networks.keys());
  const metrics = await openMetrics({
    component: 'worker',
    config: options.config,
    env: process.env,
    notReady: () => whyNotReady(polls),
    polledAtS: () => polls.polledAtS,
    // A worker of a network does not look at other queues.
    ...(options.network === undefined ? { queuePolls } : {}),
    log,
  });
  const stopAnnotating = watchSteps({
    component: 'worker',
    config: options.config,
    env: process.env,
    warn: (message) => log.warn(message),
  });
  let tracing: OpenTracing | undefined;
  try {
    tracing = await openTracing({ component: 'worker', env: process.env, log });
    installRuntime(log, metrics?.sdk);
    await workUntil({ ...options, log, polls, networks, queuePolls, tracing, bundled: (bundle) => metrics?.bundled(bundle) });
  } finally {
    await tracing?.close();
    await stopAnnotating();
    await metrics?.close();
  }
  log.info('worker stopped');
}

async function workUntil(options: {
  config: Config;
  signal: AbortSignal;
  network?: string;
  log: Logger;
  polls: PollState;
  networks: Watched['networks'];
  queuePolls: QueuePolls;
  tracing: OpenTracing;
  /** Told which workflow code is run. */
  bundled: (bundle: string) => void;
}): Promise<void> {
  const { config, network, log, polls, networks, queuePolls } = options;
  const readyFile = readyFileOf(process.env);
  notReady(readyFile);
  const settingsNow = (): TemporalSettings => temporalSettings(config.temporal);
  const settings = settingsNow();
  const { namespace } = settings;
  // Versions are of workflow code, which a worker of a network does not run.
  const version = network === undefined ? deploymentVersion(process.env) : undefined;
  const dataConverter = createDataConverter(process.env, 'worker');
  const missing: string[] = [];
  const connections: NativeConnection[] = [];
  const connection = (): NativeConnection => {
    const [newest] = connections.slice(-1);
    if (newest === undefined) throw new Error('this worker is not connected to Temporal');
    return newest;
  };
  const isPolled = async (of: string): Promise<boolean> => (await networkPolls(connection(), namespace, of)).identities.length > 0;
  const ports = createPorts(config, {
    namespace,
    missingSearchAttributes: () => missing,
    isPolled,
    warn: (fields, message) => log.warn(fields, message),
    ...(network === undefined ? { connection } : { network }),
  });
  // Beside the work: a clock that is off is said, and an AWS that is away holds nothing up.
  void examineClock({ ...config, clusterNames: servedClusters(config, network) }, ports.clients, log);
  const code = network === undefined ? await workflowCode(dataConverter, version, log) : undefined;
  if (code !== undefined) options.bundled(code.bundle);
  const stopWatching = endWhenStalled();
  try {
    await runAgainAndAgain({
      settings,
      settingsNow,
      readyFile,
      polls,
      dataConverter,
      version,
      queue: network === undefined ? WORKFLOWS_QUEUE : queueOfNetwork(network),
      networks,
      queuePolls,
      connections,
      code: code?.options ?? { buildId: `eks-belay@${thisRelease()}` },
      tracing: options.tracing,
      activities: network === undefined ? ports.activities : activitiesOfClusters(ports.activities),
      ports,
      missing,
      isProposing: config.proposals !== undefined,
      signal: options.signal,
      log,
    });
  } finally {
    await stopWatching();
    await ports.close();
  }
}

interface Running extends Watched {
  dataConverter: DataConverter;
  /** The newest last; what there is belongs to the worker that runs. */
  connections: NativeConnection[];
  code: WorkflowCode['options'] | { buildId: string };
  tracing: OpenTracing;
  activities: Partial<BelayActivities>;
  ports: Ports;
  /** Search attributes that the namespace lacks: what runs that begin now do without. */
  missing: string[];
  isProposing: boolean;
  signal: AbortSignal;
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
      if (error instanceof MissingKeyError || (error instanceof TemporalUnreachableError && error.trouble !== undefined)) throw error;
      if (isRefusal(error)) throw new TemporalUnreachableError(settings, error);
      log.warn({ address: settings.address, why: why(error) }, 'Temporal is not there; trying again');
    }
    if (performance.now() - startedAt > 30_000) retryMs = FIRST_RETRY_MS;
    if (!signal.aborted) await sleep(retryMs, undefined, { signal }).catch(() => undefined);
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  }
}

async function knowSearchAttributes(connection: NativeConnection, { settings, missing, log }: Running): Promise<void> {
  const found = await registerSearchAttributes(connection, settings.namespace);
  missing.splice(0, missing.length, ...found.missing);
  if (found.added.length > 0) log.info({ added: found.added }, 'search attributes registered');
  if (missing.length === 0) return;
  const how = howToAdd(missing, settings.namespace, settings.address);
  log.warn(
    { missing, why: found.refused },
    `search attributes are missing and this worker may not add them; upgrades run without them and are only harder to find. Add them, then restart the worker: ${how}`,
  );
}

async function runOnce(running: Running): Promise<void> {
  const { settings, queue, connections, log, signal } = running;
  const first = await connectNatively(running.settingsNow());
  connections.push(first);
  try {
    if (queue.type === 'workflow') await knowSearchAttributes(first, running);
    await requireKeys(first, settings.namespace, log);
    const { dataConverter, isProposing: isOn } = running;
    if (queue.type === 'workflow') await beginProposals(first, { namespace: settings.namespace, dataConverter, isOn, log });
    const session = sessionOn(() => worker.connection ?? first, settings.namespace, running.ports);
    const worker = await Worker.create({
      connection: first,
      namespace: settings.namespace,
      taskQueue: queue.name,
      dataConverter: running.dataConverter,
      ...running.code,
      activities: running.activities,
      interceptors: {
        activity: [
          logFieldsInterceptor,
          ...running.tracing.activities,
          sealResultsInterceptor,
          sideEffectsInterceptor,
          createSessionInterceptor(session),
          translateErrorsInterceptor,
          keepAliveInterceptor,
        ],
      },
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
    const buildId = running.version?.buildId ?? running.code.buildId;
    log.info({ address: settings.address, namespace: settings.namespace, taskQueue: queue.name, buildId }, 'worker is polling');
    const watching = watchConnection(running, worker, connections);
    try {
      await worker.run();
    } finally {
      signal.removeEventListener('abort', stop);
      await watching();
    }
  } finally {
    for (const connection of connections.splice(0)) await connection.close().catch(() => undefined);
  }
}
