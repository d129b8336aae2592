/**
 * A role that AWS does not let us assume is not asked for again by each of its clusters, runs and guards: every AssumeRole counts against the rate
 * limit of the account that the worker's own credentials belong to, which all other accounts need. After a pause one call tries again.
 */
import { utcSecond } from '../../../domain/core/text.ts';

/** Between two tries: doubled after each one that is refused. */
const PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/** STS's words for: this role, or any role in this region, is not for you. https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
const REFUSALS: ReadonlySet<string> = new Set(['AccessDenied', 'AccessDeniedException', 'RegionDisabledException']);

/** AWS refused this role a moment ago, so it was not asked. The message says since when, and when it is tried next. */
export class RoleRefusedError extends Error {
  override readonly name = 'RoleRefusedError';
}

interface Refused {
  why: Error;
  sinceMs: number;
  pauseMs: number;
  nextMs: number;
  /** Somebody tries at the moment: half open. */
  trying: boolean;
}

export interface RoleBreaker {
  /** Runs `assume`, unless AWS refused the same a moment ago: then rejects with RoleRefusedError. `key`: what makes two requests the same one. */
  through<T>(role: string, key: string, assume: () => Promise<T>): Promise<T>;
}

/** `nowMs` is injected by tests. */
export function createRoleBreaker(nowMs: () => number = () => Date.now()): RoleBreaker {
  const refused = new Map<string, Refused>();
  return {
    async through(role, key, assume) {
      const open = refused.get(key);
      if (open !== undefined && (open.trying || nowMs() < open.nextMs)) throw refusal(role, open);
      if (open !== undefined) open.trying = true;
      try {
        const answer = await assume();
        refused.delete(key);
        return answer;
      } catch (error) {
        // Anything else (a time-out, no credentials of our own) says nothing about the role.
        if (error instanceof Error && REFUSALS.has(error.name)) refused.set(key, after(error, refused.get(key), nowMs()));
        throw error;
      } finally {
        const still = refused.get(key);
        if (still !== undefined && still === open) still.trying = false;
      }
    },
  };
}

function after(why: Error, before: Refused | undefined, now: number): Refused {
  // Requests that were under way together are refused together: that is one refusal.
  if (before !== undefined && !before.trying) return before;
  const pauseMs = before === undefined ? PAUSE_MS : Math.min(2 * before.pauseMs, LONGEST_PAUSE_MS);
  return { why, sinceMs: before?.sinceMs ?? now, pauseMs, nextMs: now + pauseMs, trying: false };
}

function refusal(role: string, { why, sinceMs, nextMs, trying }: Refused): RoleRefusedError {
  const next = trying ? 'is being made now' : `is at ${utcSecond(nextMs)}`;
  return new RoleRefusedError(
    `Belay has not asked AWS for role ${role}: AWS has refused it since ${utcSecond(sinceMs)}, and the next try ${next} (${why.name}: ${why.message})`,
    { cause: why },
  );
}
