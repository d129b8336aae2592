/** Failures in words: for the log, and for the person who acted. */
import { WebAPIPlatformError } from '@slack/web-api';
import { SlackDeliveryError, slackError } from '../api/errors.ts';
import type { Log } from '../api/log.ts';
import { UpgradesError } from '../../client/upgrades-client.ts';
import { slackRemedy } from '../messages/failures.ts';
import { slackRefused, somethingFailed } from '../messages/refusals.ts';

/** What the person is told: a failure of upgrades is written for people, and what Slack refuses until somebody mends it has its remedy; of any other, details go to the log only. `doing` is for the log. */
export function failureSentence(error: unknown, log: Log, doing: string): string {
  if (error instanceof UpgradesError) return sentenceOf(error);
  log.error(`${doing}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return remedyOf(error) ?? somethingFailed();
}

function remedyOf(error: unknown): string | undefined {
  if (!(error instanceof SlackDeliveryError || error instanceof WebAPIPlatformError)) return undefined;
  const { code } = slackError(error, 'answering');
  const remedy = slackRemedy(code);
  return remedy === undefined ? undefined : slackRefused(code, remedy);
}

/** What such a failure says, with the commands that Slack has as well as they are typed here. */
export const sentenceOf = ({ message }: UpgradesError): string =>
  message.replaceAll(/"belay ((?:start|status|campaign (?:start|status|stop)) )/g, '"/eks-upgrade $1');
