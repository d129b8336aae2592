/** What `belay status --watch` says. */

/** `left`: how much work is left, "40 min". */
export const stepsDone = (doneCount: number, stepCount: number, left: string | undefined): string =>
  `${doneCount} of ${stepCount} steps done${left === undefined ? '' : `, about ${left} of work left`}`;

export const paused = (): string => 'Paused: no further step starts until it is resumed.';

export const pastDeadline = (): string => 'that has passed';

/** `who`: "1 of approvers (Slack group S0PLATFORM)"; undefined where it is not known. `by`: "2026-03-03 13:05 (in 2 h)". */
export const gateWaits = ({ who, by, progress, byItself }: { who?: string; by: string; progress?: string; byItself: boolean }): string => {
  const far = progress === undefined ? '' : `; so far ${progress}`;
  if (byItself) return `continues by itself; open until ${by}${far}`;
  return `${who === undefined ? 'needs a decision' : `needs ${who}`} by ${by}${far}`;
};

export const runIs = (state: string, headline: string): string => `${state}: ${headline}`;

/** `state`: of Temporal, "running". */
export const seenByTemporal = (state: string, phase: string | undefined, waitingFor: string | undefined): string =>
  [state, phase === undefined ? '' : `at ${phase}`, waitingFor === undefined || waitingFor === '' ? '' : `waiting for ${waitingFor}`]
    .filter((part) => part !== '')
    .join(', ');

export const stepIs = (step: string, state: string, note: string | undefined): string =>
  `${step}: ${state}${note === undefined ? '' : `, ${note}`}`;

/** `total`: "12 nodes". */
export const stepRolled = (step: string, doneCount: number, total: string): string => `${step}: ${doneCount} of ${total}`;

/** `command`: how it is decided. */
export const gateOpened = (title: string, needs: string, command: string): string => `gate: ${title} ${needs}; ${command}`;

export const gateClosed = (title: string): string => `gate closed: ${title}`;

/** `outcome`: "aborted". */
export const endedAs = (cluster: string, outcome: string): string => `The run of ${cluster} has ended: ${outcome}.`;

export const endUnknown = (cluster: string): string =>
  `The run of ${cluster} has ended. How it ended cannot be read without a worker: see "belay report ${cluster}" or "belay logs ${cluster}".`;

/** Ctrl-C, a pipeline that was cancelled, or a reader that has gone. */
export const stoppedWatching = (cluster: string): string =>
  `${cluster}: stopped watching before the run ended. The run continues: see "belay status ${cluster}".`;

/** `why`: a sentence. `ago`: "12 s". */
export const asOf = (why: string, ago: string): string => `${why} What is shown is ${ago} old.`;

/** `gateId`: where somebody decides on it. */
export const freezeKept = (cluster: string, gateId: string | undefined): string =>
  `${cluster}: the freeze is kept after the run${gateId === undefined ? '' : `, until somebody decides at ${gateId}`}`;

/** Somebody has decided, or a new run answers for it. */
export const freezeOver = (cluster: string): string => `${cluster}: the freeze of the ended run is no longer kept`;

export const ctrlC = (): string => 'Ctrl-C stops watching; the upgrade continues.';
