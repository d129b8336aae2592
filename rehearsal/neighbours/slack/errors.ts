/** A Web API refusal: `{ ok: false, error }`, and what Slack adds to it. */
import type { Fields } from './block-kit/shape.ts';

export class SlackError extends Error {
  readonly code: string;
  readonly extra: Fields;

  /** `code` as Slack spells it, e.g. channel_not_found. */
  constructor(code: string, extra: Fields = {}) {
    super(code);
    this.code = code;
    this.extra = extra;
  }

  /** With the messages that say which block is wrong. */
  static withMessages(code: string, messages: string[]): SlackError {
    return new SlackError(code, { response_metadata: { messages } });
  }
}
