/** Refuses guests, bots, people who have left and people of other organisations before anything is asked of Temporal in their name. */
import { messageOf } from '../../domain/core/unknown.ts';
import type { SlackDeps } from './deps.ts';
import { auditPerson, personRefused, personUnknown } from '../messages/refusals.ts';

/** Why nothing is done for them, as a sentence; undefined: they may go on. What Slack does not say is a no. */
export async function whyRefused(
  { people, upgrades, log }: Pick<SlackDeps, 'people' | 'upgrades' | 'log'>,
  userId: string,
): Promise<string | undefined> {
  try {
    const why = await people.whyNotMember(userId);
    if (why === undefined) return undefined;
    log.warn(`refused ${userId}: ${why}`);
    upgrades.refused({ what: auditPerson(why), actor: { kind: 'slack', id: userId } });
    return personRefused(why);
  } catch (error) {
    log.warn(`refused ${userId}: ${messageOf(error)}`);
    return personUnknown();
  }
}
