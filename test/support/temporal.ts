/** A real Temporal dev server and a real worker for workflow tests: one server per test file, the bundle built once. */
import { fileURLToPath } from 'node:url';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  bundleWorkflowCode,
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import type { BelayActivities } from '../../activities/contract.ts';
import { SEARCH_ATTRIBUTES } from '../../workflows/messages.ts';
import { temporalCli } from './temporal-cli.ts';

let bundle: Promise<WorkflowBundleWithSourceMap> | undefined;

export function workflowBundle(): Promise<WorkflowBundleWithSourceMap> {
  bundle ??= bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
  return bundle;
}

/** Before anything else of the SDK: tests provoke the core's warnings on purpose, and they would bury everything else. */
export function quietRuntime(): void {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
  });
}

export async function startTemporal(): Promise<TestWorkflowEnvironment> {
  quietRuntime();
  return TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path: temporalCli() },
      log: { format: 'json', level: 'error' },
      extraArgs: [
        ...SEARCH_ATTRIBUTES.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
        '--sqlite-pragma',
        'journal_mode=WAL',
        '--sqlite-pragma',
        'synchronous=OFF',
      ],
    },
  });
}

export async function startWorker(env: TestWorkflowEnvironment, activities: BelayActivities, taskQueue: string): Promise<Worker> {
  return Worker.create({
    connection: env.nativeConnection,
    namespace: env.namespace ?? 'default',
    taskQueue,
    workflowBundle: await workflowBundle(),
    activities,
    stickyQueueScheduleToStartTimeout: '1s',
    maxHeartbeatThrottleInterval: '1s',
  });
}
