/** Looks at the workers of the queue: whether there are any, with how many releases, and whether deployments route work to them. */
import {
  currentBuildId,
  type DeploymentVersion,
  type ServiceConnection,
  setCurrentCommand,
} from '../../client/calls/worker-deployments.ts';
import { TASK_QUEUE } from '../../workflows/contract/ids.ts';
import { thisRelease } from '../releases/build-id.ts';
import { deploymentVersion } from '../releases/deployment.ts';
import { NEWER_FIX, newerWords, runsOfNewerReleases } from '../releases/newer-releases.ts';
import { alive, peersOn, type ReleaseFault, releaseFaults, versionsOf } from '../releases/peers.ts';
import { MIXED_MODES_FIX, mixedModes, TWO_RELEASES_FIX, twoReleases } from '../releases/watch-releases.ts';
import { examineStranded } from './stranded-steps.ts';
import { type Diagnosis, said } from './types.ts';

const area = 'Temporal';

/** Throws what the server answers to a list of workers. */
export async function examineReleases(connection: ServiceConnection, namespace: string, env: NodeJS.ProcessEnv): Promise<Diagnosis[]> {
  const peers = alive(await peersOn(connection, namespace));
  const names = peers.map(({ identity }) => identity);
  const workers: Diagnosis =
    names.length > 0
      ? { area, status: 'ok', message: `${names.length} on task queue "${TASK_QUEUE}": ${names.join(', ')}` }
      : { area, status: 'failed', message: `no worker polls task queue "${TASK_QUEUE}"`, fix: 'start "belay worker"' };
  const polling = versionsOf(peers);
  const newer = await runsOfNewerReleases(connection, namespace, thisRelease());
  return [
    workers,
    ...releaseFaults(peers).map(diagnosisOf),
    ...(newer.length === 0 ? [] : [{ area, status: 'warning', message: newerWords(newer, thisRelease()), fix: NEWER_FIX } as const]),
    ...(await examineStranded(connection, namespace, polling)),
    ...(await examineDeployments(connection, namespace, polling, env)),
  ];
}

/** Dead workers are told apart by the time of their last poll, so one that has just died may still be listed. */
function diagnosisOf(fault: ReleaseFault): Diagnosis {
  if (fault.kind === 'mixed-modes')
    return { area, status: 'failed', message: mixedModes(fault.versioned, fault.without), fix: MIXED_MODES_FIX };
  const fix = `${TWO_RELEASES_FIX}; after a worker was replaced, check again in two minutes`;
  return { area, status: 'failed', message: twoReleases(fault.peers), fix };
}

async function examineDeployments(
  connection: ServiceConnection,
  namespace: string,
  polling: readonly DeploymentVersion[],
  env: NodeJS.ProcessEnv,
): Promise<Diagnosis[]> {
  let own: DeploymentVersion | undefined;
  try {
    own = deploymentVersion(env);
  } catch (error) {
    return [{ area, status: 'failed', message: said(error), fix: 'set both variables, or neither: the worker does not start like this' }];
  }
  const byName = Map.groupBy([...polling, ...(own === undefined ? [] : [own])], ({ deploymentName }) => deploymentName);
  return await Promise.all([...byName].map(([name, versions]) => examineDeployment(connection, namespace, { name, versions, polling })));
}

/** `polling`: versions with a worker that lives. */
async function examineDeployment(
  connection: ServiceConnection,
  namespace: string,
  { name, versions, polling }: { name: string; versions: readonly DeploymentVersion[]; polling: readonly DeploymentVersion[] },
): Promise<Diagnosis> {
  let current: string | undefined;
  try {
    current = await currentBuildId(connection, namespace, name);
  } catch (error) {
    const fix = 'let this key read worker deployments, or look in Temporal UI under Deployments';
    return { area, status: 'unknown', message: `deployment ${name} cannot be read (${said(error)})`, fix };
  }
  const builds = [...new Set(versions.map(({ buildId }) => buildId))];
  const commands = builds.map((buildId) => setCurrentCommand({ deploymentName: name, buildId }, namespace)).join(' or ');
  if (current === undefined)
    return { area, status: 'failed', message: `deployment ${name} has no Current version, so no run starts or continues`, fix: commands };
  if (polling.some(({ deploymentName, buildId }) => deploymentName === name && buildId === current))
    return { area, status: 'ok', message: `deployment ${name} routes new work to ${current}` };
  const fix = `start a worker of it${builds.includes(current) ? '' : `, or ${commands}`}`;
  return { area, status: 'failed', message: `deployment ${name} routes new work to ${current}, and no worker of it polls`, fix };
}
