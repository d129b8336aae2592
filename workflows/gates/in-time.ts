/** Answers at a gate that came before its deadline. Reading who sent one takes a moment, and a signal may have waited for a worker: neither makes it late. */
import { condition } from '@temporalio/workflow';
import type { GateDefinition, GateState } from '../../domain/gates/gate.ts';
import { expireGate } from '../../domain/gates/gate-rules.ts';
import type { Signed } from '../../domain/gates/signed-message.ts';

/** An answer that is being read: a vote, or more time. */
export interface Arrival {
  gate: string;
  /** Epoch, ms. */
  atMs: number;
}

export class InTime {
  readonly #reading = new Set<Arrival>();

  /** Followed by `end`, however the reading ends. */
  begin({ id, expiresAt }: GateDefinition, message: Signed): Arrival {
    const arrival = { gate: id, atMs: sentAtMs(message) };
    if (arrival.atMs < Date.parse(expiresAt)) this.#reading.add(arrival);
    return arrival;
  }

  end(arrival: Arrival): void {
    this.#reading.delete(arrival);
  }

  /** Resolves once what has come in time until now is answered, or the gate is closed. Without an await where nothing is being read. */
  answered(gate: string, closed: () => boolean): Promise<void> | undefined {
    const open = [...this.#reading].filter((arrival) => arrival.gate === gate);
    if (open.length === 0) return undefined;
    return condition(() => closed() || open.every((arrival) => !this.#reading.has(arrival)));
  }
}

/** As it is for this answer: a timeout is never a yes, also where the gate stays open for another one that came in time. */
export function forArrival(state: GateState, { atMs }: Arrival): GateState {
  return atMs < Date.parse(state.gate.expiresAt) ? state : expireGate(state, state.gate.expiresAt);
}

/** When it was signed; by the workflow's clock where nothing shows that. */
function sentAtMs({ proof, at }: Signed): number {
  const signedMs = proof === undefined || at === undefined ? Number.NaN : Date.parse(at);
  return Number.isNaN(signedMs) ? Date.now() : Math.min(signedMs, Date.now());
}
