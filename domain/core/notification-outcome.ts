/** One attempt to tell a receiver beside Slack, as metrics count it. Who sends and who counts share nothing but this. */

/** Name of the `diagnostics_channel` on which attempts are published. */
export const NOTIFICATIONS = 'belay:notification';

export const NOTIFICATION_RESULTS = ['sent', 'refused', 'unknown', 'failed'] as const;

export interface NotificationAttempt {
  /** Its name in belay.yaml. */
  delivery: string;
  /** failed: it is tried again. */
  result: (typeof NOTIFICATION_RESULTS)[number];
}
