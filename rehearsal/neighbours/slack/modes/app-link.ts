/** The way from Slack to the app: socket mode or signed HTTP requests, with one answer per envelope. */
import type { Fields } from '../block-kit/shape.ts';

export interface Envelope {
  type: 'slash_commands' | 'interactive' | 'events_api';
  payload: Fields;
  /** May the acknowledgement carry a message or a view? */
  acceptsPayload: boolean;
}

export type Delivery =
  /** The app acknowledged, perhaps with a payload. */
  | { kind: 'acked'; payload: Fields }
  /** It was sent and nobody acknowledged it in time, or the connection died first. */
  | { kind: 'unanswered'; why?: RetryReason /** The app asks for no repetition. */; last?: boolean }
  /** No app is connected. */
  | { kind: 'no-app'; why?: RetryReason };

/** Some of those at https://docs.slack.dev/apis/events-api#retries */
export type RetryReason = 'http_timeout' | 'http_error' | 'connection_failed';

/** Of an event that is sent again. */
export interface Retry {
  /** From 1 on. */
  attempt: number;
  reason: RetryReason;
}

export interface AppLink {
  deliver(envelope: Envelope, retry?: Retry): Promise<Delivery>;
  /** How many connections stand; in HTTP mode 1. */
  connected(): number;
  /** Slack is down: connections close, nothing is delivered. */
  setDown(down: boolean): void;
  close(): void;
}
