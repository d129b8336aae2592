/** What Slack's client throws, as whoever waits for an answer learns it. */
import { WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { expect, test } from 'vitest';
import { slackError } from '../../../slack/api/errors.ts';

const timeOut = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
const refused = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:443') });
/** Its type does not know what Slack says beside the error. */
const MISSING = { ok: false, error: 'missing_scope', needed: 'files:write' };

test.each<[string, Error, object]>([
  [
    'a rate limit',
    new WebAPIRateLimitedError(7),
    { code: 'rate_limited', retryable: true, retryAfterMs: 7_000, message: 'posting to C1: Slack asks to wait 7 s' },
  ],
  [
    'a rate limit in the words of an answer',
    new WebAPIPlatformError({ ok: false, error: 'ratelimited' }),
    { code: 'rate_limited', retryable: true, retryAfterMs: undefined, message: 'posting to C1: Slack asks to wait' },
  ],
  [
    'a scope that is missing',
    new WebAPIPlatformError(MISSING),
    {
      code: 'missing_scope',
      retryable: false,
      message:
        'posting to C1: Slack answered missing_scope (files:write). Install the app again from slack/manifest.yaml, which has all scopes.',
    },
  ],
  [
    'no answer in time',
    new WebAPIRequestError(timeOut),
    { code: 'timeout', retryable: true, message: 'posting to C1: Slack did not answer in time' },
  ],
  [
    'no connection',
    new WebAPIRequestError(refused),
    { code: 'unreachable', retryable: true, message: 'posting to C1: Slack cannot be reached (connect ECONNREFUSED 127.0.0.1:443)' },
  ],
  ['anything else', new Error('boom'), { code: 'unreachable', retryable: true, message: 'posting to C1: Slack cannot be reached (boom)' }],
])('%s', (_what, error, expected) => {
  expect(slackError(error, 'posting to C1')).toMatchObject({ name: 'SlackDeliveryError', ...expected });
});
