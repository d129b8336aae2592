/** The bot's own user: what others write in a conversation, whatever it claims to be, is not Belay's. */
import type { WebClient } from '@slack/web-api';
import { defined } from '../../domain/core/defined.ts';
import { ownUserUnknown } from '../messages/failures.ts';
import { SlackDeliveryError } from './errors.ts';

interface Own {
  user: string;
  bot?: string;
}

const OWN_IDS = new WeakMap<WebClient, Own>();

/** `user` of the bot's messages and files (docs.slack.dev/reference/methods/auth.test). Throws the Web API's errors. */
export async function ownUser(web: WebClient): Promise<string> {
  return (await ownIds(web)).user;
}

/** Tells the bot's own messages, which may name its user, its bot or both. Throws the Web API's errors. */
export async function ownMessages(web: WebClient): Promise<(message: { user?: string; bot_id?: string }) => boolean> {
  const { user, bot } = await ownIds(web);
  return (message) => message.user === user || (bot !== undefined && message.bot_id === bot);
}

async function ownIds(web: WebClient): Promise<Own> {
  const known = OWN_IDS.get(web);
  if (known !== undefined) return known;
  const { user_id: user, bot_id: bot } = await web.auth.test();
  if (user === undefined) throw new SlackDeliveryError(ownUserUnknown(), { code: 'no_user', retryable: true });
  const own = { user, ...defined({ bot }) };
  OWN_IDS.set(web, own);
  return own;
}
