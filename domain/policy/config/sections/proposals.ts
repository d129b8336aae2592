/** `proposals:` in belay.yaml: when Belay looks for campaigns that are due, and where it proposes them. */
import { z } from 'zod';
import type { ProposalPolicy } from '../../proposals.ts';
import { WEEKDAYS } from '../../windows.ts';
import { flag, text } from '../base/fields.ts';
import { clockTime, timeZone, weekdays } from './windows.ts';

const DEFAULT_WITHIN_DAYS = 90;
const RIGHT_DAYS = 'write a whole number of days from 1 to 730';

export const proposalsSchema = z
  .strictObject({
    enabled: flag().describe('false: no further look; what was proposed and dismissed stays known').optional(),
    days: weekdays.describe('Days of the look').optional(),
    at: clockTime('08:00').describe('Local time of the look').optional(),
    timeZone: timeZone.optional(),
    channel: text('write a channel id such as C012AB3CD or its name').describe('Slack channel, instead of slack.channel').optional(),
    withinDays: z
      .number({ error: RIGHT_DAYS })
      .int({ error: RIGHT_DAYS })
      .min(1, { error: RIGHT_DAYS })
      .max(730, { error: RIGHT_DAYS })
      .describe('What waiting costs is counted over so many days; who leaves standard support within them does not wait for other regions')
      .optional(),
  })
  .describe('A look at offered versions and support dates that proposes campaigns in Slack, and starts none');

type ProposalsInput = z.output<typeof proposalsSchema>;

/** Why nobody would hear of it. */
export function proposalProblems(
  proposals: ProposalsInput | undefined,
  channel: string | undefined,
): { path: string[]; message: string }[] {
  if (proposals === undefined || proposals.enabled === false || (proposals.channel ?? channel) !== undefined) return [];
  const message = 'is missing, and there is no slack.channel either, so nobody would see a proposal; write a channel id such as C012AB3CD';
  return [{ path: ['proposals', 'channel'], message }];
}

/** undefined: none are made, which is so without the section. */
export function proposalsFrom(
  proposals: ProposalsInput | undefined,
  of: Pick<ProposalPolicy, 'approvals' | 'timing' | 'windows'> & { channel?: string },
): ProposalPolicy | undefined {
  const channel = proposals?.channel ?? of.channel;
  if (proposals === undefined || proposals.enabled === false || channel === undefined) return undefined;
  const { days = ['mon'], at = '08:00', timeZone: zone = 'UTC', withinDays = DEFAULT_WITHIN_DAYS } = proposals;
  return {
    at: { days: WEEKDAYS.filter((day) => days.includes(day)), start: at, timeZone: zone },
    channel,
    withinDays,
    approvals: of.approvals,
    timing: of.timing,
    windows: of.windows,
  };
}
