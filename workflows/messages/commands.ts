/** What a run answers to commands: pause, resume, abort, hand over, another pace; and why it refuses one. */
import { type Actor, actorName } from '../../domain/gates/actor.ts';
import { because } from '../../domain/core/text.ts';
import { AUTOMATIC, PACE_FORM, paceText } from '../../domain/policy/pace.ts';
import { info, type Note, warning } from './note.ts';

/** `running`, `next`: titles of steps. */
export function pauseAccepted(by: Actor, { running, next }: { running: string | undefined; next: string | undefined }): string {
  const held = next === undefined ? '' : ` "${next}" does not start before somebody resumes, however long that takes.`;
  return running === undefined
    ? `Paused by ${actorName(by)}.${held}`
    : `The upgrade pauses once "${running}" has ended; a running step is not interrupted.${held}`;
}

export const alreadyPaused = (): string => 'The upgrade is already paused.';

export const resumed = (by: Actor): string => `Resumed by ${actorName(by)}.`;

export const notPaused = (): string => 'The upgrade is not paused.';

export const abortAccepted = (): string => 'Aborting: Belay waits for what EKS has already started, then undoes its temporary changes.';

export const abortRequestedBy = (by: Actor, reason: string | undefined): Note =>
  warning(`Abort requested by ${actorName(by)}${because(reason)}.`);

export const handedOver = (to: Actor, by: Actor): string => `Handed over to ${actorName(to)} by ${actorName(by)}.`;

export const alreadyTheirs = (owner: Actor): string => `${actorName(owner)} already owns this upgrade.`;

/** Reaches whoever owns the upgrade now. */
export const handedOverToYou = (to: Actor, by: Actor, reason: string | undefined): Note => ({
  ...info(
    `${actorName(by)} handed this upgrade over to you${because(reason)}. Neither of you may approve it, unless belay.yaml allows that (approvals.allowRequester).`,
  ),
  mention: to,
});

/** `headline`: how it ended. */
export const upgradeOver = (headline: string, isEnding: boolean): string =>
  `This upgrade ${isEnding ? 'is ending' : 'has ended'}: ${headline}.`;

export const endedBeforePolicy = (): string => 'The run has ended before it could read its policy.';

/** Of a command that waited for a worker: its sender is no longer there to be answered. */
export const commandRefused = (command: string, by: Actor, why: string): Note =>
  warning(`${actorName(by)} asked to ${command}, and was refused: ${why}`);

export const rightsUnread = (): string => 'Could not check who may do this. Try again.';

export const noRunNamed = (): string => 'The message does not say which run it is for, so nothing was changed.';

export const earlierRun = (): string => 'This is about an earlier run that has ended, so nothing was changed.';

export const paceSet = (pace: string): string =>
  pace === AUTOMATIC
    ? 'The plan sets the pace again.'
    : `From now on Karpenter replaces ${paceText(pace)}; the thread confirms once the budgets are set.`;

export const paceNeedsApproval = (gate: string | undefined): string =>
  `A faster pace needs the approvals of this step: decide at gate ${gate ?? ''} in the thread.`;

export const paceWaitsAlready = (gate: string): string =>
  `Another pace is already waiting for a decision: gate ${gate}. Decide there first.`;

export const notAPace = (text: string): string => `"${text}" is not a pace: ${PACE_FORM}.`;

export const nothingRolls = (): string => 'Karpenter is not replacing nodes for this upgrade now, so there is no pace to change.';

export const paceNotSet = (by: Actor, problem: string): Note =>
  warning(`The pace that ${actorName(by)} requested could not be set: ${problem}`);

/** Why the gate about a pace closed. */
export const rollHasEnded = (): string => 'the roll has ended';

export const otherPaceChosen = (): string => 'another pace was chosen';
