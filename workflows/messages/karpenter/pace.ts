/** How fast a roll goes, and who has changed that. */
import { paceText } from '../../../domain/policy/pace.ts';
import { info, type Note, quietAlarm, warning } from '../note.ts';
import { STOP_BY_HAND } from './freeze.ts';

/** As a sentence, whatever it ends with. */
const full = (problem: string): string => `${problem.replace(/[.\s]+$/, '')}.`;

const replaces = (pace: string): string => `Karpenter replaces ${paceText(pace)}.`;
/** A freeze is a warning: somebody has to end it. */
const changed = (what: string, pace: string): Note => (pace === 'freeze' ? warning : info)(`${what}: ${replaces(pace)}`);

/** `toPlan`: the pace is the plan's again. */
export const paceSet = (who: string, { pace, toPlan, reason }: { pace: string; toPlan: boolean; reason: string | undefined }): Note =>
  changed(`${who} ${toPlan ? 'returns the pace to the plan' : 'sets the pace'}${reason === undefined ? '' : ` (${reason})`}`, pace);

/** On the board: who froze it. */
export const pacedBy = (who: string): string => `by ${who}`;

export const pacedByHealthCheck = (): string => 'by a health check';

export const pacedByGuard = (): string => 'by its new guard';

export const rollHeld = (why: string, pace: string): Note => changed(`The roll is on hold, because ${why}`, pace);

export const rollResumed = (pace: string): Note => changed('The roll continues', pace);

export const rollNotHeld = (problem: string): Note =>
  quietAlarm(
    `The roll could not be held: ${full(problem)} Karpenter keeps replacing nodes: freeze it with the pace buttons, or by hand. ${STOP_BY_HAND}`,
  );

export const rollNotResumed = (problem: string): Note =>
  quietAlarm(`The roll could not be resumed: ${full(problem)} No node is replaced until you choose a pace.`);

/** The guard of the freeze died, and another one has taken its place. */
export const paceSetAgain = (pace: string): Note => changed('The new guard of the freeze has set the pace again', pace);

export const paceNotSetAgain = (problem: string): Note =>
  quietAlarm(`The new guard of the freeze could not set the pace: ${full(problem)} No node is replaced until you choose one.`);

/** Said every day. `who` undefined: the plan. */
export const rollStillFrozen = (who: string | undefined, pace: string): Note =>
  warning(
    `The roll is still stopped: ${who ?? 'the plan'} set a pace at which Karpenter replaces ${paceText(pace)}. Choose another pace to continue.`,
  );

/** Said every day. `why`: what a health check said. */
export const rollStillHeld = (why: string): Note => warning(`The roll is still stopped: ${why}. Decide at the gate of that health check.`);

export const noPaceWithoutFreeze = (who: string): Note => warning(`This run has no freeze, so Belay sets no pace; ${who} asked for one.`);

export const paceNotSet = (who: string, problem: string): Note =>
  quietAlarm(`The pace that ${who} requested could not be set: ${full(problem)} The previous pace stays; choose one again.`);

export const paceTooLate = (who: string): Note => info(`${who} asked for another pace, but the roll has ended.`);
