/** The audit record of a run as its parent keeps it: start, plan, steps, commands, end, and what steps and gates report. */
import { setHandler } from '@temporalio/workflow';
import { AUDIT_START, type AuditEvent, type AuditHead } from '../../../domain/gates/audit.ts';
import { type DecisionReply, unproven } from '../../../domain/gates/gate.ts';
import type { Notification } from '../../../domain/run/notifications.ts';
import type { UpgradePlan } from '../../../domain/plan/model/types.ts';
import type { StepState, UpgradeReport } from '../../../domain/run/record/status.ts';
import { AuditTrail } from './audit-trail.ts';
import type { Note } from '../../messages/note.ts';
import { onRefusedMessage } from '../../runtime/messages/refused-messages.ts';
import { attemptRefused, type ControlInput, type UpgradeInput } from '../../contract/messages.ts';
import type { Actor } from '../../../domain/gates/actor.ts';
import { count } from '../../../domain/core/text.ts';

/** How long the end of a run may wait for a record that cannot be written. */
const LAST_ENTRIES_MS = 10_000;
/** A result has to stay small. */
const MAX_UNWRITTEN = 100;

/** What is told before `start` is dropped. */
export class RunAudit {
  #trail: AuditTrail | undefined;
  #count = 0;
  /** Refused before the run knew where its record is. */
  #early: AuditEvent[] = [];

  /** Before the first await of the workflow. Whoever says that somebody was refused proves nothing of it. */
  install(): void {
    onRefusedMessage((event) => (this.#trail === undefined ? void this.#early.push(event) : this.note(event)));
    setHandler(attemptRefused, ({ id, actor, tried, gate, choice, reason, why }) =>
      this.note({
        id: `attempt/${id}`,
        at: now(),
        kind: 'refused',
        what: `${tried} was refused: ${why}`,
        actor: unproven(actor),
        gate,
        choice,
        reason,
      }),
    );
  }

  start(input: UpgradeInput, runId: string, alarm: (note: Note) => void): void {
    this.#trail = new AuditTrail({ cluster: input.cluster, runId }, alarm);
    this.note({ id: 'start', at: now(), kind: 'start', what: `${askedFor(input)} was asked for`, actor: input.requestedBy });
    for (const event of this.#early.splice(0)) this.note(event);
  }

  /** Nobody is proved to have asked, or the start was sent again. */
  refusedStart(why: string, actor: Actor): void {
    this.note({ id: 'start/refused', at: now(), kind: 'refused', what: `The start was refused: ${why}`, actor });
  }

  /** The newest entry that is known to stand in the file. */
  get head(): AuditHead | undefined {
    return this.#trail?.head;
  }

  note(event: AuditEvent): void {
    this.#trail?.note(event);
  }

  planned({ hash, from, to, steps }: UpgradePlan): void {
    this.note({ id: 'plan', at: now(), kind: 'plan', what: `Planned ${from} to ${to} in ${count(steps.length, 'step')}`, planHash: hash });
  }

  step(step: string, state: StepState, note: string | undefined): void {
    this.#count += 1;
    const what = note === undefined || note === '' ? `${step}: ${state}` : `${step}: ${state}, ${note}`;
    this.note({ id: `step/${step}/${this.#count}`, at: now(), kind: 'step', what, step });
  }

  /** Pause, resume, abort, pace: who was told what. */
  command(verb: string, { actor, reason }: ControlInput, reply: DecisionReply): void {
    this.#count += 1;
    const kind = reply.accepted ? 'command' : 'refused';
    this.note({ id: `command/${verb}/${this.#count}`, at: now(), kind, what: `${verb}: ${reply.message}`, actor, reason });
  }

  /** Gates' messages show how far the record has come: whoever changes it later is contradicted by the thread. */
  stamp(notification: Notification): Notification {
    const { head } = this;
    return notification.kind === 'gate' && head !== undefined ? { ...notification, record: head } : notification;
  }

  /** The last entry; afterwards the report names the record's head, and has what could not be written. */
  async close(report: UpgradeReport): Promise<void> {
    if (this.#trail === undefined) return;
    this.note({ id: 'end', at: now(), kind: 'end', what: `Ended ${report.outcome}: ${report.status.headline}` });
    const unwritten = await this.#trail.finish(LAST_ENTRIES_MS);
    report.audit = { head: this.head ?? AUDIT_START, ...(unwritten.length === 0 ? {} : { unwritten: unwritten.slice(0, MAX_UNWRITTEN) }) };
    if (unwritten.length > 0)
      report.leftBehind.push({
        what: 'audit record of this run',
        why: `${count(unwritten.length, 'entry')} could not be written`,
        kept: false,
      });
  }
}

function askedFor({ cluster, target, back, undo }: UpgradeInput): string {
  if (undo !== undefined) return `Undo of ${undo} on ${cluster.name}`;
  return `${back === true ? 'Rollback' : 'Upgrade'} of ${cluster.name} to ${target}`;
}

const now = (): string => new Date().toISOString();
