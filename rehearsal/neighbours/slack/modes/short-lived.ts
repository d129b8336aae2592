/** What Slack hands out for a short while: trigger ids (three seconds, one view) and response urls (thirty minutes, five answers). */
import { randomBytes } from 'node:crypto';
import { SlackError } from '../errors.ts';

const RESPONSE_LIFETIME_MS = 30 * 60_000;
const RESPONSE_USES = 5;

/** To whom and where an answer through a response url goes. */
export interface ResponseTarget {
  user: string;
  channel: string;
  threadTs?: string;
  /** The message whose button was pressed. */
  messageTs?: string;
}

export class Triggers {
  readonly #issued = new Map<string, { user: string; validUntilMs: number; used: boolean }>();
  readonly #lifetimeMs: number;

  constructor(lifetimeMs: number) {
    this.#lifetimeMs = lifetimeMs;
  }

  issue(user: string): string {
    const id = `${Date.now()}.${randomBytes(4).readUInt32BE()}.${randomBytes(16).toString('hex')}`;
    this.#issued.set(id, { user, validUntilMs: Date.now() + this.#lifetimeMs, used: false });
    return id;
  }

  /** The user who acted. Throws invalid_trigger_id, expired_trigger_id or exchanged_trigger_id. */
  redeem(id: string): string {
    const trigger = this.#issued.get(id);
    if (trigger === undefined) throw new SlackError('invalid_trigger_id');
    if (trigger.used) throw new SlackError('exchanged_trigger_id');
    if (trigger.validUntilMs < Date.now()) throw new SlackError('expired_trigger_id');
    trigger.used = true;
    return trigger.user;
  }
}

export class ResponseUrls {
  readonly #issued = new Map<string, { target: ResponseTarget; validUntilMs: number; left: number }>();

  issue(target: ResponseTarget): string {
    const id = randomBytes(12).toString('base64url');
    this.#issued.set(id, { target, validUntilMs: Date.now() + RESPONSE_LIFETIME_MS, left: RESPONSE_USES });
    return id;
  }

  /** Counts one use. Throws used_url or expired_url. */
  use(id: string): ResponseTarget {
    const url = this.#issued.get(id);
    if (url === undefined || url.left === 0) throw new SlackError('used_url');
    if (url.validUntilMs < Date.now()) throw new SlackError('expired_url');
    url.left -= 1;
    return url.target;
  }
}
