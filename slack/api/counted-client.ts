/** A Web API client that publishes each of its calls for whoever counts them (worker/telemetry/metrics). */
import { channel } from 'node:diagnostics_channel';
import { WebAPIPlatformError, WebClient } from '@slack/web-api';
import { EXTERNAL_CALLS, type ExternalCall } from '../../domain/core/external-call.ts';
import { slackError } from './errors.ts';

const calls = channel(EXTERNAL_CALLS);

/** Its methods (`chat.postMessage` and so on) all go through `apiCall`. */
export class CountedWebClient extends WebClient {
  override async apiCall(...[method, options]: Parameters<WebClient['apiCall']>): ReturnType<WebClient['apiCall']> {
    if (!calls.hasSubscribers) return await super.apiCall(method, options);
    const begunMs = performance.now();
    const publish = (result: ExternalCall['result']): void =>
      calls.publish({ service: 'slack', operation: method, result, seconds: (performance.now() - begunMs) / 1000 } satisfies ExternalCall);
    try {
      const answer = await super.apiCall(method, options);
      publish('ok');
      return answer;
    } catch (error) {
      publish(resultOf(error));
      throw error;
    }
  }
}

/** Answers of Slack's own servers that are about them, not about the call: https://docs.slack.dev/reference/methods/chat.postMessage#errors */
const AWAY = ['fatal_error', 'internal_error', 'request_timeout', 'service_unavailable'];

/** Only the kind of failure: Slack has hundreds of codes. */
function resultOf(error: unknown): ExternalCall['result'] {
  const { code } = slackError(error, 'calling Slack');
  if (code === 'rate_limited') return 'Throttled';
  return error instanceof WebAPIPlatformError && !AWAY.includes(code) ? 'InvalidRequest' : 'Unavailable';
}
