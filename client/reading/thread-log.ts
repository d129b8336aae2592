/** What a run has told people, in order, from Temporal's histories alone: for who has no Slack, whether or not anybody works, and after its end as well. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type proto from '@temporalio/proto';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { defined } from '../../domain/core/defined.ts';
import { field } from '../../domain/core/unknown.ts';
import { lastWordsWorkflowId, rollbackWindowId, upgradeWorkflowId } from '../../workflows/contract/ids.ts';
import { WORKFLOWS } from '../../workflows/contract/messages.ts';
import { UpgradesError } from '../calls/contract.ts';
import { decoded, type Execution, isoOf } from './event-times.ts';
import { newestUpgrade } from './newest-run.ts';
import { noKnownUpgrade, noSuchRun } from '../calls/messages.ts';
import { isNotFound, translate, within } from '../calls/temporal-calls.ts';
import { IS_OPEN } from '../calls/open.ts';

const PAGE_SIZE = 250;
const PAGE_LIMIT_MS = 10_000;
/** The server answers a long poll within a minute, with nothing where nothing has happened (temporal: frontend.keepAlive…, history.longPollExpirationInterval 20 s). */
const POLL_LIMIT_MS = 70_000;
const PAUSE_MS = 2_000;
/** Guards and reminders that outlive a run; there are one or two. */
const MOST_OUTLIVING = 20;
const PUBLISH = 'publish';

/** One notification as it was handed to Slack. */
export interface ToldMessage {
  /** ISO 8601, by Temporal's clock. */
  at: string;
  runId: string;
  /** The same key is the same message, edited in place. */
  key: string;
  /** As the run wrote it: whoever may write to Temporal may have written something else. */
  notification: { kind: string };
}

export interface ThreadOptions {
  /** Default: the newest. */
  runId?: string;
  /** Goes on until the run has ended, or the signal. */
  follow?: boolean;
  signal?: AbortSignal;
  /** While a follower cannot reach Temporal: a sentence, once for each outage. */
  trouble?: (why: string) => void;
}

/** The oldest first. Throws UpgradesError, and what the data converter throws where a key is missing. */
export async function* readThread(client: Client, cluster: ClusterRef, options: ThreadOptions = {}): AsyncGenerator<ToldMessage> {
  const { follow = false, signal } = options;
  const run = await runOfThread(client, cluster, options.runId);
  const seen = new Set<string>();
  const newest = new Map<string, string>();
  for await (const told of toldIn(client, run, run.runId, options)) {
    const what = textOf(told);
    // An edit may bring back what was there before: a vote is withdrawn, a pause ends.
    if (newest.get(told.key) === what) continue;
    newest.set(told.key, what);
    seen.add(what);
    yield told;
  }
  if (signal?.aborted === true) return;
  const later: ToldMessage[] = [];
  for (const other of await outliving(client, run, follow))
    for await (const told of toldIn(client, other, run.runId)) {
      // What was cut off by the end of its run is told again afterwards.
      if (seen.has(textOf(told))) continue;
      seen.add(textOf(told));
      later.push(told);
    }
  yield* later.toSorted((one, other) => one.at.localeCompare(other.at));
}

const textOf = ({ key, notification }: ToldMessage): string => JSON.stringify([key, notification]);

interface Run extends Execution {
  startedAt: Date;
  endedAt?: Date;
}

async function runOfThread(client: Client, cluster: ClusterRef, runId: string | undefined): Promise<Run> {
  const workflowId = upgradeWorkflowId(cluster);
  try {
    const found = await within(client, PAGE_LIMIT_MS, () => client.workflow.getHandle(workflowId, runId).describe());
    // A repair that holds the cluster's lock has this id as well, and no thread.
    if (runId !== undefined || found.type === WORKFLOWS.upgrade) return runFrom(found);
    const listed = await within(client, PAGE_LIMIT_MS, () => newestUpgrade(client, workflowId));
    if (listed === undefined) throw new UpgradesError('not-running', noKnownUpgrade(cluster.name));
    return runFrom(listed);
  } catch (error) {
    if (!isNotFound(error)) throw translate(client, error);
    throw new UpgradesError('not-running', runId === undefined ? noKnownUpgrade(cluster.name) : noSuchRun(cluster.name, runId));
  }
}

const runFrom = ({
  workflowId,
  runId,
  startTime,
  closeTime,
}: {
  workflowId: string;
  runId: string;
  startTime: Date;
  closeTime?: Date;
}): Run => ({
  workflowId,
  runId,
  startedAt: startTime,
  ...defined({ endedAt: closeTime }),
});

