/** How long something has been so, by the watcher's own clock, carried over attempts in heartbeat details. */
import { z } from 'zod';
import type { DriftSeen, SeenSince } from '../../contract/karpenter.ts';
import { conditionOf, type NodeClaim } from '../../clients/kubernetes/objects.ts';
import type { DriftView } from '../../kubernetes/drain/draining-nodes.ts';

/** A change of what exactly it is starts anew. */
const Seen = z.record(z.string(), z.object({ key: z.string(), sinceMs: z.number() }));
const Carried = z.object({
  held: Seen,
  troubles: Seen,
  remaining: z.object({ key: z.string(), sinceMs: z.number() }).optional(),
  launches: z.object({ starting: z.array(z.string()), failedCount: z.number(), replacedCount: z.number() }).optional(),
});

type Launches = NonNullable<z.infer<typeof Carried>['launches']>;

/** Heartbeats stay small: the nodes that are held longest are the ones that matter. */
const CARRIED_NODES = 40;

export class DriftMemory {
  #held: SeenSince = {};
  #troubles: SeenSince = {};
  #remaining: { key: string; sinceMs: number } | undefined;
  #launches: Launches = { starting: [], failedCount: 0, replacedCount: -1 };

  /** From an earlier attempt's heartbeat, else from what the watch before this one has seen; else it starts empty. */
  constructor(heartbeat: unknown, before?: DriftSeen) {
    const parsed = z.object({ details: z.object({ memory: Carried }) }).safeParse(heartbeat);
    const known: z.infer<typeof Carried> | undefined = parsed.success ? parsed.data.details.memory : before;
    if (known === undefined) return;
    const { held, troubles, remaining, launches } = known;
    this.#held = held;
    this.#troubles = troubles;
    this.#remaining = remaining;
    this.#launches = launches ?? this.#launches;
  }

  /** NodeClaims that were given up before they became nodes, since one last did. */
  failedLaunches({ starting, claims, replacedCount }: Pick<DriftView, 'starting' | 'claims' | 'replacedCount'>): number {
    const before = this.#launches;
    const lost = before.starting.filter((name) => !claims.has(name)).length;
    const failedCount = replacedCount > before.replacedCount ? 0 : before.failedCount + lost;
    const booting = starting.filter(hasBegun);
    this.#launches = { starting: booting.map(({ metadata }) => metadata.name).slice(0, CARRIED_NODES), failedCount, replacedCount };
    return failedCount;
  }

  /** How long the set of what is left has not changed. */
  stalledMs(remaining: readonly string[], elapsedMs: number): number {
    const key = digest(remaining);
    if (this.#remaining?.key !== key) this.#remaining = { key, sinceMs: elapsedMs };
    return elapsedMs - this.#remaining.sinceMs;
  }

  /** Takes what is held now; what is missing is forgotten. Gives how long each has been held, by name. */
  held(now: ReadonlyMap<string, string>, elapsedMs: number): Map<string, number> {
    this.#held = renewed(this.#held, now, elapsedMs);
    return durations(this.#held, elapsedMs);
  }

  /** The same for what keeps new nodes from coming up. */
  troubles(now: ReadonlyMap<string, string>, elapsedMs: number): Map<string, number> {
    this.#troubles = renewed(this.#troubles, now, elapsedMs);
    return durations(this.#troubles, elapsedMs);
  }

  /** For the next watch, whose clock begins at 0 when this one's is at `elapsedMs`. */
  seen(elapsedMs: number): DriftSeen {
    return { held: shifted(this.#longestHeld(), elapsedMs), troubles: shifted(this.#troubles, elapsedMs), launches: this.#launches };
  }

  #longestHeld(): SeenSince {
    const longest = Object.entries(this.#held)
      .sort(([, a], [, b]) => a.sinceMs - b.sinceMs)
      .slice(0, CARRIED_NODES);
    return Object.fromEntries(longest);
  }

  /** For the heartbeat. */
  carried(): z.infer<typeof Carried> {
    return {
      held: this.#longestHeld(),
      troubles: this.#troubles,
      launches: this.#launches,
      ...(this.#remaining === undefined ? {} : { remaining: this.#remaining }),
    };
  }
}

/**
 * Where EC2 has no capacity, or the node class is not ready, Karpenter deletes the NodeClaim before it writes anything about its launch (karpenter,
 * nodeclaim/lifecycle/launch.go) and tries elsewhere: transient, as long as it does not last. AwaitingReconciliation is what every condition begins with.
 */
function hasBegun(claim: NodeClaim): boolean {
  const { status, reason = '' } = conditionOf(claim, 'Launched') ?? {};
  return status === 'True' || !['', 'AwaitingReconciliation'].includes(reason);
}

function renewed(before: SeenSince, now: ReadonlyMap<string, string>, elapsedMs: number): SeenSince {
  return Object.fromEntries(
    [...now].map(([name, key]) => {
      const known = before[name];
      return [name, known?.key === key ? known : { key, sinceMs: elapsedMs }];
    }),
  );
}

function shifted(seen: SeenSince, byMs: number): SeenSince {
  return Object.fromEntries(Object.entries(seen).map(([name, { key, sinceMs }]) => [name, { key, sinceMs: sinceMs - byMs }]));
}

function durations(seen: SeenSince, elapsedMs: number): Map<string, number> {
  return new Map(Object.entries(seen).map(([name, { sinceMs }]) => [name, elapsedMs - sinceMs]));
}

/** Names of thousands of nodes as a short key (FNV-1a, 32 bits): told apart, not kept secret. */
function digest(names: readonly string[]): string {
  let hash = 0x811c9dc5;
  for (const char of [...names].sort().join('\n')) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return `${names.length}-${hash.toString(16)}`;
}
