/** A real Temporal dev server and a real worker for workflow tests: one server per test file, the bundle built once. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { DataConverter } from '@temporalio/common';
import { DefaultLogger, makeTelemetryFilterString, Runtime, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import { sealResultsInterceptor } from '../../worker/codec/seal-results.ts';
import { buildWorkflowBundle, type WorkflowBundleOptions } from '../../worker/temporal/workflow-bundle.ts';
import { startDevServer } from './temporal-server.ts';

let bundle: Promise<WorkflowBundleWithSourceMap> | undefined;

/** Belay's workflows as they are. Two seconds of work: the test files of one run share it through a file. */
export function workflowBundle(): Promise<WorkflowBundleWithSourceMap> {
  bundle ??= shared(process.env['BELAY_TEST_BUNDLE']);
  return bundle;
}

async function shared(file: string | undefined): Promise<WorkflowBundleWithSourceMap> {
  if (file === undefined) return bundleWith({});
  if (!existsSync(file)) {
    // Two files that begin at once both build it; neither meets one that is half written.
    const part = `${file}.${process.pid}`;
    writeFileSync(part, JSON.stringify(await bundleWith({})));
    renameSync(part, file);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as WorkflowBundleWithSourceMap;
}

/** Belay's workflows, with parts that a test or the environment brings. */
export function bundleWith(parts: Omit<WorkflowBundleOptions, 'logger'>): Promise<WorkflowBundleWithSourceMap> {
  return buildWorkflowBundle({ ...parts, logger: new DefaultLogger('ERROR') });
}

/** Before anything else of the SDK: tests provoke the core's warnings on purpose, and they would bury everything else. */
export function quietRuntime(logger = new DefaultLogger('ERROR')): void {
  Runtime.install({
    logger,
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
  });
}

export async function startTemporal(logger?: DefaultLogger): Promise<TestWorkflowEnvironment> {
  quietRuntime(logger);
  const server = await startDevServer();
  const env = await TestWorkflowEnvironment.createFromExistingServer({ address: server.address });
  const disconnect = env.teardown.bind(env);
  env.teardown = async () => {
    await disconnect();
    await server.stop();
  };
  return env;
}

export async function startWorker(
  env: Pick<TestWorkflowEnvironment, 'nativeConnection' | 'namespace'>,
  activities: BelayActivities,
  taskQueue: string,
  options: { bundle?: Promise<WorkflowBundleWithSourceMap>; dataConverter?: DataConverter; maxCachedWorkflows?: number } = {},
): Promise<Worker> {
  return Worker.create({
    connection: env.nativeConnection,
    namespace: env.namespace ?? 'default',
    taskQueue,
    workflowBundle: await (options.bundle ?? workflowBundle()),
    dataConverter: options.dataConverter,
    activities,
    interceptors: { activity: [sealResultsInterceptor] },
    ...(options.maxCachedWorkflows === undefined ? {} : { maxCachedWorkflows: options.maxCachedWorkflows }),
    stickyQueueScheduleToStartTimeout: '1s',
    maxHeartbeatThrottleInterval: '1s',
  });
}
