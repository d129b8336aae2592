/** The worker process: runs workflows and activities, and outlives the Temporal server. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataConverter } from '@temporalio/common';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { keepAliveInterceptor } from '../activities/runtime/keep-alive.ts';
import { translateErrorsInterceptor } from '../activities/runtime/translate-errors.ts';
import type { DeploymentVersion } from '../client/worker-deployments.ts';
import type { Config } from '../domain/policy/config/config.ts';
import { TASK_QUEUE } from '../workflows/contract/ids.ts';
import { createDataConverter } from './codec/data-converter.ts';
import { examineClock } from './doctor/clock.ts';
import { parentIn, rememberingParents } from './interceptors/grants.ts';
import { createLogger, installRuntime, type Logger, warningsTo } from './config/log.ts';
import { createPorts, type Ports } from './ports.ts';
import { howToAdd, registerSearchAttributes } from './temporal/search-attributes.ts';
import { sealResultsInterceptor } from './codec/seal-results.ts';
import { createSessionInterceptor } from './interceptors/session.ts';
import { sideEffectsInterceptor } from './interceptors/side-effects.ts';
import { buildIdOf, thisRelease } from './releases/build-id.ts';
import { deploymentVersion, versioningOptions } from './releases/deployment.ts';
import { watchReleases } from './releases/watch-releases.ts';
import { endWhenStalled } from './stall/end-when-stalled.ts';
import { noPolls, notReady, type PollState, readyFileOf, watchPolls, whyNotReady } from './temporal/poll-watch.ts';
import { openMetrics } from './metrics/open.ts';
import { isRefusal, type TemporalSettings, temporalSettings, TemporalUnreachableError, why } from './temporal/connection.ts';
import { connectNatively } from './temporal/connect-natively.ts';
import { watchCredentialFiles } from './temporal/credential-files.ts';
import { bundleId, workflowBundle, type WorkflowBundleOptions } from './temporal/workflow-bundle.ts';

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5_000;

/** Runs until the signal aborts; then finishes what it can within 30 seconds. Throws where waiting cannot help (credentials refused, wrong keys, a port in use). */
export async function runWorker(options: { config: Config; signal: AbortSignal; log?: Logger }): Promise<void> {
  const log = options.log ?? createLogger('belay-worker');
  const polls = noPolls();
  const metrics = await openMetrics({
    component: 'worker',
    config: options.config,
    env: process.env,
    notReady: () => whyNotReady(polls),
    polledAtS: () => polls.polledAtS,
    log,
  });
  try {
    installRuntime(log, metrics?.sdk);
    await workUntil({ ...options, log, polls, bundled: (bundle) => metrics?.bundled(bundle) });
  } finally {
    await metrics?.close();
  }
  log.info('worker stopped');
}

/** Ends as runWorker does. */
async function workUntil(options: {
  config: Config;
  signal: AbortSignal;
  log: Logger;
  polls: PollState;
  /** Told which workflow code is run. */
  bundled: (bundle: string) => void;
}): Promise<void> {
  const { log, polls } = options;
  const readyFile = readyFileOf(process.env);
  notReady(readyFile);
  const settingsNow = (): TemporalSettings => temporalSettings(options.config.temporal);
  const settings = settingsNow();
  const version = deploymentVersion(process.env);
  const dataConverter = createDataConverter(process.env, 'worker');
  const missing: string[] = [];
  const ports = createPorts(options.config, { namespace: settings.namespace, missingSearchAttributes: () => missing });
  // Beside the work: a clock that is off is said, and an AWS that is away holds nothing up.
  void examineClock(options.config, ports.clients, log);
  const code = await workflowCode(dataConverter, version, log);
  options.bundled(code.bundle);
  const stopWatching = endWhenStalled();
  try {
    await runAgainAndAgain({
      settings,
      settingsNow,
      readyFile,
      polls,
      dataConverter,
      version,
      code,
      ports,
      missing,
      signal: options.signal,
      log,
    });
  } finally {
    await stopWatching();
    await ports.close();
  }
}

