/** The workflow code that a worker runs, and by what Temporal knows it. */
import type { DataConverter } from '@temporalio/common';
import type { WorkerOptions } from '@temporalio/worker';
import type { DeploymentVersion } from '../../client/calls/worker-deployments.ts';
import { type Logger, warningsTo } from '../config/log.ts';
import { bundleId, workflowBundle, type WorkflowBundleOptions } from '../temporal/workflow-bundle.ts';
import { buildIdOf, thisRelease } from './build-id.ts';
import { versioningOptions } from './deployment.ts';

export interface WorkflowCode {
  /** Of workflow-bundle.ts, `bundleId`. */
  bundle: string;
  /** The bundle, and by what Temporal knows it. */
  options: Pick<WorkerOptions, 'workflowBundle' | 'workerDeploymentOptions' | 'buildId'>;
}

export async function workflowCode(
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
