/** Tells receivers beside Slack: hands events to the sink of belay.yaml's delivery, counts how it went, and says what goes wrong once. */
import { channel } from 'node:diagnostics_channel';
import { NOTIFICATIONS, type NotificationAttempt } from '../../../domain/core/notification-outcome.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { DeliveredEvent, DeliverInput, RunEvent } from '../../../domain/run/events/event.ts';
import type { PeopleActivities } from '../../contract/belay-activities.ts';
import type { EventSink } from '../../contract/ports.ts';
import { failureOf, translateError } from '../../runtime/translate-errors.ts';

const attempts = channel(NOTIFICATIONS);
type Answer = Awaited<ReturnType<EventSink['send']>>;
/** No further event is begun after this: what is left is the next call's, and the attempt keeps to its time. */
const BEGIN_WITHIN_MS = 25_000;
/** A receiver that turns an event away may be in the middle of a change; one that keeps doing so holds up the events behind it no longer. */
const TURNED_AWAY_MS = 60 * 60_000;

export interface DeliverDeps {
  /** By belay.yaml as it is now; undefined: it has none of this name. Throws where its secret or address cannot be read. */
  sinkOf?: (name: string) => EventSink | undefined;
  /** Told the first of several like troubles in a row of one delivery. */
  warn?: (fields: { delivery: string; event: string }, message: string) => void;
  nowMs?: () => number;
}

/** Without a sink of that name nobody is told, and nothing is tried again. */
export function createDeliverActivities({
  sinkOf = () => undefined,
  warn = () => undefined,
  nowMs = Date.now,
}: DeliverDeps): Pick<PeopleActivities, 'deliverEvents'> {
  const troubled = new Map<string, NotificationAttempt['result']>();
  /** Since when each delivery has answered nothing else, as far as this worker knows. */
  const turnedAwaySince = new Map<string, number>();
  const count = (delivery: string, { type }: RunEvent, result: NotificationAttempt['result'], why?: string): void => {
    attempts.publish({ delivery, result } satisfies NotificationAttempt);
    if (result === 'sent') troubled.delete(delivery);
    if (result === 'sent' || troubled.get(delivery) === result) return;
    troubled.set(delivery, result);
    const then = { failed: 'it is tried again', refused: 'it is not tried again', unknown: 'it is not sent again' }[result];
    warn({ delivery, event: type }, `${delivery} was not told: ${why ?? 'no reason is known'}; ${then}`);
  };
  /** As EventSink.send. What may pass is thrown while it is young, or has only begun. */
  const send = async (name: string, event: RunEvent, upgrade: DeliverInput['upgrade']): Promise<Answer> => {
    const sink = sinkOf(name);
    if (sink === undefined) return { outcome: 'refused', why: `belay.yaml has no delivery "${name}" any more` };
    const since = turnedAwaySince.get(name) ?? nowMs();
    let answer: Answer | undefined;
    try {
      answer = await sink.send(event, upgrade);
    } finally {
      if (answer?.mayPass === true) turnedAwaySince.set(name, since);
      else turnedAwaySince.delete(name);
    }
    if (answer.mayPass !== true) return answer;
    if (nowMs() - Math.max(since, Date.parse(event.at)) < TURNED_AWAY_MS)
      throw failureOf('Unavailable', `telling ${name} of ${event.key}: ${answer.why ?? 'it was turned away'}`);
    return { ...answer, why: `${answer.why ?? 'it was turned away'}, and still did after an hour of retries` };
  };
  return {
    async deliverEvents({ delivery: { name }, upgrade, events }) {
      const begunMs = nowMs();
      const done: DeliveredEvent[] = [];
      for (const event of events) {
        if (done.length > 0 && nowMs() - begunMs > BEGIN_WITHIN_MS) break;
        try {
          const { outcome, why } = await send(name, event, upgrade);
          count(name, event, outcome, why);
          done.push({ key: event.key, outcome });
        } catch (error) {
          const failure = translateError(error, `telling ${name} of ${event.key}`);
          count(name, event, 'failed', messageOf(failure));
          // What was sent is answered for, so that it is not sent again.
          if (done.length > 0) break;
          throw failure;
        }
      }
      return done;
    },
  };
}
