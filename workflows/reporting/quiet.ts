/** A run of a campaign keeps to its thread, but for what needs people and what went wrong: a thousand of them share one channel. */
import type { Notification } from '../../domain/run/notifications.ts';

/** Gates, alarms and bad ends stay as they are. */
export function quieted(notification: Notification): Notification {
  switch (notification.kind) {
    case 'note': {
      const { broadcast: _broadcast, ...note } = notification;
      return notification.level === 'alarm' || notification.ask !== undefined ? notification : note;
    }
    case 'board':
      return { ...notification, quiet: true };
    case 'report': {
      const { outcome, leftBehind } = notification.report;
      return outcome === 'completed' && leftBehind.length === 0 ? { ...notification, quiet: true } : notification;
    }
    default:
      return notification;
  }
}
