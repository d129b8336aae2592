/** What `belay apply` says: of its files, and of what came of each Upgrade. */

export const noFiles = (): string => 'Which file? Use belay apply -f upgrade.yaml, or -f - to read stdin.';

export const stdinTwice = (): string => '-f - was given twice, but stdin can be read only once. Leave out one of them.';

export const noSuchUpgradeFile = (file: string): string => `-f ${file}: no such file; docs/upgrade.md shows how to write one.`;

/** `code`: "EACCES". */
export const upgradeFileUnread = (file: string, code: string): string => `-f ${file} cannot be read (${code}); check its permissions.`;

export const tooLarge = (file: string, bytes: number): string =>
  `-f ${file} has more than ${bytes / 1024 / 1024} MiB; name a file of Upgrade documents.`;

/** `at`: "upgrade.yaml:3". `why`: what belay.yaml says. */
export const unknownClusterAt = (at: string, why: string): string => `${at}: spec.cluster: ${why}`;

export const sameClusterTwice = (at: string, cluster: string, first: string): string =>
  `${at}: spec.cluster: ${cluster} already has an Upgrade at ${first}; keep one of them.`;

export const waitsOrNot = (): string => 'Use either --no-wait or --wait-for, not both.';

export const applyStarted = (cluster: string, target: string): string =>
  `${cluster}: upgrade to ${target} started. Nothing is changed before its first gate is decided.`;

export const applyAdopted = (cluster: string, target: string, by: string): string =>
  `${cluster}: an upgrade to ${target} is already running, requested by ${by}. No second one was started.`;

export const applyThere = (cluster: string, target: string): string =>
  `${cluster}: the control plane is already at ${target}. Nothing was started.`;

export const applyWouldStart = (cluster: string, target: string): string =>
  `${cluster}: would start an upgrade to ${target} and wait at its first gate.`;

export const noPlanTo = (cluster: string, target: string): string =>
  `${cluster} cannot be upgraded to ${target}: no plan satisfies all rules; see the remedies above. Nothing was started.`;

/** `way`: what the run does, "1.32 → 1.33". */
export const otherRun = (cluster: string, target: string, way: string): string =>
  `${cluster} already has another run (${way}), not one to ${target}. Nothing was started: wait until that run has ended, or change the target in the file to match it.`;

/** `state`: "stopped", "aborted", "failed". */
export const endedBefore = (cluster: string, target: string, state: string, headline: string): string =>
  `The last upgrade of ${cluster} to ${target} ${state === 'failed' ? 'failed' : `was ${state}`}: ${sentence(headline)} Nothing was started, because apply does not repeat an upgrade that ended this way. To start another, use --again or "belay start ${cluster} --target ${target}".`;

export const wentBackBefore = (cluster: string, target: string, to: string): string =>
  `${cluster} was rolled back from ${target} to ${to} by its last run. Nothing was started: to upgrade it again, use --again or "belay start ${cluster} --target ${target}".`;

/** No worker answers, so what the run does is not known. `why`: a sentence. */
export const runUnread = (cluster: string, why: string): string =>
  `Could not find out whether ${cluster} has to be upgraded, so nothing was started. ${why}`;

export const gateOpen = (cluster: string, gates: readonly string[]): string =>
  `${cluster}: waiting for a decision at ${gates.join(', ')}. Apply approves nothing: decide in Slack or with "belay decide".`;

export const pastFirstGate = (cluster: string, headline: string): string => `${cluster}: its first gate is decided. ${sentence(headline)}`;

export const applyEnded = (cluster: string, state: string, headline: string): string => `${cluster}: ${state}. ${sentence(headline)}`;

/** `limit`: "10 min". `what`: "gate" or "end". */
export const waitedInVain = (cluster: string, what: 'gate' | 'end', limit: string): string =>
  `${cluster}: ${what === 'gate' ? 'no gate opened' : 'the run did not end'} within ${limit}. The run continues: see "belay status ${cluster}", or apply again to wait longer.`;

/** Ctrl-C, or a pipeline that was cancelled. */
export const stoppedWaiting = (cluster: string): string =>
  `${cluster}: stopped waiting. The run continues: see "belay status ${cluster}"; "belay abort ${cluster}" ends it.`;

export const runGone = (cluster: string): string =>
  `${cluster}: the run was terminated in Temporal, without clean-up. "belay reconcile ${cluster}" shows what it left.`;

export const progressOf = (cluster: string, headline: string): string => `${cluster}: ${headline}`;

const sentence = (text: string): string => (text === '' ? '' : `${text.replace(/[.\s]+$/, '')}.`);
