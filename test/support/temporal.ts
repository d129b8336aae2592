/** A real Temporal dev server and a real worker for workflow tests: one server per test file. */
import { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  Worker,
  type WorkerOptions,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import { sealResultsInterceptor } from '../../worker/crypto/codec/seal-results.ts';
import { nativeOptions } from '../../worker/temporal/connect-natively.ts';
import { type WorkflowBundleOptions, workflowBundle as bundleOf } from '../../worker/temporal/workflow-bundle.ts';
import { startDevServer } from './temporal-server.ts';

/** Belay's workflows as they are, or with parts that a test or the environment brings. */
export function workflowBundle(parts: Omit<WorkflowBundleOptions, 'logger'> = {}): Promise<WorkflowBundleWithSourceMap> {
  const key = JSON.stringify(parts);
  const bundle = bundles.get(key) ?? bundleOf({ ...parts, logger: new DefaultLogger('ERROR') });
  bundles.set(key, bundle);
  return bundle;
}

/** A process plays many files, and their code is the same: found once. */
const bundles = new Map<string, Promise<WorkflowBundleWithSourceMap>>();

let said: DefaultLogger | undefined;

/**
 * Before anything else of the SDK: tests provoke the core's warnings on purpose, and they would bury everything else. A process has one runtime,
 * and plays many test files: its logger is that of the file that runs.
 */
export function quietRuntime(logger = new DefaultLogger('ERROR')): void {
  const isFirst = said === undefined;
  said = logger;
  if (!isFirst) return;
  Runtime.install({
    logger: new DefaultLogger('TRACE', (entry) => said?.log(entry.level, entry.message, entry.meta)),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
  });
}

/** The server that all files of a suite share, where the suite has started one. */
export const SHARED_SERVER = 'BELAY_TEST_TEMPORAL_ADDRESS';

export async function startTemporal(logger?: DefaultLogger): Promise<TestWorkflowEnvironment> {
  quietRuntime(logger);
  const shared = process.env[SHARED_SERVER];
  if (shared !== undefined) return environmentAt(shared);
  const server = await startDevServer();
  const env = await environmentAt(server.address);
  const disconnect = env.teardown.bind(env);
  env.teardown = async () => {
    await disconnect();
    await server.stop();
  };
  return env;
}

/** Its workers connect as Belay's own do. */
const environmentAt = (address: string): Promise<TestWorkflowEnvironment> =>
  TestWorkflowEnvironment.createFromExistingServer({
    address,
    plugins: [{ name: 'as Belay connects', configureNativeConnection: (options) => ({ ...options, ...nativeOptions({ address }) }) }],
  });

export async function startWorker(
  env: Pick<TestWorkflowEnvironment, 'nativeConnection' | 'namespace'>,
  activities: BelayActivities,
  taskQueue: string,
  options: Partial<Pick<WorkerOptions, 'buildId' | 'dataConverter' | 'interceptors' | 'maxCachedWorkflows' | 'workerDeploymentOptions'>> & {
    bundle?: Promise<WorkflowBundleWithSourceMap>;
  } = {},
): Promise<Worker> {
  const { bundle = workflowBundle(), ...more } = options;
  return Worker.create({
    connection: env.nativeConnection,
    namespace: env.namespace ?? 'default',
    taskQueue,
    workflowBundle: await bundle,
    activities,
    interceptors: { activity: [sealResultsInterceptor] },
    stickyQueueScheduleToStartTimeout: '1s',
    maxHeartbeatThrottleInterval: '1s',
    ...more,
  });
}
