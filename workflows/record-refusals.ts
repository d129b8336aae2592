/** Appends what was refused before it belonged to a run: forged requests, strangers, the wrong channel. Ends when nothing more has come. */
import { condition, setHandler, workflowInfo } from '@temporalio/workflow';
import type { AuditEvent } from '../domain/audit.ts';
import { frontDoorActivities } from './activity-proxies.ts';
import { refusedAtTheDoor } from './messages.ts';

/** Keeps one workflow for what comes in quick succession. */
const LINGER_MS = 10_000;

export async function recordRefusals(): Promise<void> {
  let waiting: AuditEvent[] = [];
  setHandler(refusedAtTheDoor, (events) => void waiting.push(...events));
  const { runId } = workflowInfo();
  do {
    const events = waiting;
    waiting = [];
    const [first] = events;
    if (first !== undefined) await frontDoorActivities.appendRefusals({ month: first.at.slice(0, 7), runId, events });
  } while (await condition(() => waiting.length > 0, LINGER_MS, { summary: 'Wait for more' }));
}
