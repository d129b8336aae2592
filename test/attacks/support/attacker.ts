/** Somebody who reaches Temporal's gRPC port: reads every history, sends whatever bytes to whatever workflow, and has none of Belay's keys. */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';

const NAMESPACE = 'default';
const waitedUpdate = { lifecycleStage: 3 };

type HistoryEvent = NonNullable<Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>['events']>[number];

export interface Captured {
  /** Where in the history it stands, in words. */
  from: string;
  payload: Payload;
}

export class Attacker {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  get #service() {
    return this.#client.workflowService;
  }

  /** Whether there was somebody to get it: a step may end meanwhile. */
  async signal(workflowId: string, signalName: string, payloads: Payload[]): Promise<boolean> {
    const workflowExecution = { workflowId };
    return await this.#service
      .signalWorkflowExecution({ namespace: NAMESPACE, workflowExecution, signalName, input: { payloads }, requestId: randomUUID() })
      .then(() => true, isGone);
  }

  /** Whether it succeeded. */
  async update(workflowId: string, name: string, payloads: Payload[]): Promise<boolean> {
    const meta = { updateId: randomUUID(), identity: 'somebody' };
    return await this.#service
      .updateWorkflowExecution({
        namespace: NAMESPACE,
        workflowExecution: { workflowId },
        waitPolicy: waitedUpdate,
        request: { meta, input: { name, args: { payloads } } },
      })
      .then(({ outcome }) => outcome?.success != null, isGone);
  }

  /** Workflows of steps that a run has running now. */
  async steps(workflowId: string): Promise<string[]> {
    const { raw } = await this.#client.workflow.getHandle(workflowId).describe();
    return (raw.pendingChildren ?? []).flatMap((child) => child.workflowId ?? []);
  }

  /** Whether it was answered with something that can be read. */
  async query(workflowId: string, queryType: string, payloads: Payload[]): Promise<boolean> {
    const execution = { workflowId };
    return await this.#service
      .queryWorkflow({ namespace: NAMESPACE, execution, query: { queryType, queryArgs: { payloads } } })
      .then(({ queryResult }) => queryResult?.payloads?.some(isPlain) === true)
      .catch(() => false);
  }

  /** Activities that a worker is at: what was recorded of each, and the last that it has told by a heartbeat. */
  async underWay(workflowId: string): Promise<{ id: string; type: string; input: Payload[]; heartbeat: Payload[] }[]> {
    const { raw } = await this.#client.workflow.getHandle(workflowId).describe();
    const scheduled = (await this.history(workflowId)).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
    return (raw.pendingActivities ?? []).map(({ activityId, activityType, heartbeatDetails }) => ({
      id: activityId ?? '',
      type: activityType?.name ?? '',
      input: scheduled.find((each) => each.activityId === activityId)?.input?.payloads ?? [],
      heartbeat: heartbeatDetails?.payloads ?? [],
    }));
  }

  /** In the place of the worker that is at it. Whether Temporal took it: the worker may have been faster. */
  async complete(workflowId: string, activityId: string, payloads: Payload[]): Promise<boolean> {
    return await this.#service
      .respondActivityTaskCompletedById({ namespace: NAMESPACE, workflowId, activityId, result: { payloads } })
      .then(() => true, isGone);
  }

  /** Its run id. */
  async start(
    workflowType: string,
    workflowId: string,
    payloads: Payload[],
    { taskQueue, fields = {} }: { taskQueue: string; fields?: Record<string, Payload> },
  ): Promise<string> {
    const { runId } = await this.#service.startWorkflowExecution({
      namespace: NAMESPACE,
      workflowId,
      workflowType: { name: workflowType },
      taskQueue: { name: taskQueue },
      input: { payloads },
      header: { fields },
      requestId: randomUUID(),
    });
    return runId ?? '';
  }

  /** How it ended, within a minute. */
  async ending(workflowId: string, runId?: string): Promise<string> {
    const handle = this.#client.workflow.getHandle(workflowId, runId);
    for (let look = 0; look < 600; look += 1) {
      const { status } = await handle.describe();
      if (status.name !== 'RUNNING') return status.name;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return 'RUNNING';
  }

  async statusOf(workflowId: string): Promise<string> {
    return (await this.#client.workflow.getHandle(workflowId).describe()).status.name;
  }

  /** To right after an event, with everything that was sent afterwards sent again: what `temporal workflow reset` does. */
  async reset(workflowId: string, runId: string, { eventId }: Pick<HistoryEvent, 'eventId'>): Promise<string> {
    const again = await this.#service.resetWorkflowExecution({
      namespace: NAMESPACE,
      workflowExecution: { workflowId, runId },
      workflowTaskFinishEventId: eventId ?? undefined,
      requestId: randomUUID(),
      reason: 'by somebody',
    });
    return again.runId ?? '';
  }

  /** Of the first run of this id. */
  async firstRun(workflowId: string): Promise<string> {
    const runs: { runId: string; startTime: Date }[] = [];
    for await (const { runId, startTime } of this.#client.workflow.list({ query: `WorkflowId = '${workflowId}'` }))
      runs.push({ runId, startTime });
    return runs.toSorted((a, b) => a.startTime.getTime() - b.startTime.getTime())[0]?.runId ?? '';
  }

  /** Of his own workflows. */
  async resultOf(workflowId: string, runId: string): Promise<unknown> {
    return await this.#client.workflow.getHandle(workflowId, runId).result();
  }

  async history(workflowId: string, runId?: string): Promise<HistoryEvent[]> {
    return (await this.#client.workflow.getHandle(workflowId, runId).fetchHistory()).events ?? [];
  }

  /** Every ciphertext of a history. */
  async capture(workflowId: string): Promise<Captured[]> {
    const found: Captured[] = [];
    const visit = (value: unknown, from: string): void => {
      if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
      if ('metadata' in value && 'data' in value) found.push({ from, payload: value as Payload });
      else for (const [key, inner] of Object.entries(value)) visit(inner, Array.isArray(value) ? from : `${from}.${key}`);
    };
    for (const event of await this.history(workflowId)) visit(event, String(event.eventId));
    return found;
  }

  /** How often a task of the workflow failed: it would be tried again for ever. */
  async taskFailures(workflowId: string): Promise<number> {
    return (await this.history(workflowId)).filter((event) => event.workflowTaskFailedEventAttributes != null).length;
  }
}

/** gRPC's NOT_FOUND; anything else is the test's own fault. */
function isGone(error: unknown): false {
  if (typeof error === 'object' && error !== null && 'code' in error && error.code === 5) return false;
  throw error;
}

export const plain = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);

const encodingOf = ({ metadata }: { metadata?: Record<string, Uint8Array> | null }): string =>
  Buffer.from(metadata?.['encoding'] ?? []).toString();
const isPlain = (payload: Parameters<typeof encodingOf>[0]): boolean => encodingOf(payload) === 'json/plain';
export const isEncrypted = (payload: Payload): boolean => encodingOf(payload) === 'binary/encrypted';

/** Bytes as a JSON payload can carry them. */
export function hex({ metadata, data }: Payload): unknown {
  const text = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('hex');
  return { metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, text(value)])), data: text(data) };
}
