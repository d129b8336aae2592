/** Writes the audit record of a run without ever holding up a step: events wait in a queue until they stand in the file. */
import { CancellationScope, condition } from '@temporalio/workflow';
import { AUDIT_START, type AuditEvent, type AuditHead, auditRetryMs } from '../../../domain/gates/audit.ts';
import { LONGEST_REASON } from '../../../domain/gates/gate.ts';
import type { Note } from '../../messages/note.ts';
import { auditRecordAltered, auditRecordNotWritten } from '../../messages/run.ts';
import { recordIsNewer } from '../../messages/restored.ts';
import { auditActivities } from '../../runtime/activity-proxies.ts';
import { isOfDoor } from '../../runtime/messages/refused-messages.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { agree, count } from '../../../domain/core/text.ts';

/** What people do is written at once, with all that waits; what Belay does waits for it, so that the record costs a run's history little. */
const AT_ONCE: ReadonlySet<AuditEvent['kind']> = new Set(['start', 'vote', 'refused', 'command', 'end']);
const MAX_WAITING = 25;
/** Somebody who presses without end must not fill the disk. What doors have refused does not count: what is sent to one workflow must not keep what is sent to another off the record. */
const MAX_REFUSED = 100;
/** Of one append, and of all that wait. */
const MAX_BATCH = 100;
const MAX_QUEUED = 1_000;

/** Whatever is sent to a run, an entry of its record stays readable. */
const LONGEST = { what: 1_000, word: 300 } as const;

const cut = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, length - 1)}…`);

function bounded(event: AuditEvent): AuditEvent {
  const { what, actor, gate, choice, reason } = event;
  return {
    ...event,
    what: cut(what, LONGEST.what),
    ...(actor === undefined
      ? {}
      : {
          actor: {
            ...actor,
            id: cut(actor.id, LONGEST.word),
            ...(actor.name === undefined ? {} : { name: cut(actor.name, LONGEST.word) }),
          },
        }),
    ...(gate === undefined ? {} : { gate: cut(gate, LONGEST.word) }),
    ...(choice === undefined ? {} : { choice: cut(choice, LONGEST.word) }),
    ...(reason === undefined ? {} : { reason: cut(reason, LONGEST_REASON) }),
  };
}

export class AuditTrail {
  readonly #of: { cluster: ClusterRef; runId: string; shared?: true };
  readonly #alarm: (note: Note) => void;
  #head = AUDIT_START;
  #queue: AuditEvent[] = [];
  #refusedCount = 0;
  #lostCount = 0;
  #failures = 0;
  #said = new Set<string>();
  #started = false;
  #isClosing = false;
  #ended = false;

  /** `shared`: others write to the record as well. `alarm`: told once for each thing that is wrong with the record. */
  constructor(of: { cluster: ClusterRef; runId: string; shared?: true }, alarm: (note: Note) => void) {
    this.#of = of;
    this.#alarm = alarm;
  }

  /** The newest entry; undefined while there is none. */
  get head(): AuditHead | undefined {
    return this.#head.seq === 0 ? undefined : this.#head;
  }

  note(event: AuditEvent): void {
    if (event.kind === 'refused' && !isOfDoor(event)) {
      this.#refusedCount += 1;
      if (this.#refusedCount > MAX_REFUSED) return;
      if (this.#refusedCount === MAX_REFUSED)
        return void this.#queue.push({
          id: 'refused/more',
          at: event.at,
          kind: 'refused',
          what: 'Further refused attempts are not listed.',
        });
    }
    if (this.#queue.length >= MAX_QUEUED && event.kind !== 'end') this.#lostCount += 1;
    else this.#queue.push(bounded(event));
    this.#start();
  }

  /** What is not written after `limitMs` is returned: the run's record gets it. */
  async finish(limitMs: number): Promise<AuditEvent[]> {
    this.#isClosing = true;
    if (this.#queue.length > 0) await condition(() => this.#queue.length === 0, limitMs, { summary: 'A moment for the audit record' });
    this.#ended = true;
    return this.#queue;
  }

  get #isDue(): boolean {
    return this.#queue.length >= (this.#isClosing ? 1 : MAX_WAITING) || this.#queue.some(({ kind }) => AT_ONCE.has(kind));
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    void CancellationScope.nonCancellable(() => this.#write());
  }

  async #write(): Promise<void> {
    for (;;) {
      await condition(() => this.#isDue || this.#ended);
      if (this.#ended) return;
      // After a failure one event tries whether it is over.
      const events = this.#queue.slice(0, this.#failures === 0 ? MAX_BATCH : 1);
      try {
        const waiting = this.#failures === 0 ? {} : { waiting: this.#queue.slice(0, MAX_BATCH).map(({ id }) => id) };
        const { head, broken, newerCount } = await auditActivities.appendAudit({ ...this.#of, head: this.#head, events, ...waiting });
        this.#head = head;
        this.#queue = this.#queue.slice(events.length);
        this.#failures = 0;
        this.#sayLost();
        if (broken !== undefined) this.#tell(auditRecordAltered(broken));
        if (newerCount !== undefined) this.#tell(recordIsNewer(newerCount));
      } catch (error) {
        this.#tell(auditRecordNotWritten(messageOf(error)));
        this.#failures += 1;
        const waitMs = auditRetryMs(this.#failures);
        const closing = this.#isClosing;
        await condition(() => this.#ended || this.#isClosing !== closing, waitMs, { summary: 'Before the audit record is tried again' });
      }
    }
  }

  /** What did not fit while the record could not be written. */
  #sayLost(): void {
    if (this.#lostCount === 0 || this.#queue.length >= MAX_QUEUED) return;
    const what = `${count(this.#lostCount, 'event')} ${agree(this.#lostCount, 'is', 'are')} not listed: the record could not be written, and too many waited.`;
    this.#queue.push({ id: `lost/${this.#head.seq}`, at: new Date().toISOString(), kind: 'refused', what });
    this.#lostCount = 0;
  }

  #tell(note: Note): void {
    if (this.#said.has(note.text)) return;
    this.#said.add(note.text);
    this.#alarm(note);
  }
}
