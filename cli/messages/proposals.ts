/** What the command line says of campaigns that Belay proposes. */
import { utcMinute } from '../../domain/core/text.ts';

export const nothingProposed = (): string => 'No campaign was proposed.';
export const notLooked = (): string => 'Belay has not looked yet: "belay campaign propose" has it look now.';
export const nextLook = (at: string): string => `The next look is at ${utcMinute(at)}.`;
export const proposalsAreOff = (): string => 'Proposals are off in belay.yaml: nothing is looked at.';
export const configUnread = (why: string): string => `The worker cannot read belay.yaml, and tries again every hour: ${why}`;
export const lookedOn = (day: string): string => `Last look: ${day}.`;
export const readNothing = (why: string): string =>
  `The last look could read nothing, so it is not known whether a campaign is due: ${why}`;
export const waitsFor = (target: string, regions: string): string => `${target} is not proposed yet: EKS does not offer it in ${regions}.`;
export const someUnread = (clusters: string, why: string): string => `Not read: ${clusters} (${why}). They may be due as well.`;
export const openUnread = (why: string): string => `Which campaigns are open is not known: ${why}`;

/** `clusters`: "12 clusters"; `where`: "dev 4, production 8". */
export const proposedOn = (
  { target, from, clusters, where }: { target: string; from: string; clusters: string; where: string },
  day: string,
): string => `${target}: proposed on ${day} for ${clusters} at ${from} (${where})`;

export const dismissedOn = (who: string, day: string, reason: string | undefined): string =>
  `dismissed by ${who} on ${day}${reason === undefined ? '' : `: ${reason}`}`;

export const standing = (now: 'not-due' | 'unknown'): string =>
  now === 'not-due' ? 'by the last look no cluster waits for it' : 'not all clusters could be read at the last look';

export const startIt = (name: string, hash: string): string => `start it: belay campaign start ${name} (plan ${hash} when it was proposed)`;
export const notPlanned = (name: string, why: string): string => `campaign ${name} cannot be planned: ${why}`;
export const addToFile = (): string => 'no campaign in belay.yaml goes there; one could be:';
