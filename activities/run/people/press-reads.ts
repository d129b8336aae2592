/**
 * What is read of Slack for the votes of one press, read once: 300 votes would else be 300 calls of usergroups.users.list, of which Slack answers some
 * twenty a minute (Tier 2: docs.slack.dev/apis/web-api/rate-limits), and all that fail are a no.
 */
import type { GroupReader, PersonReader } from '../../contract/ports.ts';

/** As fresh as a read for one vote: nothing is read before the press, and nothing older than this is used. */
const KEEP_MS = 45_000;

interface Readers {
  groups?: GroupReader;
  people?: PersonReader;
}

export class PressReads {
  readonly #readers: Readers;
  readonly #nowMs: () => number;
  readonly #presses = new Map<string, { groups: Reads<string[]>; people: Reads<string | undefined>; usedAtMs: number }>();

  constructor(readers: Readers, nowMs: () => number = Date.now) {
    this.#readers = readers;
    this.#nowMs = nowMs;
  }

  /** `press`: what all votes of one press say alike, and their proofs are bound to; undefined: a vote by itself, for which Slack is asked now. */
  of(press: string | undefined): Readers {
    if (press === undefined) return this.#readers;
    const nowMs = this.#nowMs();
    for (const [key, { usedAtMs }] of this.#presses) if (nowMs - usedAtMs >= KEEP_MS) this.#presses.delete(key);
    const known = this.#presses.get(press) ?? { groups: new Reads(this.#nowMs), people: new Reads(this.#nowMs), usedAtMs: nowMs };
    this.#presses.set(press, { ...known, usedAtMs: nowMs });
    const { groups, people } = this.#readers;
    return {
      ...(groups === undefined ? {} : { groups: { members: (group) => known.groups.get(group, () => groups.members(group)) } }),
      ...(people === undefined ? {} : { people: { whyNotMember: (user) => known.people.get(user, () => people.whyNotMember(user)) } }),
    };
  }
}

/** Failures are not kept: the next vote asks again. */
class Reads<T> {
  readonly #nowMs: () => number;
  readonly #read = new Map<string, { atMs: number; value: Promise<T> }>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get(key: string, read: () => Promise<T>): Promise<T> {
    const nowMs = this.#nowMs();
    const known = this.#read.get(key);
    if (known !== undefined && nowMs - known.atMs < KEEP_MS) return known.value;
    const value = read();
    this.#read.set(key, { atMs: nowMs, value });
    value.catch(() => this.#read.delete(key));
    return value;
  }
}
