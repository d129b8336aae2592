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
  | { kind: 'unanswered' }
  /** No app is connected. */
  | { kind: 'no-app' };

export interface AppLink {
  deliver(envelope: Envelope): Promise<Delivery>;
  /** How many connections stand; in HTTP mode 1. */
  connected(): number;
  /** Slack is down: connections close, nothing is delivered. */
  setDown(down: boolean): void;
  close(): void;
}
