/** Appends what was refused before it belonged to a run: forged requests, strangers, the wrong channel. Ends when nothing more has come. */
import { condition, setHandler, workflowInfo } from '@temporalio/workflow';
import type { AuditEvent } from '../../../domain/gates/audit.ts';
import { unproven } from '../../../domain/gates/gate.ts';
import { frontDoorActivities } from '../../runtime/activity-proxies.ts';
import { refusedAtTheDoor } from '../../contract/messages.ts';

/** Keeps one workflow for what comes in quick succession. */
const LINGER_MS = 10_000;
const MOST_AT_ONCE = 50;

export async function recordRefusals(): Promise<void> {
  let waiting: AuditEvent[] = [];
  setHandler(refusedAtTheDoor, (events) => void waiting.push(...events.slice(0, MOST_AT_ONCE).map(asClaimed)));
  const { runId } = workflowInfo();
  do {
    const events = waiting;
    waiting = [];
    const [first] = events;
    if (first !== undefined) await frontDoorActivities.appendRefusals({ month: first.at.slice(0, 7), runId, events });
  } while (await condition(() => waiting.length > 0, LINGER_MS, { summary: 'Wait for more' }));
}

/** Nothing proves who sent it: it is a refusal whatever it says, and names nobody as if it were sure. */
function asClaimed({ id, at, what, actor }: AuditEvent): AuditEvent {
  return { id, at, kind: 'refused', what, ...(actor === undefined ? {} : { actor: unproven(actor) }) };
}
