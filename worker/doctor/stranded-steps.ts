/** Steps that are pinned to a version whose workers are gone: they stand still, and Temporal calls that no error. */
import { type DeploymentVersion, shellWord, type ServiceConnection } from '../../client/calls/worker-deployments.ts';
import { count, someOf } from '../../domain/core/text.ts';
import { TASK_QUEUE } from '../../workflows/contract/ids.ts';
import { pinnedOn, pinnedSteps, VERSION } from '../releases/pinned-steps.ts';
import type { Diagnosis } from './types.ts';

/** `polling`: versions with a worker that lives. One diagnosis per version without. Throws what the server answers. */
export async function examineStranded(
  connection: ServiceConnection,
  namespace: string,
  polling: readonly DeploymentVersion[],
): Promise<Diagnosis[]> {
  const stranded = Map.groupBy(await pinnedSteps(connection, namespace), ({ version }) => version);
  for (const { deploymentName, buildId } of polling) stranded.delete(`${deploymentName}:${buildId}`);
  return [...stranded].map(([version, steps]): Diagnosis => {
    const ids = someOf(steps.map(({ workflowId }) => workflowId));
    const message = `${count(steps.length, 'open step')} pinned to ${version}, of which no worker polls: ${ids}`;
    return { area: 'Temporal', status: 'failed', message, fix: fixOf(version, namespace, polling) };
  });
}

function fixOf(version: string, namespace: string, polling: readonly DeploymentVersion[]): string {
  const start = 'start a worker of that version';
  const to = polling.find(({ deploymentName }) => version.startsWith(`${deploymentName}:`));
  if (to === undefined) return start;
  const query = `${pinnedOn(TASK_QUEUE)} AND ${VERSION} = '${version}'`;
  const target = `--versioning-override-deployment-name ${shellWord(to.deploymentName)} --versioning-override-build-id ${shellWord(to.buildId)}`;
  return `${start}, or move them to one that polls: temporal workflow update-options --namespace ${shellWord(namespace)} --query "${query}" --versioning-override-behavior pinned ${target}`;
}
