/**
 * Events are sent again that the app does not acknowledge: at once, after a minute, and after five. Commands, presses and forms are sent once, and who made
 * them is told. https://docs.slack.dev/apis/events-api#retries
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fields } from '../block-kit/shape.ts';
import type { AppLink, Delivery } from './app-link.ts';

const LATER_MS = [60_000, 5 * 60_000];

/** Resolves with what came of the first two attempts; the others follow. */
export async function deliverEvent(link: AppLink, payload: Fields): Promise<Delivery> {
  const send = (attempt: number, before?: Delivery): Promise<Delivery> =>
    link.deliver(
      { type: 'events_api', payload, acceptsPayload: false },
      before === undefined ? undefined : { attempt, reason: reasonOf(before) },
    );
  const first = await send(0);
  if (isOver(first)) return first;
  const second = await send(1, first);
  void sendLater(send, second);
  return second;
}

async function sendLater(send: (attempt: number, before: Delivery) => Promise<Delivery>, before: Delivery): Promise<void> {
  let last = before;
  for (const [index, waitMs] of LATER_MS.entries()) {
    if (isOver(last)) return;
    await sleep(waitMs, undefined, { ref: false });
    last = await send(index + 2, last);
  }
}

const isOver = (delivery: Delivery): boolean => delivery.kind === 'acked' || (delivery.kind === 'unanswered' && delivery.last === true);

const reasonOf = (delivery: Delivery) => (delivery.kind === 'acked' ? undefined : delivery.why) ?? 'http_timeout';
