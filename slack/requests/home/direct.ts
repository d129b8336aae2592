/** Turns somebody's direct messages about gates on and off, and says whether they are on. */
import { slackError } from '../../api/errors.ts';
import { missingDirectScopes } from '../../api/direct-scopes.ts';
import { subscribersOf } from '../../delivery/subscribers.ts';
import type { SlackDeps } from '../../interaction/deps.ts';
import { directScopesMissing, directStateUnread, messagesNotChanged, messagesOff, messagesOn } from '../../messages/direct.ts';

/** Without a state it is not offered, for the reason of `why`. Never throws. */
export async function readDirect(
  { web, log }: Pick<SlackDeps, 'web' | 'log'>,
  user: string,
): Promise<{ state: 'on' | 'off'; why?: undefined } | { state?: undefined; why: string }> {
  try {
    const missing = await missingDirectScopes(web);
    if (missing.length > 0) return { why: directScopesMissing(missing) };
    return { state: (await subscribersOf(web).channels()).has(user) ? 'on' : 'off' };
  } catch (error) {
    const { message } = slackError(error, 'reading who gets direct messages');
    log.warn(message);
    return { why: directStateUnread(message) };
  }
}

/** Gives what to answer. Never throws. */
export async function setDirect({ web, log }: Pick<SlackDeps, 'web' | 'log'>, user: string, on: boolean): Promise<string> {
  try {
    const missing = await missingDirectScopes(web);
    if (missing.length > 0) return directScopesMissing(missing);
    const subscribers = subscribersOf(web);
    await (on ? subscribers.subscribe(user) : subscribers.unsubscribe(user));
    return on ? messagesOn() : messagesOff();
  } catch (error) {
    const { message } = slackError(error, `turning direct messages ${on ? 'on' : 'off'}`);
    log.warn(`${user}: ${message}`);
    return messagesNotChanged(message);
  }
}
