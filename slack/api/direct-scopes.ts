/** The scopes of direct messages: without them everything else works. */
import type { WebClient } from '@slack/web-api';

/** im:write opens the conversation, im:history finds what was posted there; by a reaction of its own the bot finds who asked for messages. */
export const DIRECT_MESSAGE_SCOPES: readonly string[] = ['im:write', 'im:history', 'reactions:read', 'reactions:write'];

const KEEP_MS = 5 * 60_000;
const KNOWN = new WeakMap<WebClient, { atMs: number; missing: string[] }>();

/**
 * Those that the token was not granted, as of five minutes ago at most: Slack names the granted ones in the header X-OAuth-Scopes of each answer
 * (docs.slack.dev/authentication/installing-with-oauth). Where it does not, none is called missing. Throws the Web API's errors.
 */
export async function missingDirectScopes(web: WebClient, nowMs = Date.now()): Promise<string[]> {
  const known = KNOWN.get(web);
  if (known !== undefined && nowMs - known.atMs < KEEP_MS) return known.missing;
  const granted = (await web.auth.test()).response_metadata?.scopes;
  const missing = granted === undefined ? [] : DIRECT_MESSAGE_SCOPES.filter((scope) => !granted.includes(scope));
  KNOWN.set(web, { atMs: nowMs, missing });
  return missing;
}
