/** The same delivery twice acts once in this process: a signature is no nonce, and Slack may send an envelope again. Of two processes, see interaction/take-once.ts. */
import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt';
import type { Log } from '../api/log.ts';
import { personIn } from './workspace-guard.ts';
import type { DoorRefusal } from '../../client/calls/contract.ts';
import { auditReplay } from '../messages/refusals.ts';

/** Name of the custom property in which a receiver says what identifies a delivery. */
export const DELIVERY_ID = 'deliveryId';

/** Twice the age up to which a signed request is accepted. */
const REMEMBER_MS = 10 * 60_000;
const MAX_REMEMBERED = 50_000;

/** True for ids seen within the last ten minutes; remembers the others. */
function createSeen(): (id: string) => boolean {
  const seen = new Map<string, number>();
  return (id) => {
    const now = Date.now();
    for (const [old, atMs] of seen) {
      if (atMs > now - REMEMBER_MS && seen.size <= MAX_REMEMBERED) break;
      seen.delete(old);
    }
    if (seen.has(id)) return true;
    seen.set(id, now);
    return false;
  };
}

/** Acknowledges a repeated delivery, tells `refused`, and does nothing else. */
export function onlyOnce(log: Log, refused: (refusal: DoorRefusal) => void): Middleware<AnyMiddlewareArgs> {
  const seen = createSeen();
  return async (args) => {
    const id: unknown = args.context[DELIVERY_ID];
    if (typeof id !== 'string' || !seen(id)) return await args.next();
    log.warn('ignored a delivery that was received before');
    refused({ what: auditReplay(), ...personIn(args.body) });
    if ('ack' in args && typeof args.ack === 'function') await args.ack();
  };
}
