/** What a campaign shows in Slack: its board, a message for each ring that has begun, and the list of its clusters once a ring is over. */
import type { Notification } from '../../domain/run/notifications.ts';
import { hasMessage, isRingOver, ringCsv, ringMessage } from '../../domain/run/campaign/ring-message.ts';
import { campaignView } from '../../domain/run/campaign/view.ts';
import type { CampaignStatus } from '../contract/campaign.ts';
import { ringListTitle } from '../messages/campaigns.ts';
import type { Pending } from './announcer.ts';

const ringKey = (name: string): string => `ring/${name}`;

/** The board first: gates and notes are replies to it. Names stand in the rings' own messages, and on the board as long as there is none. */
export function campaignMessages(status: CampaignStatus): Pending[] {
  const { plan, state } = status;
  const view = campaignView(status);
  const rings = view.rings.map((ring, index) => (hasMessage(state.rings[index]) ? { ...ring, needs: [], moreCount: 0 } : ring));
  return [
    { key: 'board', notification: { kind: 'campaign', view: { ...view, rings } } },
    ...plan.rings.flatMap(({ name }, index) => {
      const ring = ringMessage(plan, state, view, index);
      return ring === undefined ? [] : [{ key: ringKey(name), notification: { kind: 'ring' as const, ring } }];
    }),
  ];
}

/** One for each attempt of a ring that is over; made when it is asked for, since it may be long. */
export function ringLists({ plan, state }: CampaignStatus): { key: string; notification: () => Notification }[] {
  return plan.rings.flatMap(({ name }, index) => {
    if (!isRingOver(state, plan, index)) return [];
    const { attempt = 1 } = state.rings[index] ?? {};
    return [
      {
        key: `list/${name}/${attempt}`,
        notification: () => ({
          kind: 'file' as const,
          below: ringKey(name),
          fileName: `${plan.campaign}-${name}-${attempt}.csv`,
          title: ringListTitle(name, attempt),
          content: ringCsv(plan, state, index),
        }),
      },
    ];
  });
}
