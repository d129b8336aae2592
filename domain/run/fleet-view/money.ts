/** What waiting costs: hours in extended support, at what they cost beyond standard support. */
import { chargedFromMs, EXTRA_USD_PER_HOUR } from '../../tables/eks-prices.ts';
import { supportAt, type SupportType, type Target } from '../fleet.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const EXTRA_USD_PER_DAY = EXTRA_USD_PER_HOUR * 24;

export interface Cost {
  /** Now: 0 in standard support. */
  usdPerDay: number;
  /** Of staying for the days that are looked at. */
  usdWithin: number;
}

/**
 * The price of staying at a minor for so many days; undefined where its support dates are not known. Nothing where the policy is STANDARD: that cluster
 * is upgraded instead ("Cluster upgrade policy"). A policy that was not read counts as EXTENDED, the default of the API. The end of extended
 * support ends no cost: AWS then upgrades to the oldest minor in extended support.
 */
export function costOfWaiting(target: Target, at: string, days: number, supportType: SupportType | undefined): Cost | undefined {
  const { support } = supportAt(target, at);
  if (support === 'unknown' || target.endOfStandardSupport === undefined) return undefined;
  if (supportType === 'STANDARD') return { usdPerDay: 0, usdWithin: 0 };
  const now = Date.parse(at);
  const chargedMs = now + days * DAY_MS - Math.max(now, chargedFromMs(target.endOfStandardSupport));
  return {
    usdPerDay: support === 'standard' ? 0 : EXTRA_USD_PER_DAY,
    usdWithin: cents(Math.max(0, chargedMs / HOUR_MS) * EXTRA_USD_PER_HOUR),
  };
}

export const cents = (amount: number): number => Math.round(amount * 100) / 100;

/** "$4,032" */
export const usd = (amount: number): string => `$${Math.round(amount).toLocaleString('en-US')}`;
