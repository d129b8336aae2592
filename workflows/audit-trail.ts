/** Writes the audit record of a run without ever holding up a step: events wait in a queue until they stand in the file. */
import { CancellationScope, condition, patched } from '@temporalio/workflow';
import { AUDIT_START, type AuditEvent, type AuditHead } from '../domain/audit.ts';
import type { ClusterRef } from '../domain/facts.ts';
import type { UpgradePolicy } from '../domain/policy.ts';
import { auditActivities } from './activity-proxies.ts';
import { messageOf } from './root-cause.ts';

/** What people do is written at once, with all that waits; what Belay does waits for it, so that the record costs a run's history little. */
const AT_ONCE: readonly AuditEvent['kind'][] = ['start', 'vote', 'refused', 'command', 'end'];
const MAX_WAITING = 25;
/** Somebody who presses without end must not fill the disk. */
const MAX_REFUSED = 100;
const AGAIN_AFTER_MS = 30_000;

export class AuditTrail {
  readonly #of: { cluster: ClusterRef; runId: string };
  readonly #alarm: (text: string) => void;
  #head = AUDIT_START;
  #queue: AuditEvent[] = [];
  #refusedCount = 0;
  #said = new Set<string>();
  #started = false;
  #isClosing = false;
  #ended = false;
  readonly #atOnce: ReadonlySet<AuditEvent['kind']>;

  /** `alarm`: told once for each thing that is wrong with the record. */
  constructor({ concise, ...of }: { cluster: ClusterRef; runId: string } & Pick<UpgradePolicy, 'concise'>, alarm: (text: string) => void) {
    this.#of = of;
    this.#alarm = alarm;
    // The vote that closes a gate is written; that it has closed one took as much again.
    this.#atOnce = new Set(concise === true || patched('closed-gates-wait') ? AT_ONCE : [...AT_ONCE, 'closed']);
  }

  /** The newest entry; undefined while there is none. */
  get head(): AuditHead | undefined {
    return this.#head.seq === 0 ? undefined : this.#head;
  }

  note(event: AuditEvent): void {
    if (event.kind === 'refused') {
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
    this.#queue.push(event);
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
    return this.#queue.length >= (this.#isClosing ? 1 : MAX_WAITING) || this.#queue.some(({ kind }) => this.#atOnce.has(kind));
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
      const events = [...this.#queue];
      try {
        const { head, broken } = await auditActivities.appendAudit({ ...this.#of, head: this.#head, events });
        this.#head = head;
        this.#queue = this.#queue.slice(events.length);
        if (broken !== undefined) this.#tell(`The audit record of this run is not as Belay wrote it: ${broken}.`);
      } catch (error) {
        this.#tell(`The audit record cannot be written: ${messageOf(error)}. Belay goes on and tries again.`);
        await condition(() => this.#ended, AGAIN_AFTER_MS, { summary: 'Before the audit record is tried again' });
      }
    }
  }

  #tell(text: string): void {
    if (this.#said.has(text)) return;
    this.#said.add(text);
    this.#alarm(text);
  }
}
