/** Refuses guests, bots, people who have left and people of other organisations before anything is asked of Temporal in their name. */
import { messageOf } from '../domain/unknown.ts';
import type { SlackDeps } from './deps.ts';

/** Why nothing is done for them, as a sentence; undefined: they may go on. What Slack does not say is a no. */
export async function whyRefused({ people, log }: Pick<SlackDeps, 'people' | 'log'>, userId: string): Promise<string | undefined> {
  try {
    const why = await people.whyOutsider(userId);
    if (why !== undefined) log.warn(`refused ${userId}: ${why}`);
    return why === undefined ? undefined : `${why}. Nothing was done.`;
  } catch (error) {
    log.warn(`refused ${userId}: ${messageOf(error)}`);
    return `Who you are in Slack cannot be read now, so nothing was done. Try again, or use the CLI.`;
  }
}
