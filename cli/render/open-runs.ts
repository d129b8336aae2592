/** Open runs and whether they replay, a line each. */
import pc from 'picocolors';
import type { OpenRunsCheck } from '../../worker/releases/check-open-runs.ts';
import { releaseWords } from '../../worker/releases/build-id.ts';
import { allReplay, noOpenRuns, someStay, startedBy } from '../messages/releases.ts';

const MARKS = { replays: pc.green('✓'), breaks: pc.red('✗'), unknown: pc.yellow('?'), stays: pc.dim('·') };

export function renderOpenRuns({ release, namespace, runs }: OpenRunsCheck): string {
  const lines = runs.flatMap(({ workflowId, verdict, why, startedBy: buildId }) => [
    `${MARKS[verdict]} ${workflowId}  ${pc.dim(startedBy(buildId === undefined ? undefined : releaseWords(buildId)))}`,
    ...(why === undefined ? [] : [`    ${why}`]),
  ]);
  if (runs.length === 0) lines.push(noOpenRuns(release, namespace));
  else if (runs.every(({ verdict }) => verdict === 'replays')) lines.push(allReplay(runs.length, release));
  else if (runs.every(({ verdict }) => verdict === 'replays' || verdict === 'stays'))
    lines.push(someStay(runs.filter(({ verdict }) => verdict === 'stays').length, release));
  return lines.join('\n');
}
