/** When a worker has versions, which workflows stay on theirs, and which command makes one Current. */
import { describe, expect, test } from 'vitest';
import { buildIdOf, releaseWords, thisRelease } from '../../../worker/releases/build-id.ts';
import { setCurrentCommand } from '../../../client/calls/worker-deployments.ts';
import { deploymentVersion, versioningOptions } from '../../../worker/releases/deployment.ts';
import { PHASE_WORKFLOWS } from '../../../workflows/contract/phase-workflows.ts';
import * as workflows from '../../../workflows/index.ts';
import '../../../workflows/pin-steps.ts';

describe('O42: the variables of the worker controller', () => {
  test('both are passed on as they are', () => {
    const version = deploymentVersion({ TEMPORAL_DEPLOYMENT_NAME: 'belay/worker', TEMPORAL_WORKER_BUILD_ID: 'v0-2-0-3f2a' });
    expect(version).toEqual({ deploymentName: 'belay/worker', buildId: 'v0-2-0-3f2a' });
    expect(versioningOptions(version ?? { deploymentName: '', buildId: '' })).toEqual({
      version,
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    });
  });

  test.each([[{}], [{ TEMPORAL_DEPLOYMENT_NAME: '', TEMPORAL_WORKER_BUILD_ID: '' }]])('none of them is no version: %j', (env) => {
    expect(deploymentVersion(env)).toBeUndefined();
  });

  test.each([
    [
      { TEMPORAL_DEPLOYMENT_NAME: 'belay' },
      'TEMPORAL_DEPLOYMENT_NAME is set and TEMPORAL_WORKER_BUILD_ID is not. Worker versioning needs both; without it, unset TEMPORAL_DEPLOYMENT_NAME.',
    ],
    [
      { TEMPORAL_WORKER_BUILD_ID: 'v2', TEMPORAL_DEPLOYMENT_NAME: '' },
      'TEMPORAL_WORKER_BUILD_ID is set and TEMPORAL_DEPLOYMENT_NAME is not. Worker versioning needs both; without it, unset TEMPORAL_WORKER_BUILD_ID.',
    ],
  ])('one of them alone is refused, and the other is named: %j', (env, message) => {
    expect(() => deploymentVersion(env)).toThrow(message);
  });
});

test('steps are pinned; runs, guards, clocks and requests are not', () => {
  const behaviours = Object.entries(workflows).map(([name, workflow]) => [
    name,
    'workflowDefinitionOptions' in workflow ? workflow.workflowDefinitionOptions : undefined,
  ]);
  const steps: string[] = Object.values(PHASE_WORKFLOWS).filter((name) => name !== 'freezeDrift');
  expect(behaviours.length).toBeGreaterThan(steps.length);
  expect(Object.fromEntries(behaviours)).toEqual(
    Object.fromEntries(Object.keys(workflows).map((name) => [name, steps.includes(name) ? { versioningBehavior: 'PINNED' } : undefined])),
  );
});

test.each([
  [{ deploymentName: 'belay', buildId: 'v0.2.0+3f' }, '--deployment-name belay --build-id v0.2.0+3f --namespace default'],
  [{ deploymentName: "belay's", buildId: 'a b' }, String.raw`--deployment-name 'belay'\''s' --build-id 'a b' --namespace default`],
])('the command that makes a version Current can be pasted into a shell: %j', (version, options) => {
  expect(setCurrentCommand(version, 'default')).toBe(`temporal worker deployment set-current-version ${options}`);
});

test('a build id names the release, and one of others is shown as it is', () => {
  expect(thisRelease()).toMatch(/^\d+\.\d+\.\d+/);
  expect(releaseWords(buildIdOf('0.2.0', '3f2a9c01b7e4'))).toBe('0.2.0 (bundle 3f2a9c01b7e4)');
  expect(releaseWords('@temporalio/worker@1.24.0+1b67')).toBe('@temporalio/worker@1.24.0+1b67');
});
