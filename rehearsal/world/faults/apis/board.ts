/** Faults of one world: waiting for their moment, in force, over. */
import type { Area, FaultOrder } from '../fault.ts';
import { type Arrival, Moments } from '../moments.ts';
import { type Fate, fateOf } from '../fates.ts';

/** What a report says of a fault that was asked for. */
export interface FaultRecord {
  fault: string;
  /** World time at which it began; absent: it never found its moment. */
  since?: string;
  /** How often it struck. */
  struck: number;
}

interface Armed {
  order: FaultOrder;
  left: number;
  openedMs?: number;
  struck: number;
}

export interface BoardOptions {
  nowMs: () => number;
  /** A line of the world's story. */
  tell: (text: string) => void;
}

export class FaultBoard {
  readonly #armed: Armed[];
  readonly #moments = new Moments();
  readonly #options: BoardOptions;
  readonly #listeners = new Set<(order: FaultOrder) => void>();

  constructor(orders: readonly FaultOrder[], options: BoardOptions) {
    this.#options = options;
    this.#armed = orders.map((order) => ({ order, left: order.times, struck: 0 }));
  }

  /** Faults without a moment begin. */
  begin(): void {
    for (const armed of this.#armed) if (armed.order.at === undefined) this.#open(armed);
  }

  /** A request arrives: faults that waited for it begin, and one of them may decide its fate. */
  meet(arrival: Arrival): Fate | undefined {
    const moments = this.#moments.of(arrival);
    for (const armed of this.#armed) {
      if (armed.openedMs === undefined && armed.order.at !== undefined && moments.includes(armed.order.at)) this.#open(armed);
    }
    for (const armed of this.#armed) {
      const fate = this.#holds(armed) ? fateOf(armed.order, arrival) : undefined;
      if (fate === undefined) continue;
      this.#strike(armed);
      return fate;
    }
    return undefined;
  }

  /** For what asks before it goes on: takes one strike of a fault in force. undefined: nothing is wrong. */
  takes(name: FaultOrder['name'], fits: (order: FaultOrder) => boolean = () => true): FaultOrder | undefined {
    const armed = this.#armed.find((one) => one.order.name === name && this.#holds(one) && fits(one.order));
    if (armed === undefined) return undefined;
    this.#strike(armed);
    return armed.order;
  }

  /** In force, without a strike. */
  inForce(name: FaultOrder['name']): boolean {
    return this.#armed.some((armed) => armed.order.name === name && this.#holds(armed));
  }

  /** Told when a fault begins, those that have begun already included. Returns the removal. */
  onBegin(listener: (order: FaultOrder) => void): () => void {
    for (const { order, openedMs } of this.#armed) if (openedMs !== undefined) listener(order);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Asked for in one of these areas? */
  has(...areas: Area[]): boolean {
    return this.#armed.some(({ order }) => areas.some((area) => order.name.startsWith(`${area}:`)));
  }

  get orders(): FaultOrder[] {
    return this.#armed.map(({ order }) => order);
  }

  get records(): FaultRecord[] {
    return this.#armed.map(({ order, openedMs, struck }) => ({
      fault: order.text,
      ...(openedMs === undefined ? {} : { since: new Date(openedMs).toISOString() }),
      struck,
    }));
  }

  #open(armed: Armed): void {
    if (armed.openedMs !== undefined) return;
    armed.openedMs = this.#options.nowMs();
    this.#options.tell(`fault ${armed.order.text} begins`);
    for (const listener of this.#listeners) listener(armed.order);
  }

  #holds({ order, openedMs, left }: Armed): boolean {
    if (openedMs === undefined || left <= 0) return false;
    return order.lastsMs === undefined || this.#options.nowMs() - openedMs < order.lastsMs;
  }

  #strike(armed: Armed): void {
    armed.left -= 1;
    armed.struck += 1;
  }
}

/** A world where nothing goes wrong. */
export const noFaults = (): FaultBoard => new FaultBoard([], { nowMs: () => 0, tell: () => undefined });
