/** Tells people: hands a notification to the Notifier and translates what goes wrong. Never part of a step's way. */
import type { PeopleActivities } from './contract.ts';
import type { Notifier } from './ports.ts';
import { during } from './translate-errors.ts';

/** Without a notifier (no Slack token) nothing is told and nothing fails. */
export function createNotifyActivities({ notifier }: { notifier?: Notifier }): Pick<PeopleActivities, 'publish'> {
  return {
    async publish(input) {
      if (notifier === undefined) return undefined;
      return during(`posting ${input.key} to ${input.channel}`, () => notifier.publish(input));
    },
  };
}
