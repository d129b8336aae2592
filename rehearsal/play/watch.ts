/** Watches a run from Temporal's side: only looks, never sends. Survives a server that is killed and comes back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, type ConnectionOptions, type WorkflowExecutionInfo } from '@temporalio/client';
import { isBelow } from './stage/names.ts';

const CALL_LIMIT_MS = 3_000;
const LOOK_MS = 250;

export interface WorkflowSight {
  id: string;
  runId: string;
  /** RUNNING, COMPLETED, FAILED, CANCELLED, TERMINATED, … */
  status: string;
}

export interface WorkflowRun extends WorkflowSight {
  startedAt: Date;
}

export interface HistoryTotals {
  historyEvents: number;
  historyBytes: number;
}

/** Of a server of somebody else: certificates, or a key. */
export type Credentials = Pick<ConnectionOptions, 'tls' | 'apiKey' | 'metadata'>;

export class Watcher {
  readonly address: string;
  readonly #connection: Connection;
  readonly #client: Client;

  constructor(options: { address: string; namespace: string; credentials?: Credentials }) {
    this.address = options.address;
    this.#connection = Connection.lazy({ address: options.address, ...options.credentials });
    this.#client = new Client({ connection: this.#connection, namespace: options.namespace });
  }

  async close(): Promise<void> {
    await this.#connection.close().catch(() => undefined);
  }

  /** Does the server answer? */
  async answers(): Promise<boolean> {
    return (await this.#try(() => this.#connection.workflowService.getSystemInfo({}))) !== undefined;
  }

  /** Does a worker ask for work on the queue? */
  async hasWorker(taskQueue: string): Promise<boolean> {
    const { namespace } = this.#client.options;
    const answer = await this.#try(() =>
      this.#connection.workflowService.describeTaskQueue({ namespace, taskQueue: { name: taskQueue }, taskQueueType: 1 }),
    );
    return (answer?.pollers?.length ?? 0) > 0;
  }

  /** undefined: no such workflow, or the server does not answer now. `since`: earlier runs of the same id do not count. */
  async look(workflowId: string, since: Date): Promise<WorkflowSight | undefined> {
    const found = await this.#try(() => this.#client.workflow.getHandle(workflowId).describe());
    return found === undefined || found.startTime < since ? undefined : sightOf(found);
  }

  /** These workflows and those below them (ID/STEP), since that time. Empty while the server does not answer. */
  async family(ids: readonly string[], since: Date): Promise<WorkflowSight[]> {
    const found = await this.#try(async () => {
      const sights: WorkflowSight[] = [];
      for await (const info of this.#client.workflow.list({ query: `StartTime >= '${since.toISOString()}'` })) {
        if (ids.some((id) => isBelow(info.workflowId, id))) sights.push(sightOf(info));
      }
      return sights;
    });
    return found ?? [];
  }

  /** Runs of exactly these workflows since that time, the earliest first. Empty while the server does not answer. */
  async runs(ids: readonly string[], since: Date): Promise<WorkflowRun[]> {
    const found = await this.#try(async () => {
      const runs: WorkflowRun[] = [];
      const query = `WorkflowId IN (${ids.map((id) => `'${id}'`).join(', ')}) AND StartTime >= '${since.toISOString()}'`;
      for await (const info of this.#client.workflow.list({ query })) runs.push({ ...sightOf(info), startedAt: info.startTime });
      return runs;
    });
    return (found ?? []).toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime());
  }

  /** What a workflow answers about itself; undefined: nothing now. */
  async ask(workflowId: string, query: string): Promise<unknown> {
    return await this.#try(() => this.#client.workflow.getHandle(workflowId).query<unknown>(query));
  }

  /** Waits until the workflow is there and has closed. Rejects when the signal aborts. */
  async untilClosed(workflowId: string, since: Date, signal: AbortSignal): Promise<void> {
    const closed = async (): Promise<boolean> => ((await this.look(workflowId, since))?.status ?? 'RUNNING') !== 'RUNNING';
    await until(closed, { limitMs: Number.POSITIVE_INFINITY, signal });
  }

  /** Events and bytes of all the workflows' histories together. */
  async totals(sights: readonly WorkflowSight[]): Promise<HistoryTotals> {
    const totals = { historyEvents: 0, historyBytes: 0 };
    for (const { id, runId } of sights) {
      const described = await this.#try(() => this.#client.workflow.getHandle(id, runId).describe());
      totals.historyEvents += described?.historyLength ?? 0;
      totals.historyBytes += described?.historySize ?? 0;
    }
    return totals;
  }

  /** undefined: no answer in time. */
  async #try<T>(call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.#client.withDeadline(Date.now() + CALL_LIMIT_MS, call);
    } catch {
      return undefined;
    }
  }
}

/** Waits until `condition` holds; false when the time is over. Rejects when the signal aborts. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  options: { limitMs: number; signal: AbortSignal },
): Promise<boolean> {
  const endMs = performance.now() + options.limitMs;
  while (!(await condition())) {
    if (performance.now() > endMs) return false;
    await sleep(LOOK_MS, undefined, { signal: options.signal });
  }
  return true;
}

function sightOf({ workflowId, runId, status }: Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'status'>): WorkflowSight {
  return { id: workflowId, runId, status: status.name };
}
