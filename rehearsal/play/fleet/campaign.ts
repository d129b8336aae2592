/** The campaign of a rehearsed fleet: a ring for each environment, the second of which stops where its cluster goes bad. */
import { formatDuration } from '../../../domain/core/parse-duration.ts';
import { FLEET_ENVIRONMENTS, type FleetMember } from '../../scenarios/fleet.ts';

const minute = 60_000;
const hour = 60 * minute;

/** World time; real soaks are a day or more. A campaign looks at everything every five minutes, so six times in this one. */
const SOAK_MS = 30 * minute;
/** Wall time: polls, of which ten are a look, are no shorter than 50 ms. */
const SOAK_AT_LEAST_MS = 6 * 10 * 50;
const STUCK_AFTER_MS = 12 * hour;
/** Wall time: a machine that pauses is no run without progress. */
const STUCK_AT_LEAST_MS = 10 * minute;
/** Wall time: a minute of it is a day here. */
const STARTS_PER_MINUTE = 1_000;

/** Numbers of each environment's ring. In staging two at a time: what has not begun when one fails never begins. */
const RINGS: Readonly<Record<(typeof FLEET_ENVIRONMENTS)[number], object>> = {
  dev: { canary: true, parallel: 3, coversStart: true },
  staging: { parallel: 2, failures: 0, coversStart: true },
  production: { parallel: 3, failures: 0 },
};

export interface FleetCampaign {
  name: string;
  /** `campaigns` of belay.yaml. */
  config: Record<string, unknown>;
}

export function campaignOf([{ scenario }]: readonly [FleetMember, ...FleetMember[]], speed: number): FleetCampaign {
  const divided = (worldMs: number, atLeastMs: number): string => formatDuration(Math.max(atLeastMs, Math.round(worldMs / speed)));
  const name = `to-${scenario.to.replace('.', '-')}`;
  const rings = FLEET_ENVIRONMENTS.map((environment) => ({
    name: environment,
    select: { environments: [environment] },
    soak: divided(SOAK_MS, SOAK_AT_LEAST_MS),
    ...RINGS[environment],
  }));
  const stuckAfter = divided(STUCK_AFTER_MS, STUCK_AT_LEAST_MS);
  return { name, config: { [name]: { target: scenario.to, startsPerMinute: STARTS_PER_MINUTE, stuckAfter, rings } } };
}
