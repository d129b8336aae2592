/** Opens a form within the three seconds that Slack allows, or tells the one who asked for it why there is none. */
import type { ModalView } from '@slack/types';
import { type Listener, says, tell } from './reply.ts';
import type { SlackDeps } from './deps.ts';
import { slackError } from '../api/errors.ts';
import { formNotOpened } from '../messages/refusals.ts';

/** Gives the view's id; undefined where there is none. `form`: what it is for, such as "for the reason". `again`: what the person does to have it opened. */
export async function openForm(
  deps: SlackDeps,
  listener: Listener,
  view: ModalView,
  { triggerId, form, again = 'Press the button again.' }: { triggerId: string; form: string; again?: string },
): Promise<string | undefined> {
  try {
    return (await deps.web.views.open({ trigger_id: triggerId, view })).view?.id;
  } catch (error) {
    deps.log.warn(slackError(error, 'opening the form').message);
    await tell(listener, says(formNotOpened(form, again)));
    return undefined;
  }
}