/** What speaks for a run after its end: its last words, guards that stay, the clock of the rollback window. Without visibility the first and the last. */
async function outliving(client: Client, { workflowId, runId, startedAt, endedAt }: Run, hasEnded: boolean): Promise<Execution[]> {
  const [from, since] = [startedAt.toISOString(), (endedAt ?? startedAt).toISOString()];
  const after = `(${IS_OPEN} OR CloseTime >= '${since}')`;
  const lastWords = `(StartTime >= '${from}' AND WorkflowId = '${lastWordsWorkflowId(workflowId, runId)}')`;
  // There is one clock for each cluster: that of an earlier run goes on with this one.
  const clock = `(WorkflowId = '${rollbackWindowId(workflowId)}' AND ${after})`;
  // While a run goes on its steps say everything to it. Those of later runs are none of its own.
  const began = endedAt === undefined ? `StartTime >= '${from}'` : `StartTime BETWEEN '${from}' AND '${endedAt.toISOString()}'`;
  const steps = endedAt === undefined && !hasEnded ? [] : [`(${began} AND WorkflowId STARTS_WITH '${workflowId}/' AND ${after})`];
  const query = [lastWords, clock, ...steps].join(' OR ');
  try {
    return await within(client, PAGE_LIMIT_MS, async () => {
      const found: Execution[] = [];
      for await (const { workflowId: id, runId: ofOther } of client.workflow.list({ query })) {
        found.push({ workflowId: id, runId: ofOther });
        if (found.length === MOST_OUTLIVING) break;
      }
      return found;
    });
  } catch (error) {
    throw translate(client, error);
  }
}

/** What one execution has told of a run. */
async function* toldIn(client: Client, execution: Execution, runId: string, options: ThreadOptions = {}): AsyncGenerator<ToldMessage> {
  for await (const { activityTaskScheduledEventAttributes: scheduled, eventTime } of eventsOf(client, execution, options)) {
    if (scheduled?.activityType?.name !== PUBLISH) continue;
    const payload = scheduled.input?.payloads?.[0];
    if (payload == null) continue;
    const given = await decoded(client, payload, { workflowId: execution.workflowId, activityId: scheduled.activityId ?? '' });
    // Sealed where messages are encrypted: workflows/runtime/messages/seal.
    const input = field(given, 'seal') === undefined ? given : field(given, 'body');
    if (field(field(input, 'upgrade'), 'runId') !== runId) continue;
    const messages = field(input, 'messages');
    for (const message of Array.isArray(messages) ? messages : []) {
      const [key, notification] = [field(message, 'key'), field(message, 'notification')];
      if (typeof key === 'string' && hasKind(notification)) yield { at: isoOf(eventTime) ?? '', runId, key, notification };
    }
  }
}

const hasKind = (value: unknown): value is { kind: string } => typeof field(value, 'kind') === 'string';

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;

/** The oldest first; of a follower with what comes, by long polls, until the run has ended. */
async function* eventsOf(client: Client, execution: Execution, { follow, signal, trouble }: ThreadOptions): AsyncGenerator<HistoryEvent> {
  const { namespace } = client.options;
  let nextPageToken: Uint8Array | undefined;
  let isAway = false;
  for (;;) {
    const request = { namespace, execution, maximumPageSize: PAGE_SIZE, waitNewEvent: follow === true, nextPageToken };
    const read = (): ReturnType<typeof client.workflowService.getWorkflowExecutionHistory> =>
      client.workflowService.getWorkflowExecutionHistory(request);
    let answer: Awaited<ReturnType<typeof read>>;
    try {
      const call = signal === undefined ? read : () => client.withAbortSignal(signal, read);
      answer = await within(client, follow === true ? POLL_LIMIT_MS : PAGE_LIMIT_MS, call);
    } catch (error) {
      if (signal?.aborted === true) return;
      const known = translate(client, error);
      // Whoever follows waits for Temporal, too; at the first page nothing is known to wait for.
      if (follow !== true || nextPageToken === undefined || known.code !== 'unreachable') throw known;
      if (!isAway) trouble?.(known.message);
      isAway = true;
      await sleep(PAUSE_MS, undefined, defined({ signal })).catch(() => undefined);
      continue;
    }
    isAway = false;
    yield* answer.history?.events ?? [];
    nextPageToken = answer.nextPageToken ?? undefined;
    if (nextPageToken === undefined || nextPageToken.length === 0 || signal?.aborted === true) return;
  }
}
