/** Errors of Slack's Web API in one shape, with Slack's own code, what helps, and when to try again. */
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { messageOf } from '../../domain/core/unknown.ts';

/** Refusals that only a person can cure, and how. */
const REMEDIES: Record<string, string> = {
  channel_not_found: 'Check the channel in belay.yaml, and invite the app to it where it is private.',
  not_in_channel: 'Invite the app to the channel: /invite @Belay.',
  is_archived: 'The channel is archived; name another one in belay.yaml.',
  is_inactive: 'The channel is archived or frozen; name another one in belay.yaml.',
  invalid_auth: 'Check the token.',
  not_authed: 'Set the token.',
  not_allowed_token_type: 'SLACK_BOT_TOKEN must be a bot token (xoxb-), SLACK_APP_TOKEN an app-level token (xapp-).',
  account_inactive: 'The token’s owner was deactivated; install the app again.',
  token_revoked: 'The token was revoked; install the app again.',
  token_expired: 'The token has expired; install the app again.',
  missing_scope: 'Install the app again from slack/manifest.yaml, which has all scopes.',
  restricted_action: 'The workspace does not let the app post there; ask its administrators.',
  ekm_access_denied: 'The workspace’s administrators have suspended access.',
  no_such_subteam: 'Check the user group’s id in belay.yaml (S…).',
  subteam_not_found: 'Check the user group’s id in belay.yaml (S…).',
  invalid_blocks: 'Slack does not take the message as it was rendered.',
  invalid_blocks_format: 'Slack does not take the message as it was rendered.',
  msg_too_long: 'Slack does not take a message of this length.',
  metadata_too_large: 'Slack does not take metadata of this size.',
  file_uploads_disabled: 'The workspace lets nobody upload files; ask its administrators.',
  file_upload_size_restricted: 'The workspace does not take a file of this size; ask its administrators.',
  file_type_not_allowed: 'The workspace does not take files of this type; ask its administrators.',
};

export interface SlackErrorDetails {
  /** Slack's error code; `rate_limited`, `http_<status>`, `timeout`, `unreachable`, or our own such as `board_not_posted`. */
  code: string;
  /** Can trying again alone help? */
  retryable: boolean;
  /** Slack's Retry-After. */
  retryAfterMs?: number;
}

export class SlackDeliveryError extends Error implements SlackErrorDetails {
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, details: SlackErrorDetails, cause?: unknown) {
    super(message, { cause });
    this.name = 'SlackDeliveryError';
    this.code = details.code;
    this.retryable = details.retryable;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** `doing` is a gerund and its object: "posting to C123". */
export function slackError(error: unknown, doing: string): SlackDeliveryError {
  if (error instanceof SlackDeliveryError) return error;
  if (error instanceof WebAPIRateLimitedError) {
    const retryAfterMs = error.retryAfter * 1000;
    return new SlackDeliveryError(
      `${doing}: Slack asks to wait ${error.retryAfter} s`,
      { code: 'rate_limited', retryable: true, retryAfterMs },
      error,
    );
  }
  if (error instanceof WebAPIPlatformError) {
    const code = error.data.error;
    if (code === 'ratelimited')
      return new SlackDeliveryError(`${doing}: Slack asks to wait`, { code: 'rate_limited', retryable: true }, error);
    const remedy = REMEDIES[code];
    const needed = 'needed' in error.data && typeof error.data['needed'] === 'string' ? ` (${error.data['needed']})` : '';
    const said = (error.data.response_metadata?.messages ?? []).slice(0, 3).join('; ').slice(0, 300);
    return new SlackDeliveryError(
      `${doing}: Slack answered ${code}${needed}${said === '' ? '' : `, ${said}`}${remedy === undefined ? '' : `. ${remedy}`}`,
      { code, retryable: remedy === undefined },
      error,
    );
  }
  if (error instanceof WebAPIHTTPError) {
    return new SlackDeliveryError(
      `${doing}: Slack answered HTTP ${error.statusCode}`,
      { code: `http_${error.statusCode}`, retryable: true },
      error,
    );
  }
  if (error instanceof WebAPIRequestError && error.original.name === 'TimeoutError') {
    return new SlackDeliveryError(`${doing}: Slack did not answer in time`, { code: 'timeout', retryable: true }, error);
  }
  const why = error instanceof WebAPIRequestError ? reasonOf(error.original) : messageOf(error);
  return new SlackDeliveryError(`${doing}: Slack cannot be reached (${why})`, { code: 'unreachable', retryable: true }, error);
}

/** fetch says "fetch failed" and keeps the reason in its cause. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}

/** The message is gone or can no longer be edited: another one takes its place. */
export const LOST = ['message_not_found', 'cant_update_message', 'edit_window_closed', 'cant_edit_message'];

/** Slack does not take the blocks: the text alone is better than silence. */
export const BAD_BLOCKS = ['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long'];
