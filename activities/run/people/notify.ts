/** Tells people: hands notifications to the Notifier and translates what goes wrong. Never part of a step's way. */
import type { ApplicationFailure } from '@temporalio/common';
import { NO_SLACK } from '../../../domain/policy/policy.ts';
import type { Delivery, Notification } from '../../../domain/run/notifications.ts';
import { field, messageOf } from '../../../domain/core/unknown.ts';
import type { PeopleActivities } from '../../contract/belay-activities.ts';
import type { WeeklyHours } from '../../../domain/policy/windows.ts';
import type { Notifier } from '../../contract/ports.ts';
import { failureOf, translateError } from '../../runtime/translate-errors.ts';
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
  // Ours: a picture or a list whose thread is gone.
  'board_gone',
]);

/** Messages that others are below: one that was deleted is posted anew before they need it. */
const ROOTS: readonly Notification['kind'][] = ['board', 'campaign', 'ring', 'check', 'forecast', 'proposal'];
const isRoot = ({ notification }: { notification: Notification }): boolean => ROOTS.includes(notification.kind);

const WEEK_MS = 7 * 24 * 60 * 60_000;
/** Less than that after quiet hours is no time to look at a gate in. */
const TIME_TO_DECIDE_MS = 60 * 60_000;

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
      const keys = messages.map(({ key }) => key);
      for (const said of messages.toSorted((a, b) => Number(isRoot(b)) - Number(isRoot(a)))) {
        const { key } = said;
        const isQuiet = quietUntil !== undefined && !isQuietAllItsTime(said.notification, quietHours);
        const message = isQuiet ? { ...said, notification: whispered(said.notification), quiet: true as const } : said;
        try {
          deliveries.push({
            key,
            ...(isQuiet && mentions(said.notification) ? { heldForMs: quietUntil - now } : {}),
            ref: await notifier?.publish({ upgrade, channel, ...defined({ stakeholders }), ...message }),
          });
        } catch (error) {
          // One message that Slack will never take must not hold up those behind it.
          if (!FAULTS_OF_THE_MESSAGE.has(String(field(error, 'code'))))
            throw triedAgain(translateError(error, `posting ${key} to ${channel}`));
          deliveries.push({ key, refused: messageOf(error) });
        }
      }
      return deliveries.toSorted((a, b) => keys.indexOf(a.key) - keys.indexOf(b.key));
    },
  };
}

/** A token can be renewed, and an app invited again: what waits for that is told afterwards, be it a gate or an alarm. */
const triedAgain = (failure: ApplicationFailure): ApplicationFailure =>
  failure.nonRetryable === true ? failureOf('Unavailable', failure.message, { cause: failure }) : failure;

/** Does it ask people by name to decide? */
function mentions(notification: Notification): boolean {
  if (notification.kind !== 'gate' || notification.state.kind !== 'open') return false;
  return notification.mention.users.length + notification.mention.groups.length > 0;
}

/** Held back until quiet hours end, nobody would be asked before the gate expires. Hours that never end are meant so. */
function isQuietAllItsTime(notification: Notification, quietHours: readonly WeeklyHours[]): boolean {
  if (notification.kind !== 'gate' || notification.state.kind !== 'open') return false;
  const openedAtMs = Date.parse(notification.state.gate.openedAt);
  const expiresAtMs = Date.parse(notification.state.gate.expiresAt);
  const quietUntil = Number.isNaN(openedAtMs) ? undefined : endOfHours(quietHours, openedAtMs);
  return quietUntil !== undefined && quietUntil < openedAtMs + WEEK_MS && expiresAtMs < quietUntil + TIME_TO_DECIDE_MS;
}

/** The same, without those who are asked to act: they are asked once quiet hours end. Alarms are shown to the channel all the same. */
function whispered(notification: Notification): Notification {
  if (notification.kind === 'gate') {
    const { voters, ...rest } = notification;
    // How a gate has ended is an edit of what was sent: that rings nowhere.
    const isHeld = notification.state.kind === 'open';
    return { ...rest, mention: { users: [], groups: [] }, ...(isHeld || voters === undefined ? {} : { voters }) };
  }
  return notification.kind === 'board' ? { ...notification, approvers: [] } : notification;
}
