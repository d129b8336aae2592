/** Refused attempts on their way to the audit record: a refused update leaves nothing in the history, and a forged request never reaches a run. */
import { createHash, randomBytes } from 'node:crypto';
import type { Client, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { AuditEvent } from '../../domain/gates/audit.ts';
import { FRONT_DOOR_WORKFLOW, runOf, TASK_QUEUE } from '../../workflows/contract/ids.ts';
import { attemptRefused, type RefusedAttempt, refusedAtTheDoor, WORKFLOWS } from '../../workflows/contract/messages.ts';
import { within } from '../calls/temporal-calls.ts';
import type { DoorRefusal } from '../calls/contract.ts';
import { moreRefused } from '../calls/messages.ts';
import { defined } from '../../domain/core/defined.ts';

/** The same person at the same gate is written down once in this time: somebody who presses without end must not fill the history. */
const SAME_AFTER_MS = 5_000;
const DOOR_EVERY_MS = 5_000;
/** Told one by one; the rest as a number. */
const DOOR_AT_ONCE = 20;
const LIMIT_MS = 2_000;

/** Best effort: what cannot be told is in the process's own log. Never throws. */
export interface Refusals {
  /** `error`: of a failed update; what is no refusal by a validator is passed over. */
  ofRun(workflowId: string, attempt: Omit<RefusedAttempt, 'id' | 'why'>, error: WorkflowUpdateFailedError): void;
  atTheDoor(refusal: DoorRefusal): void;
  /** Tells what is left. */
  end(): Promise<void>;
}

export function createRefusals(client: Client, { taskQueue = TASK_QUEUE }: { taskQueue?: string }): Refusals {
  const lastMs = new Map<string, number>();
  const running = new Set<Promise<unknown>>();
  let atDoor: AuditEvent[] = [];
  let moreCount = 0;
  let timer: NodeJS.Timeout | undefined;
  let count = 0;

  const run = (work: () => Promise<unknown>): void => {
    const done = within(client, LIMIT_MS, work)
      .catch(() => undefined)
      .finally(() => running.delete(done));
    running.add(done);
  };
  // In containers every process has the same pid: two of them must not make one event of two.
  const sender = randomBytes(6).toString('hex');
  const nextId = (): string => `${sender}-${Date.now()}-${(count += 1)}`;
  const isRepeated = (key: string): boolean => {
    const nowMs = Date.now();
    for (const [known, atMs] of lastMs) if (nowMs - atMs > SAME_AFTER_MS) lastMs.delete(known);
    if (lastMs.has(key)) return true;
    lastMs.set(key, nowMs);
    return false;
  };
  const tellDoor = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (atDoor.length === 0) return;
    const more: AuditEvent[] =
      moreCount === 0 ? [] : [{ id: nextId(), at: new Date().toISOString(), kind: 'refused', what: moreRefused(moreCount) }];
    const events = [...atDoor, ...more];
    atDoor = [];
    moreCount = 0;
    run(() =>
      client.workflow.signalWithStart(WORKFLOWS.refusals, {
        workflowId: FRONT_DOOR_WORKFLOW,
        taskQueue,
        args: [],
        signal: refusedAtTheDoor,
        signalArgs: [events],
        staticSummary: 'Writes down what Slack requests were refused',
      }),
    );
  };

  return {
    ofRun(workflowId, attempt, error) {
      const why = refusalIn(error);
      if (why === undefined) return;
      const key = `${attempt.actor.id}/${attempt.gate ?? attempt.tried}/${why}`;
      if (isRepeated(key)) return;
      run(() => client.workflow.getHandle(runOf(workflowId)).signal(attemptRefused, { ...attempt, id: attemptId(workflowId, key), why }));
    },
    atTheDoor({ what, actor }) {
      if (atDoor.length >= DOOR_AT_ONCE) moreCount += 1;
      else atDoor.push({ id: nextId(), at: new Date().toISOString(), kind: 'refused', what, ...defined({ actor }) });
      timer ??= setTimeout(tellDoor, DOOR_EVERY_MS).unref();
    },
    async end() {
      tellDoor();
      await Promise.all(running);
    },
  };
}

/** The same in every process that hears of the same presses: what stands in the record under it is not written again. */
function attemptId(workflowId: string, key: string): string {
  const window = Math.floor(Date.now() / SAME_AFTER_MS);
  return createHash('sha256').update(`${workflowId} ${key} ${window}`).digest('hex').slice(0, 24);
}

/** What a validator answered; a handler's answer is in the record already. */
function refusalIn({ cause }: WorkflowUpdateFailedError): string | undefined {
  return cause instanceof ApplicationFailure && cause.type === 'DecisionRefused' ? cause.message : undefined;
}
