/** When a gate was opened, read from the history of the workflow that waits at it: opening one sets a search attribute, which is in an event. */
import { type Client, defaultPayloadConverter } from '@temporalio/client';
import { within } from './temporal-calls.ts';

const LIMIT_MS = 5_000;
/** The newest first: reminders and votes come after the opening, and are few. */
const PAGE_SIZE = 200;
const PAGES = 5;

/** ISO 8601 by Temporal's clock; undefined where the last thousand events do not have it. Throws what the client throws. */
export async function gateOpenedAt(
  client: Client,
  execution: { workflowId: string; runId: string },
  gate: string,
): Promise<string | undefined> {
  let nextPageToken: Uint8Array | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const { namespace } = client.options;
    const answer = await within(client, LIMIT_MS, () =>
      client.workflowService.getWorkflowExecutionHistoryReverse({ namespace, execution, maximumPageSize: PAGE_SIZE, nextPageToken }),
    );
    for (const event of answer.history?.events ?? []) {
      const attributes = event.upsertWorkflowSearchAttributesEventAttributes ?? event.workflowExecutionStartedEventAttributes;
      const set = attributes?.searchAttributes?.indexedFields?.['BelayWaitingFor'];
      // Search attributes are never encrypted: the server has to read them.
      if (set != null && valueOf(set) === gate && event.eventTime != null) return isoOf(event.eventTime);
    }
    nextPageToken = answer.nextPageToken ?? undefined;
    if (nextPageToken === undefined || nextPageToken.length === 0) return undefined;
  }
  return undefined;
}

/** A keyword comes as itself or as a list of one. */
function valueOf(payload: Parameters<typeof defaultPayloadConverter.fromPayload>[0]): unknown {
  const value: unknown = defaultPayloadConverter.fromPayload(payload);
  return Array.isArray(value) ? value[0] : value;
}

function isoOf({ seconds, nanos }: { seconds?: { toNumber(): number } | null; nanos?: number | null }): string {
  return new Date((seconds?.toNumber() ?? 0) * 1000 + Math.floor((nanos ?? 0) / 1e6)).toISOString();
}
