/** What all clients of a process share about accounts: which roles AWS refuses, and how fast each account may be asked. */
import { createPace, type Pace, type Place } from './pace.ts';
import { createRoleBreaker, type RoleBreaker } from './role-breaker.ts';

export interface Reach {
  breaker: RoleBreaker;
  pace: Pace;
}

/** `nowMs` is injected by tests. */
export function createReach(nowMs?: () => number): Reach {
  return { breaker: createRoleBreaker(nowMs), pace: createPace(nowMs) };
}

/** A client's configuration for one service, at the pace of its account. */
export function paced<Config extends { place: Place; reach: Reach }>(
  { place, reach, ...config }: Config,
  service: string,
): Omit<Config, 'place' | 'reach'> & { retryStrategy: ReturnType<Pace> } {
  return { ...config, retryStrategy: reach.pace(place, service) };
}
