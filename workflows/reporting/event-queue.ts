/** One delivery's events on their way: in order, by an activity of its own, so that a receiver that is away holds up nothing and nobody else. */
import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';
import type { DeliverInput, RunEvent } from '../../domain/run/events/event.ts';
import type { DeliveryTerms } from '../../domain/policy/deliveries.ts';
import { eventActivities } from '../runtime/delivery-proxies.ts';
import { whenSettled } from '../runtime/when-settled.ts';

/** Of a receiver that is away for long: beyond this the oldest go, those that tell least first. As last words they have to fit into one payload. */
const MOST = 100;
/** Events of one activity. A mail has one of its own: one that ends without an answer may have been sent, and is not tried again. */
export const AT_ONCE = { webhook: 5, email: 1 } as const;

export class EventQueue {
  readonly #terms: DeliveryTerms;
  readonly #upgrade: DeliverInput['upgrade'];
  #pending: RunEvent[] = [];
  #going: readonly RunEvent[] = [];
  #scope: CancellationScope | undefined;
  #loop: Promise<void> | undefined;
  #ended = false;

  constructor(terms: DeliveryTerms, upgrade: DeliverInput['upgrade']) {
    this.#terms = terms;
    this.#upgrade = upgrade;
  }

  /** Begins with the first event that concerns the receiver. */
  put(event: RunEvent): void {
    const { kind, events } = this.#terms;
    if (!events.includes(event.type) || (kind === 'email' && event.quiet === true)) return;
    this.#pending = bounded(withNewest(this.#pending, event, this.#going), this.#going);
    this.#start();
  }

  /** Waits until everything is sent, at most `limitMs`. Gives what is not. */
  async close(limitMs: number): Promise<DeliverInput | undefined> {
    const isDone = (): boolean => this.#pending.length === 0;
    if (!isDone()) await condition(isDone, limitMs, { summary: `A moment for ${this.#terms.name}` });
    this.#ended = true;
    // An attempt that is under way ends as it does; one that waits for its next is off at once. So it is known of each whether it was sent.
    if (!isDone()) this.#scope?.cancel();
    await this.#loop;
    if (isDone()) return undefined;
    const { name, kind } = this.#terms;
    return { delivery: { name, kind }, upgrade: this.#upgrade, events: this.#pending };
  }

  #start(): void {
    // Of its own: what is to be told must be told above all when the run is being cancelled.
    this.#loop ??= CancellationScope.nonCancellable(async () => {
      this.#scope = new CancellationScope({ cancellable: true });
      await this.#scope.run(() => this.#deliver());
    }).catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
  }

  async #deliver(): Promise<void> {
    while (!this.#ended) {
      await condition(() => this.#pending.length > 0 || this.#ended);
      // What else is told at the same moment goes along.
      await whenSettled();
      if (!this.#ended) await this.#send();
    }
  }

  async #send(): Promise<void> {
    const { name, kind } = this.#terms;
    this.#going = this.#pending.slice(0, AT_ONCE[kind]);
    const input = { delivery: { name, kind }, upgrade: this.#upgrade, events: [...this.#going] };
    try {
      const done = await eventActivities[kind].deliverEvents.executeWithOptions({ summary: summaryOf(input) }, [input]);
      const keys = new Set(done.map(({ key }) => key));
      this.#pending = this.#pending.filter(({ key }) => !keys.has(key));
    } catch (error) {
      if (isCancellation(error)) throw error;
      // Not to be tried again: whether it has arrived is not known. Temporal UI and the CLI still have it.
      this.#pending = this.#pending.filter((event) => !this.#going.includes(event));
      await sleep(1000, { summary: `${name} was not told` });
    } finally {
      this.#going = [];
    }
  }
}

export const summaryOf = ({ delivery, events }: DeliverInput): string =>
  `Tell ${delivery.name}: ${events.map(({ key }) => key).join(', ')}`.slice(0, 200);

/** A gate that has changed before it was told is told as it is now: nobody decides at one that is closed. */
function withNewest(pending: readonly RunEvent[], event: RunEvent, going: readonly RunEvent[]): RunEvent[] {
  const isOlder = (other: RunEvent): boolean => event.data.gate !== undefined && other.data.gate?.id === event.data.gate.id;
  return [...pending.filter((other) => going.includes(other) || !isOlder(other)), event];
}

function bounded(pending: RunEvent[], going: readonly RunEvent[]): RunEvent[] {
  if (pending.length <= MOST) return pending;
  const least = ({ type }: RunEvent): boolean => /^(?:campaign\.)?note\.info$|^step\./.test(type);
  const free = pending.filter((event) => !going.includes(event));
  const gone = free.find(least) ?? free[0];
  return pending.filter((event) => event !== gone);
}
