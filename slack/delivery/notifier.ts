/** Delivers notifications to Slack: one message per key, edited in place, never posted twice; the board is the thread's root. */
import type { Attachment, MessageRef, PublishInput } from '../../domain/run/notifications.ts';
import { attach } from './attachments.ts';
import { Delivery, type NotifierDeps } from './delivery.ts';

export { createGroupReader } from '../api/groups.ts';
export { createSlackWeb } from '../api/web-client.ts';

/** Same shape as the port of the activities. */
export interface Notifier {
  publish(input: PublishInput): Promise<MessageRef>;
  attach(attachment: Attachment): Promise<void>;
}

/** Both reject with SlackDeliveryError. */
export function createNotifier(deps: NotifierDeps): Notifier {
  const delivery = new Delivery(deps);
  return { publish: (input) => delivery.publish(input), attach: (attachment) => attach(deps.web, attachment) };
}
