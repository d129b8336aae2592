/** Tells people: hands notifications to the Notifier and translates what goes wrong. Never part of a step's way. */
import { NO_SLACK } from '../../../domain/policy/policy.ts';
import type { Delivery, Notification } from '../../../domain/run/notifications.ts';
import { field, messageOf } from '../../../domain/core/unknown.ts';
import type { PeopleActivities } from '../../contract/belay-activities.ts';
import type { Notifier } from '../../contract/ports.ts';
import { translateError } from '../../runtime/translate-errors.ts';
import { endOfHours } from '../windows/intervals.ts';
import { defined } from '../../../domain/core/defined.ts';

/** Slack's codes for a message that it will never take: https://docs.slack.dev/reference/methods/chat.postMessage#errors */
const FAULTS_OF_THE_MESSAGE = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_too_long',
  'metadata_too_large',
  'no_text',
]);

/** Without a notifier (no Slack token) nothing is told and nothing fails; nor where belay.yaml uses no Slack. */
export function createNotifyActivities({
  notifier,
  nowMs = Date.now,
}: {
  notifier?: Pick<Notifier, 'publish'>;
  nowMs?: () => number;
}): Pick<PeopleActivities, 'publish'> {
  return {
    async publish({ upgrade, channel, stakeholders, messages, quietHours = [] }) {
      // The history has them, where `belay logs` reads them.
      if (channel === NO_SLACK) return messages.map(({ key }) => ({ key }));
      const now = nowMs();
      const quietUntil = endOfHours(quietHours, now);
      const deliveries: Delivery[] = [];
      for (const said of messages) {
        const { key } = said;
        const message = quietUntil !== undefined ? { ...said, notification: whispered(said.notification) } : said;
        try {
          deliveries.push({
            key,
            ...(quietUntil !== undefined && mentions(said.notification) ? { heldForMs: quietUntil - now } : {}),
            ref: await notifier?.publish({ upgrade, channel, ...defined({ stakeholders }), ...message }),
          });
        } catch (error) {
          // One message that Slack will never take must not hold up those behind it. A channel or a token can be mended: that is tried again.
          if (!FAULTS_OF_THE_MESSAGE.has(String(field(error, 'code')))) throw translateError(error, `posting ${key} to ${channel}`);
          deliveries.push({ key, refused: messageOf(error) });
        }
      }
      return deliveries;
    },
  };
}

/** Does it ask people by name to decide? */
function mentions(notification: Notification): boolean {
  if (notification.kind !== 'gate' || notification.state.kind !== 'open') return false;
  return notification.mention.users.length + notification.mention.groups.length > 0;
}

/** The same, and nobody's telephone rings. Alarms are shown to the channel all the same. */
function whispered(notification: Notification): Notification {
  if (notification.kind === 'gate') {
    const { voters, ...rest } = notification;
    // How a gate has ended is an edit of what was sent: that rings nowhere.
    const isHeld = notification.state.kind === 'open';
    return { ...rest, mention: { users: [], groups: [] }, ...(isHeld || voters === undefined ? {} : { voters }) };
  }
  return notification.kind === 'board' ? { ...notification, approvers: [] } : notification;
}
