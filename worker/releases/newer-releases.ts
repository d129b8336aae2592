/**
 * Open runs that a newer release has moved on. An older one may not know what they have done: then their workflow tasks fail, the runs stand still, and
 * continue once the newer release is back. Temporal shows that only as a failed task.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import { executionsOn, type ServiceConnection } from '../../client/calls/worker-deployments.ts';
import { agree, count, someOf } from '../../domain/core/text.ts';
import { TASK_QUEUE } from '../../workflows/contract/ids.ts';
import { releaseOf } from './build-id.ts';
import { IS_OPEN } from '../../client/calls/open.ts';

export interface NewerRun {
  workflowId: string;
  /** The newest release that has worked on it. */
  release: string;
}

/** Of workers without versions: build ids of others name no release. Throws what the server answers. */
export async function runsOfNewerReleases(connection: ServiceConnection, namespace: string, release: string): Promise<NewerRun[]> {
  const query = `${IS_OPEN} AND TaskQueue = '${TASK_QUEUE}'`;
  const runs: NewerRun[] = [];
  for await (const { execution, searchAttributes } of executionsOn(connection, { namespace, query })) {
    // "unversioned:eks-belay@0.2.0+…" of each worker that has done a task: https://docs.temporal.io/search-attribute#default-search-attribute
    const buildIds = searchAttributes?.indexedFields?.['BuildIds'];
    const known = buildIds == null ? [] : [defaultPayloadConverter.fromPayload<string | string[]>(buildIds)].flat();
    const newest = known
      .flatMap((buildId) => releaseOf(buildId) ?? [])
      .toSorted(byRelease)
      .at(-1);
    if (newest !== undefined && byRelease(newest, release) > 0) runs.push({ workflowId: execution?.workflowId ?? '?', release: newest });
  }
  return runs;
}

/** Numbers between dots, in order: 0.10.0 is newer than 0.9.1. What follows a hyphen does not count. */
export function byRelease(one: string, other: string): number {
  const [a, b] = [one, other].map((release) => (release.split('-')[0] ?? '').split('.').map(Number));
  for (const index of [0, 1, 2]) {
    const difference = (a?.[index] ?? 0) - (b?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export const NEWER_FIX = 'start the newer release again, unless "belay upgrade-self check" says that this one replays them';

export function newerWords(runs: readonly NewerRun[], release: string): string {
  const newest =
    runs
      .map((run) => run.release)
      .toSorted(byRelease)
      .at(-1) ?? '?';
  const ids = someOf(runs.map(({ workflowId }) => workflowId));
  return `${count(runs.length, 'open run')} ${agree(runs.length, 'was', 'were')} moved on by release ${newest}, which is newer than this one (${release}), and may stand still: ${ids}`;
}
