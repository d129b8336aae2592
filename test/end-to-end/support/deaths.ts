/** SIGKILL to the one of two workers that is at work, and what Temporal's histories say of how long it took the other to go on. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { timestampMs } from './timestamps.ts';

const STARTED = proto.temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED;
const QUEUE = 'belay';
const LOOK_MS = 50;
const BOTH_LIMIT_MS = 60_000;

/** A killed worker, and what was on it. */
export interface Death {
  at: string;
  identity: string;
  /** The only other worker at that moment. */
  survivor: string;
  killedMs: number;
  /** Activities that it had begun and not ended. */
  interrupted: Interrupted[];
}

export interface Interrupted {
  workflowId: string;
  runId: string;
  activityId: string;
  type: string;
}

export interface Recovery {
  at: string;
  /** From SIGKILL to the next workflow task or activity of the survivor. */
  goesOnMs: number;
  /** From SIGKILL to the next attempt of each activity that the dead worker had begun. */
  again: { type: string; afterMs: number; heartbeatMs: number; attempt: number }[];
}

interface Began {
  kind: 'task' | 'activity';
  identity: string;
  ms: number;
  attempt: number;
  key: string;
  heartbeatMs: number;
}

export class Deaths {
  readonly records: Death[] = [];
  readonly #client: Client;
  readonly #parent: string;
  readonly #dead = new Set<string>();

  /** `parent`: workflow id of the upgrade. */
  constructor(client: Client, parent: string) {
    this.#client = client;
    this.#parent = parent;
  }

  /** Kills the worker on which an activity that `fits` runs; where there is none, the one that has done the parent's last task. */
  async kill(at: string, fits: (activity: Interrupted) => boolean): Promise<void> {
    const identities = await this.#bothWorkers();
    const busy = await this.#interrupted();
    const identity = busy.find(fits)?.identity ?? (await this.#lastOfParent());
    const survivor = identities.find((one) => one !== identity);
    if (survivor === undefined) throw new Error(`no worker beside ${identity}`);
    this.#dead.add(identity);
    const killedMs = Date.now();
    process.kill(-pidOf(identity), 'SIGKILL');
    this.records.push({ at, identity, survivor, killedMs, interrupted: busy.filter((one) => one.identity === identity) });
  }

  /** Once the run has ended. */
  async recoveries(): Promise<Recovery[]> {
    const began = await this.#began();
    return this.records.map(({ at, survivor, killedMs, interrupted }) => {
      const after = (one: Began): number => one.ms - killedMs;
      const next = began.filter((one) => one.identity === survivor && after(one) >= 0).map(after);
      const again = interrupted.flatMap(({ workflowId, runId, activityId, type }) => {
        const key = `${workflowId} ${runId} ${activityId}`;
        return began
          .filter((one) => one.kind === 'activity' && one.key === key && after(one) >= 0)
          .map((one) => ({ type, afterMs: after(one), heartbeatMs: one.heartbeatMs, attempt: one.attempt }));
      });
      return { at, goesOnMs: Math.min(...next), again };
    });
  }

  /** Two that live and have asked for work. */
  async #bothWorkers(): Promise<string[]> {
    const endMs = performance.now() + BOTH_LIMIT_MS;
    for (;;) {
      const { pollers } = await this.#client.workflowService.describeTaskQueue({
        namespace: this.#client.options.namespace,
        taskQueue: { name: QUEUE },
        taskQueueType: 1,
      });
      const alive = [...new Set((pollers ?? []).map(({ identity }) => identity ?? ''))].filter(
        (identity) => !this.#dead.has(identity) && isAlive(pidOf(identity)),
      );
      if (alive.length === 2) return alive;
      if (performance.now() > endMs) throw new Error(`not two workers but ${alive.length}`);
      await sleep(LOOK_MS);
    }
  }

  async #interrupted(): Promise<(Interrupted & { identity: string })[]> {
    const found: (Interrupted & { identity: string })[] = [];
    for (const [workflowId, runId] of await this.#family()) {
      const { raw } = await this.#client.workflow.getHandle(workflowId, runId).describe();
      for (const { activityId, activityType, state, lastWorkerIdentity } of raw.pendingActivities ?? []) {
        if (state !== STARTED || !lastWorkerIdentity) continue;
        found.push({ workflowId, runId, activityId: activityId ?? '', type: activityType?.name ?? '', identity: lastWorkerIdentity });
      }
    }
    return found;
  }

  /** The parent, and its children that run. */
  async #family(): Promise<[workflowId: string, runId: string][]> {
    const { raw, runId } = await this.#client.workflow.getHandle(this.#parent).describe();
    const children = (raw.pendingChildren ?? []).map((one): [string, string] => [one.workflowId ?? '', one.runId ?? '']);
    return [[this.#parent, runId], ...children];
  }

  async #lastOfParent(): Promise<string> {
    const { events } = await this.#client.workflow.getHandle(this.#parent).fetchHistory();
    const identity = (events ?? []).findLast((event) => event.workflowTaskStartedEventAttributes)?.workflowTaskStartedEventAttributes
      ?.identity;
    if (!identity) throw new Error('nobody has done a task of the parent');
    return identity;
  }

  async #began(): Promise<Began[]> {
    const began: Began[] = [];
    for await (const { workflowId, runId } of this.#client.workflow.list()) {
      const { events } = await this.#client.workflow.getHandle(workflowId, runId).fetchHistory();
      const scheduled = new Map<string, { activityId: string; heartbeatMs: number }>();
      for (const event of events ?? []) {
        const plan = event.activityTaskScheduledEventAttributes;
        if (plan)
          scheduled.set(String(event.eventId), { activityId: plan.activityId ?? '', heartbeatMs: timestampMs(plan.heartbeatTimeout) });
        const ms = timestampMs(event.eventTime);
        const task = event.workflowTaskStartedEventAttributes;
        if (task) began.push({ kind: 'task', identity: task.identity ?? '', ms, attempt: 1, key: '', heartbeatMs: 0 });
        const activity = event.activityTaskStartedEventAttributes;
        if (!activity) continue;
        const { activityId = '', heartbeatMs = 0 } = scheduled.get(String(activity.scheduledEventId)) ?? {};
        const key = `${workflowId} ${runId} ${activityId}`;
        began.push({ kind: 'activity', identity: activity.identity ?? '', ms, attempt: activity.attempt ?? 1, key, heartbeatMs });
      }
    }
    return began;
  }
}

/** Of `<pid>@<host>`, as the SDK names a worker. */
function pidOf(identity: string): number {
  return Number(/^(\d+)@/.exec(identity)?.[1]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
