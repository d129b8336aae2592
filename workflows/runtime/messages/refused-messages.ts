/** What a workflow refused at its door, on its way to an audit record: its run's where it has one, otherwise that of what belonged to no run. */
import { CancellationScope, log, workflowInfo } from '@temporalio/workflow';
import type { AuditEvent } from '../../../domain/gates/audit.ts';
import { frontDoorActivities, refusedStartActivities } from '../activity-proxies.ts';
import { workflowLocal } from '../workflow-local.ts';
import type { Actor } from '../../../domain/gates/actor.ts';

/** Each costs events: whoever sends without end must not fill a history. The first of each message is noted all the same. */
const MOST = 20;
/** Of ids. */
const DOOR = 'door/';
/** Whoever sends what nobody can read has shown no name. */
const SOMEBODY: Actor = { kind: 'cli', id: 'somebody who reaches Temporal' };

interface Noted {
  keep?: (event: AuditEvent) => void;
  count: number;
  /** Of which messages a refusal is noted. They are few: what a workflow has handlers for, and results of its activities. */
  messages: Set<string>;
}

const own = workflowLocal<Noted>('refused-messages', () => ({ count: 0, messages: new Set() }));

/** Of this workflow; called before its first await. */
export function onRefusedMessage(listener: (event: AuditEvent) => void): void {
  own().keep = listener;
}

/** `tried`: name of the message. */
export const mayNoteMore = (tried: string): boolean => own().count < MOST || !own().messages.has(tried);

/** Was it noted at the door of a workflow? Then that workflow has bounded how many there are. */
export const isOfDoor = ({ id }: AuditEvent): boolean => id.startsWith(DOOR);

/** `tried`: name of the message. */
export function noteRefusedMessage(tried: string, why: string): void {
  if (!mayNoteMore(tried)) return;
  const noted = own();
  noted.count += 1;
  noted.messages.add(tried);
  const event = eventOf(`${DOOR}${workflowInfo().runId}/${noted.count}`, tried, why);
  log.warn('a message was refused', { tried, why });
  if (noted.keep !== undefined) return noted.keep(event);
  void CancellationScope.nonCancellable(() => append(event)).catch(() => undefined);
}

/** Resolves when it is written, or cannot be. */
export async function noteRefusedStart(why: string): Promise<void> {
  const { workflowType, workflowId, runId } = workflowInfo();
  log.warn('a start was refused', { workflowType, workflowId, why });
  const refused = inputOf(eventOf(`${DOOR}${runId}/start`, `start of ${workflowType} as ${workflowId}`, why));
  await refusedStartActivities.appendRefusals(refused).catch((error: unknown) => log.error('that cannot be written down', { error }));
}

function eventOf(id: string, tried: string, why: string): AuditEvent {
  const more = own().count === MOST ? ' From here on only the first of each other message is listed.' : '';
  return { id, at: new Date().toISOString(), kind: 'refused', what: `${tried} was refused: ${why}.${more}`, actor: SOMEBODY };
}

async function append(event: AuditEvent): Promise<void> {
  await frontDoorActivities.appendRefusals(inputOf(event));
}

function inputOf(event: AuditEvent): { month: string; runId: string; events: AuditEvent[] } {
  return { month: event.at.slice(0, 7), runId: workflowInfo().runId, events: [event] };
}
