/** The bot's own user: what others write in a conversation, whatever it claims to be, is not Belay's. */
import type { WebClient } from '@slack/web-api';
import { ownUserUnknown } from '../messages/failures.ts';
import { SlackDeliveryError } from './errors.ts';

const OWN_IDS = new WeakMap<WebClient, string>();

/** `user` of the bot's messages and files (docs.slack.dev/reference/methods/auth.test). Throws the Web API's errors. */
export async function ownUser(web: WebClient): Promise<string> {
  const known = OWN_IDS.get(web);
  if (known !== undefined) return known;
  const { user_id: id } = await web.auth.test();
  if (id === undefined) throw new SlackDeliveryError(ownUserUnknown(), { code: 'no_user', retryable: true });
  OWN_IDS.set(web, id);
  return id;
}
