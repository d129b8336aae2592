/** Tells receivers beside Slack: hands events to the sink of belay.yaml's delivery, counts how it went, and says what goes wrong once. */
import { channel } from 'node:diagnostics_channel';
import { NOTIFICATIONS, type NotificationAttempt } from '../../../domain/core/notification-outcome.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { DeliveredEvent, RunEvent } from '../../../domain/run/events/event.ts';
import type { PeopleActivities } from '../../contract/belay-activities.ts';
import type { EventSink } from '../../contract/ports.ts';
import { translateError } from '../../runtime/translate-errors.ts';

const attempts = channel(NOTIFICATIONS);
/** No further event is begun after this: what is left is the next call's, and the attempt keeps to its time. */
const BEGIN_WITHIN_MS = 25_000;

export interface DeliverDeps {
  /** By belay.yaml as it is now; undefined: it has none of this name. Throws where its secret or address cannot be read. */
  sinkOf?: (name: string) => EventSink | undefined;
  /** Told the first of several troubles in a row of one delivery. */
  warn?: (fields: { delivery: string; event: string }, message: string) => void;
  nowMs?: () => number;
}

/** Without a sink of that name nobody is told, and nothing is tried again. */
export function createDeliverActivities({
  sinkOf = () => undefined,
  warn = () => undefined,
  nowMs = Date.now,
}: DeliverDeps): Pick<PeopleActivities, 'deliverEvents'> {
  const troubled = new Set<string>();
  const count = (delivery: string, { type }: RunEvent, result: NotificationAttempt['result'], why?: string): void => {
    attempts.publish({ delivery, result } satisfies NotificationAttempt);
    if (result === 'sent') troubled.delete(delivery);
    if (result === 'sent' || troubled.has(delivery)) return;
    troubled.add(delivery);
    const then = { failed: 'it is tried again', refused: 'it is not tried again', unknown: 'it is not sent again' }[result];
    warn({ delivery, event: type }, `${delivery} was not told: ${why ?? 'no reason is known'}; ${then}`);
  };
  return {
    async deliverEvents({ delivery: { name }, upgrade, events }) {
      const begunMs = nowMs();
      const done: DeliveredEvent[] = [];
      for (const event of events) {
        if (done.length > 0 && nowMs() - begunMs > BEGIN_WITHIN_MS) break;
        try {
          const sink = sinkOf(name);
          const { outcome, why } =
            sink === undefined
              ? { outcome: 'refused' as const, why: `belay.yaml has no delivery "${name}" any more` }
              : await sink.send(event, upgrade);
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
