/** Makes a version of workers the Current one of its deployment, as `temporal worker deployment set-current-version` does. */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { DeploymentVersion } from '../../../client/calls/worker-deployments.ts';
import { eventually } from '../../support/eventually.ts';

/** The server knows it once it has polled. */
export async function makeCurrent({ connection }: TestWorkflowEnvironment, version: DeploymentVersion): Promise<void> {
  await eventually(`${version.buildId} is Current`, () =>
    connection.workflowService
      .setWorkerDeploymentCurrentVersion({ namespace: 'default', identity: 'test', ...version })
      .catch(() => undefined),
  );
}
