/**
 * Worker versioning, which Temporal's worker controller switches on by two variables: workers of different releases then share the queue, and the server
 * decides by the deployment's Current version who gets what (https://docs.temporal.io/worker-versioning).
 */
import type { WorkerDeploymentOptions } from '@temporalio/worker';
import type { DeploymentVersion } from '../../client/calls/worker-deployments.ts';

/** Set by the worker controller on its pods: https://github.com/temporalio/temporal-worker-controller */
const NAME = 'TEMPORAL_DEPLOYMENT_NAME';
const BUILD = 'TEMPORAL_WORKER_BUILD_ID';

/** undefined: this worker has no versions. Throws an Error that names the missing variable where one of both is set. */
export function deploymentVersion(env: NodeJS.ProcessEnv): DeploymentVersion | undefined {
  const deploymentName = env[NAME] || undefined;
  const buildId = env[BUILD] || undefined;
  if (deploymentName !== undefined && buildId !== undefined) return { deploymentName, buildId };
  if (deploymentName === undefined && buildId === undefined) return undefined;
  const [set, missing] = deploymentName === undefined ? [BUILD, NAME] : [NAME, BUILD];
  throw new Error(`${set} is set and ${missing} is not. Worker versioning needs both; without it, unset ${set}.`);
}

/** Runs, guards, clocks and requests move on to the Current version; workflows/pin-steps.ts keeps steps where they began. */
export const versioningOptions = (version: DeploymentVersion): WorkerDeploymentOptions => ({
  version,
  useWorkerVersioning: true,
  defaultVersioningBehavior: 'AUTO_UPGRADE',
});
