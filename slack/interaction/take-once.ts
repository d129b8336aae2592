/** What starts or posts something is done once for each request, in whichever process it arrives: two of them remember nothing of each other. */
import type { Actor } from '../../domain/gates/actor.ts';
import { auditReplay } from '../messages/refusals.ts';
import type { SlackDeps } from './deps.ts';

/**
 * False: nothing is left to do, and the one who acts is being answered elsewhere. `requestId`: the trigger id of a command or a press, which Slack makes for
 * each (docs.slack.dev/interactivity/handling-user-interaction), or the id of the form. Throws UpgradesError where Temporal does not say.
 */
export async function takenOnce({ upgrades, log }: Pick<SlackDeps, 'upgrades' | 'log'>, requestId: string, actor: Actor): Promise<boolean> {
  if (await upgrades.claim(requestId)) return true;
  log.warn('ignored a request that was received before');
  upgrades.refused({ what: auditReplay(), actor });
  return false;
}
