/** Whether somebody belongs to the workspace, read now: no guest, no bot, nobody of another organisation, nobody who has left. */
import type { WebClient } from '@slack/web-api';
import { type Home, whyNotMember } from '../../domain/gates/slack-person.ts';
import { slackError, SlackDeliveryError } from './errors.ts';
import { userUnknown } from '../messages/failures.ts';

/** Same shape as the port of the activities. */
export interface PersonReader {
  /** Why this Slack user may neither decide nor command; undefined: nothing speaks against it. Throws when Slack does not say: callers fail closed. */
  whyNotMember(userId: string): Promise<string | undefined>;
}

/** `home`: what auth.test says of the token; asked for where absent. Needs the scope users:read. */
export function createPersonReader({ web, home }: { web: WebClient; home?: Home }): PersonReader {
  let known = home;
  return {
    async whyNotMember(userId) {
      const doing = `reading Slack user ${userId}`;
      try {
        known ??= await homeOf(web);
        const { user } = await web.users.info({ user: userId });
        if (user === undefined || user.id !== userId)
          throw new SlackDeliveryError(userUnknown(doing), { code: 'no_user', retryable: true });
        const person = {
          teamId: user.team_id,
          enterpriseId: user.enterprise_user?.enterprise_id,
          deactivated: user.deleted === true,
          bot: user.is_bot === true || user.is_workflow_bot === true || userId === 'USLACKBOT',
          guest: user.is_restricted === true || user.is_ultra_restricted === true,
          stranger: user.is_stranger === true,
        };
        return whyNotMember(person, known);
      } catch (error) {
        throw slackError(error, doing);
      }
    },
  };
}

async function homeOf(web: WebClient): Promise<Home> {
  const { team_id: teamId, enterprise_id: enterpriseId } = await web.auth.test();
  return { teamId: teamId ?? '', enterpriseId };
}
