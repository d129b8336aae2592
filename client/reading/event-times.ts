/** What Temporal keeps in histories alone: since when something is so, and what an activity gave. Read from the newest event back. */
import { type Client, defaultPayloadConverter } from '@temporalio/client';
import type { Payload, SerializationContext } from '@temporalio/common';
import type proto from '@temporalio/proto';
import { field } from '../../domain/core/unknown.ts';
import { within } from '../calls/temporal-calls.ts';

const LIMIT_MS = 5_000;
/** Reminders, votes and progress come after what is looked for, and are few. */
const PAGE_SIZE = 200;
const PAGES = 5;

export interface Execution {
  workflowId: string;
  runId: string;
}

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;

/** The last thousand events, the newest first. Throws what the client throws. */
async function* eventsBack(client: Client, execution: Execution): AsyncGenerator<HistoryEvent> {
  let nextPageToken: Uint8Array | undefined;
  const { namespace } = client.options;
  for (let page = 0; page < PAGES; page += 1) {
    const answer = await within(client, LIMIT_MS, () =>
      client.workflowService.getWorkflowExecutionHistoryReverse({ namespace, execution, maximumPageSize: PAGE_SIZE, nextPageToken }),
    );
    yield* answer.history?.events ?? [];
    nextPageToken = answer.nextPageToken ?? undefined;
    if (nextPageToken === undefined || nextPageToken.length === 0) return;
  }
}

/** When a search attribute got the value that it has now. ISO 8601 by Temporal's clock; undefined where the last thousand events do not say. */
export async function attributeSetAt(
  client: Client,
  execution: Execution,
  attribute: 'BelayWaitingFor' | 'BelayPhase',
  value: string,
): Promise<string | undefined> {
  for await (const event of eventsBack(client, execution)) {
    const attributes = event.upsertWorkflowSearchAttributesEventAttributes ?? event.workflowExecutionStartedEventAttributes;
    const set = attributes?.searchAttributes?.indexedFields?.[attribute];
    // Search attributes are never encrypted: the server has to read them.
    if (set != null && keywordOf(set) === value) return isoOf(event.eventTime);
  }
  return undefined;
}

/** When anything happened last. As above. */
export async function latestEventAt(client: Client, execution: Execution): Promise<string | undefined> {
  const { namespace } = client.options;
  const answer = await within(client, LIMIT_MS, () =>
    client.workflowService.getWorkflowExecutionHistoryReverse({ namespace, execution, maximumPageSize: 1 }),
  );
  return isoOf(answer.history?.events?.[0]?.eventTime);
}

/** When an activity was scheduled first: the server forgets that of one that it tries again. As above. */
export async function activityScheduledAt(client: Client, execution: Execution, activityId: string): Promise<string | undefined> {
  for await (const { activityTaskScheduledEventAttributes: scheduled, eventTime } of eventsBack(client, execution))
    if (scheduled?.activityId === activityId) return isoOf(eventTime);
  return undefined;
}

/** What the newest activity of a type has given; undefined where the last thousand events have none. Throws what the data converter throws. */
export async function newestResult(client: Client, execution: Execution, activityType: string): Promise<unknown> {
  const results = new Map<string, Payload | undefined>();
  for await (const {
    eventId,
    activityTaskCompletedEventAttributes: completed,
    activityTaskScheduledEventAttributes: scheduled,
  } of eventsBack(client, execution)) {
    if (completed != null) results.set(String(completed.scheduledEventId), completed.result?.payloads?.[0]);
    const payload = results.get(String(eventId));
    if (scheduled?.activityType?.name !== activityType || payload === undefined) continue;
    const given = await decoded(client, payload, { ...execution, activityId: scheduled.activityId ?? '' });
    // Sealed where messages are encrypted: workflows/runtime/messages/seal.
    return field(given, 'seal') === undefined ? given : field(given, 'body');
  }
  return undefined;
}

/** A payload of an activity, as clients read it: with keys nothing but what Belay has encrypted for that activity. */
export async function decoded(client: Client, payload: Payload, of: { workflowId: string; activityId: string }): Promise<unknown> {
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  const context: SerializationContext = {
    type: 'activity',
    namespace: client.options.namespace,
    workflowId: of.workflowId,
    activityId: of.activityId,
    isLocal: false,
  };
  let payloads = [payload];
  for (const codec of payloadCodecs) payloads = await codec.decode(payloads, context);
  const [plain] = payloads;
  return plain === undefined ? undefined : payloadConverter.fromPayload(plain, context);
}

/** A keyword comes as itself or as a list of one. */
function keywordOf(payload: Payload): unknown {
  const value: unknown = defaultPayloadConverter.fromPayload(payload);
  return Array.isArray(value) ? value[0] : value;
}

/** ISO 8601 of a time as the server sends it. */
export function isoOf(time: { seconds?: { toNumber(): number } | null; nanos?: number | null } | null | undefined): string | undefined {
  if (time == null) return undefined;
  return new Date((time.seconds?.toNumber() ?? 0) * 1000 + Math.floor((time.nanos ?? 0) / 1e6)).toISOString();
}
