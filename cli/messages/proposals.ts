/** What the command line says of campaigns that Belay proposes. */
import { utcMinute } from '../../domain/core/text.ts';

export const nothingProposed = (): string => 'Belay has proposed no campaign.';
export const notLooked = (): string => 'Belay has not checked yet: "belay campaign propose" makes it check now.';
export const nextLook = (at: string): string => `Next check: ${utcMinute(at)}.`;
export const proposalsAreOff = (): string => 'Proposals are off in belay.yaml, so Belay does not check whether a campaign is due.';
export const configUnread = (why: string): string => `The worker cannot read belay.yaml, and retries every hour: ${why}`;
export const lookedOn = (day: string): string => `Last check: ${day}.`;
export const readNothing = (why: string): string =>
  `The last check could not read anything, so it is not known whether a campaign is due: ${why}`;
export const waitsFor = (target: string, regions: string): string => `${target} is not proposed yet: EKS does not offer it in ${regions}.`;
export const someUnread = (clusters: string, why: string): string => `Could not read ${clusters} (${why}); they may be due as well.`;
export const openUnread = (why: string): string => `Could not read which campaigns are open: ${why}`;

/** `clusters`: "12 clusters"; `where`: "dev 4, production 8". */
export const proposedOn = (
  { target, from, clusters, where }: { target: string; from: string; clusters: string; where: string },
  day: string,
): string => `${target}: proposed on ${day} for ${clusters} at ${from} (${where})`;

export const dismissedOn = (who: string, day: string, reason: string | undefined): string =>
  `dismissed by ${who} on ${day}${reason === undefined ? '' : `: ${reason}`}`;

export const standing = (now: 'not-due' | 'unknown'): string =>
  now === 'not-due' ? 'no longer due at the last check' : 'not all clusters could be read at the last check';

export const startIt = (name: string, hash: string): string =>
  `to start it: belay campaign start ${name} (plan ${hash} when it was proposed)`;
export const notPlanned = (name: string, why: string): string => `campaign ${name} cannot be planned: ${why}`;
export const addToFile = (): string => 'no campaign in belay.yaml has this target; one could be:';
