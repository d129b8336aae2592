/** `--kill PROCESS@PHASE`: SIGKILL at exactly the moment that hurts most, and how long it takes to be back at work. */
import type { Mutation } from '../world/journal.ts';
import { isObservable, isPhase, OBSERVABLE_PHASES, PhaseObserver } from './phase-observer.ts';

export const KILLABLE = ['worker', 'slack', 'temporal'] as const;
export type Killable = (typeof KILLABLE)[number];

export interface KillOrder {
  process: Killable;
  /** Phase, e.g. control-plane. */
  at: string;
}

/** What --json says of a kill that happened. */
export interface KillRecord extends KillOrder {
  /** Wall milliseconds from SIGKILL to the restarted process's next request; undefined: it has made none yet. */
  recoveredMs?: number;
}

/** Parses a flag's value. Throws a RangeError that says what would be right. */
export function parseKill(value: string): KillOrder {
  const [name = '', phase = '', ...more] = value.split('@');
  const process = KILLABLE.find((known) => known === name);
  if (process === undefined || phase === '' || more.length > 0) {
    throw new RangeError(
      `"${value}" is not a kill; write one of ${KILLABLE.join(', ')}, then @ and a phase, such as worker@control-plane.`,
    );
  }
  if (!isPhase(phase)) throw new RangeError(`"${value}" names no phase; write one of ${OBSERVABLE_PHASES.join(', ')} after the @.`);
  if (process !== 'slack' && !isObservable(phase)) {
    throw new RangeError(
      `${phase} changes nothing that the twin could see, so there is no moment for "${value}"; write one of ${OBSERVABLE_PHASES.join(', ')}.`,
    );
  }
  return { process, at: phase };
}

export interface KillSwitches {
  /** SIGKILL; false: it was not running. */
  kill(process: Killable): boolean;
  say(line: string): void;
}

/** Fires each order once, and measures the way back. */
export class Kills {
  readonly #waiting: KillOrder[];
  readonly #records: (KillRecord & { killedAt: number })[] = [];
  readonly #observer = new PhaseObserver();
  readonly #switches: KillSwitches;

  constructor(orders: readonly KillOrder[], switches: KillSwitches) {
    this.#waiting = [...orders];
    this.#switches = switches;
  }

  /** For Journal.onMutation: after acceptance, before the answer. */
  onMutation(mutation: Mutation): void {
    const phase = this.#observer.observe(mutation);
    if (phase === undefined) return;
    this.#fire((order) => order.process !== 'slack' && order.at === phase, `${mutation.operation} ${mutation.resource}`);
  }

  /** For SlackStandIn.onClick: after the press, before the app hears of it. */
  onClick(gateId: string): void {
    this.#fire((order) => order.process === 'slack' && gateId.includes(`:${order.at}@`), `a press at ${gateId}`);
  }

  /** The restarted process made a request. */
  recovered(process: Killable): void {
    for (const record of this.#records) {
      if (record.process !== process || record.recoveredMs !== undefined) continue;
      record.recoveredMs = Math.round(performance.now() - record.killedAt);
      this.#switches.say(`${process} is back at work after ${(record.recoveredMs / 1000).toFixed(1)} s`);
    }
  }

  get records(): KillRecord[] {
    return this.#records.map(({ process, at, recoveredMs }) => ({ process, at, recoveredMs }));
  }

  /** Orders that never found their moment. */
  get unfired(): KillOrder[] {
    return [...this.#waiting];
  }

  #isAway(process: Killable): boolean {
    return this.#records.some((record) => record.process === process && record.recoveredMs === undefined);
  }

  #fire(fits: (order: KillOrder) => boolean, moment: string): void {
    for (const order of this.#waiting.filter(fits)) {
      // Who is down already cannot die: several orders for one phase are so many moments.
      if (this.#isAway(order.process) || !this.#switches.kill(order.process)) continue;
      this.#waiting.splice(this.#waiting.indexOf(order), 1);
      this.#records.push({ ...order, killedAt: performance.now() });
      this.#switches.say(`SIGKILL to ${order.process} at ${order.at} (${moment})`);
    }
  }
}
