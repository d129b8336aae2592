/** Who is in a Slack user group, read now. */
import type { WebClient } from '@slack/web-api';
import { type GroupReader, sharedReads } from './shared-reads.ts';
import { SlackDeliveryError, slackError } from './errors.ts';
import { groupEmpty } from '../messages/failures.ts';

/** Always what Slack says now; reads of the same group at the same time are one. */
export function createGroupReader({ web }: { web: WebClient }): GroupReader {
  return sharedReads({
    async members(groupId) {
      const doing = `reading user group ${groupId}`;
      let users: string[] | undefined;
      try {
        users = (await web.usergroups.users.list({ usergroup: groupId })).users;
      } catch (error) {
        throw slackError(error, doing);
      }
      if (users === undefined || users.length === 0) {
        throw new SlackDeliveryError(groupEmpty(doing), {
          code: 'empty_group',
          retryable: false,
        });
      }
      return users;
    },
  });
}
