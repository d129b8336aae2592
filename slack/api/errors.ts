/** Errors of Slack's Web API in one shape, with Slack's own code, what helps, and when to try again. */
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { messageOf } from '../../domain/core/unknown.ts';
import { slackAnswered, slackAnsweredHttp, slackAsksToWait, slackRemedy, slackTooSlow, slackUnreachable } from '../messages/failures.ts';

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
    return new SlackDeliveryError(slackAsksToWait(doing, error.retryAfter), { code: 'rate_limited', retryable: true, retryAfterMs }, error);
  }
  if (error instanceof WebAPIPlatformError) {
    const code = error.data.error;
    if (code === 'ratelimited') return new SlackDeliveryError(slackAsksToWait(doing), { code: 'rate_limited', retryable: true }, error);
    const needed = 'needed' in error.data && typeof error.data['needed'] === 'string' ? error.data['needed'] : undefined;
    const said = (error.data.response_metadata?.messages ?? []).slice(0, 3).join('; ').slice(0, 300);
    return new SlackDeliveryError(
      slackAnswered(doing, code, { needed, said }),
      { code, retryable: slackRemedy(code) === undefined },
      error,
    );
  }
  if (error instanceof WebAPIHTTPError) {
    return new SlackDeliveryError(slackAnsweredHttp(doing, error.statusCode), { code: `http_${error.statusCode}`, retryable: true }, error);
  }
  if (error instanceof WebAPIRequestError && error.original.name === 'TimeoutError') {
    return new SlackDeliveryError(slackTooSlow(doing), { code: 'timeout', retryable: true }, error);
  }
  const why = error instanceof WebAPIRequestError ? reasonOf(error.original) : messageOf(error);
  return new SlackDeliveryError(slackUnreachable(doing, why), { code: 'unreachable', retryable: true }, error);
}

/** fetch says "fetch failed" and keeps the reason in its cause. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}

/** The message is gone or can no longer be edited: another one takes its place. */
export const LOST = ['message_not_found', 'cant_update_message', 'edit_window_closed', 'cant_edit_message'];

/** Slack does not take the blocks: the text alone is better than silence. */
export const BAD_BLOCKS = ['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long'];