interface Running {
  settings: TemporalSettings;
  /** With the credentials of this moment. */
  settingsNow: () => TemporalSettings;
  readyFile: string | undefined;
  polls: PollState;
  dataConverter: DataConverter;
  version: DeploymentVersion | undefined;
  code: WorkflowCode;
  ports: Ports;
  /** Search attributes that the namespace lacks: what runs that begin now do without. */
  missing: string[];
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
      if (error instanceof TemporalUnreachableError && error.trouble !== undefined) throw error;
      if (isRefusal(error)) throw new TemporalUnreachableError(settings, error);
      log.warn({ address: settings.address, why: why(error) }, 'Temporal is not there; trying again');
    }
    if (performance.now() - startedAt > 30_000) retryMs = FIRST_RETRY_MS;
    if (!signal.aborted) await sleep(retryMs, undefined, { signal }).catch(() => undefined);
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  }
}

interface WorkflowCode {
  /** Of workflow-bundle.ts, `bundleId`. */
  bundle: string;
  /** The bundle, and by what Temporal knows it. */
  options: Pick<WorkerOptions, 'workflowBundle' | 'workerDeploymentOptions' | 'buildId'>;
}

async function workflowCode(
  { failureConverterPath }: DataConverter,
  version: DeploymentVersion | undefined,
  log: Logger,
): Promise<WorkflowCode> {
  const options: WorkflowBundleOptions = { failureConverterPath, versioned: version !== undefined, logger: warningsTo(log) };
  const bundle = bundleId(options);
  const known =
    version === undefined ? { buildId: buildIdOf(thisRelease(), bundle) } : { workerDeploymentOptions: versioningOptions(version) };
  return { bundle, options: { workflowBundle: await workflowBundle(options), ...known } };
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
  const { settings, log, signal } = running;
  const first = await connectNatively(running.settingsNow());
  const connections = [first];
  try {
    await knowSearchAttributes(first, running);
    const parentOf = rememberingParents((execution) => parentIn(worker.connection ?? first, settings.namespace, execution));
    const worker = await Worker.create({
      connection: first,
      namespace: settings.namespace,
      taskQueue: TASK_QUEUE,
      dataConverter: running.dataConverter,
      ...running.code.options,
      activities: running.ports.activities,
      interceptors: {
        activity: [
          sealResultsInterceptor,
          sideEffectsInterceptor,
          createSessionInterceptor({ ...running.ports, parentOf }),
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
    const buildId = running.version?.buildId ?? running.code.options.buildId;
    log.info({ address: settings.address, namespace: settings.namespace, taskQueue: TASK_QUEUE, buildId }, 'worker is polling');
    const watching = watchConnection(running, worker, connections);
    try {
      await worker.run();
    } finally {
      signal.removeEventListener('abort', stop);
      await watching();
    }
  } finally {
    for (const connection of connections) await connection.close().catch(() => undefined);
  }
}

/** Polls that are refused are said, and credentials that are renewed are used, while the worker runs. Connections that are made are added to the list. */
function watchConnection(
  { settings, settingsNow, readyFile, polls: state, version, log }: Running,
  worker: Worker,
  connections: NativeConnection[],
): () => Promise<void> {
  const now = (): NativeConnection | undefined => connections.at(-1);
  const stop = new AbortController();
  const { identity } = worker.options;
  const { namespace } = settings;
  const polls = watchPolls({ connection: now, namespace, identity, log, readyFile, state }, stop.signal);
  const releases = watchReleases({ connection: now, namespace, version, log }, stop.signal);
  const stopLooking = watchCredentialFiles({
    async apiKey(key) {
      await now()?.setApiKey(key);
      log.info({}, 'the API key of Temporal was read anew');
    },
    async certificates() {
      // The one before is closed at the end: polls that wait are still on it.
      const next = await NativeConnection.connect(settingsNow().connection);
      connections.push(next);
      worker.connection = next;
      log.info({}, 'connected to Temporal with new certificates');
    },
    failed: (reason) => log.warn({ why: reason }, 'the changed credentials of Temporal cannot be used; trying again'),
  });
  return async () => {
    stop.abort();
    await stopLooking();
    await Promise.all([polls, releases]);
  };
}
