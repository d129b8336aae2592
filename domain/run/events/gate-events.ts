/** Which events a gate gives: of a run's gates, and of those of a campaign's rings. */
import type { EventType } from '../../policy/deliveries.ts';
import type { MessageNotification } from '../notifications.ts';
import { gateData, type GateWords } from './data.ts';
import type { RunEvent } from './event.ts';

export type GateTold = Extract<MessageNotification, { kind: 'gate' }>;

const OF_RUN = {
  opened: 'gate.opened',
  reminder: 'gate.reminder',
  extended: 'gate.extended',
  decided: 'gate.decided',
  expired: 'gate.expired',
  withdrawn: 'gate.withdrawn',
} as const satisfies Record<string, EventType>;

const OF_CAMPAIGN: Record<keyof typeof OF_RUN, EventType> = {
  opened: 'campaign.gate.opened',
  reminder: 'campaign.gate.reminder',
  extended: 'campaign.gate.extended',
  decided: 'campaign.gate.decided',
  expired: 'campaign.gate.expired',
  withdrawn: 'campaign.gate.withdrawn',
};

export class GateEvents {
  readonly #words: GateWords;
  readonly #types: Record<keyof typeof OF_RUN, EventType>;
  /** By id: the deadline that was told. */
  readonly #expires = new Map<string, string>();

  constructor(words: GateWords, of: 'run' | 'campaign') {
    this.#words = words;
    this.#types = of === 'run' ? OF_RUN : OF_CAMPAIGN;
  }

  /** `nowIso`: the workflow's. */
  hear(notification: GateTold, nowIso: string): (Omit<RunEvent, 'data'> & { data: Pick<RunEvent['data'], 'gate'> })[] {
    const { state, reminder } = notification;
    const { id, expiresAt, openedAt } = state.gate;
    const of = { subject: id, data: { gate: gateData(notification, this.#words) } };
    const told = (what: string, type: keyof typeof OF_RUN, at: string) => ({
      key: `gate/${id}/${what}`,
      type: this.#types[type],
      at,
      ...of,
    });
    const before = this.#expires.get(id);
    this.#expires.set(id, expiresAt);
    switch (state.kind) {
      case 'open':
        return [
          told('opened', 'opened', openedAt),
          ...(before !== undefined && before !== expiresAt ? [told(`extended/${expiresAt}`, 'extended', nowIso)] : []),
          ...(reminder === true ? [told(`reminder/${nowIso}`, 'reminder', nowIso)] : []),
        ];
      case 'decided':
        return [told('decided', 'decided', state.decision.at)];
      case 'expired':
        return [told('expired', 'expired', state.at)];
      case 'withdrawn':
        return [told('withdrawn', 'withdrawn', state.at)];
    }
  }
}
