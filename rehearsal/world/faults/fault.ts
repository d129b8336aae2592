/** The shape of a fault: its name, what may stand behind it, and what it stands for. */

export type Area =
  | 'eks'
  | 'terraform'
  | 'kubernetes'
  | 'node'
  | 'karpenter'
  | 'pdb'
  | 'pod'
  | 'volume'
  | 'webhook'
  | 'slack'
  | 'prometheus'
  | 'temporal';

/** What `=VALUE` may be. Durations are world time, but for the delays of the network. */
export type ValueKind =
  /** How many times it strikes (3), or for how long (5m). */
  | 'times'
  /** For how long. */
  | 'duration'
  /** By how much something comes late. */
  | 'delay'
  /** A word of `words`. */
  | 'word';

export interface Fault {
  /** `area:what` */
  name: `${Area}:${string}`;
  /** What happens, in a phrase. */
  happens: string;
  /** Ids of the cases that it stands for; none where it is only transient. */
  cases: readonly string[];
  /** What Belay does about it. */
  belay: string;
  value?: { kind: ValueKind; default: string; words?: readonly string[] };
  /** The moment at which it begins where none is named; absent: from the beginning. */
  at?: string;
  /** Why it needs the twin's own Kubernetes, Karpenter or Prometheus, in a clause; absent: it happens on real parts as well. */
  twinOnly?: string;
}

/** A fault that was asked for. */
export interface FaultOrder {
  /** As it was written. */
  text: string;
  name: Fault['name'];
  /** A phase, an operation, or GATE; absent: from the beginning. */
  at?: string;
  /** Strikes left; infinite where it lasts for a time. */
  times: number;
  /** World milliseconds that it lasts; absent: until it has struck often enough. */
  lastsMs?: number;
  /** Milliseconds, for delays. */
  delayMs?: number;
  word?: string;
}
