/** Networks whose worker does not answer: a turn of the campaign waits once for each, not for every cluster in it, and people are told which worker to start. */
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { networkQueue } from '../../contract/ids.ts';
import { networkUnanswered } from '../../messages/networks.ts';
import { isUntaken } from '../../runtime/activity-places.ts';
import type { CampaignVoice } from './campaign-voice.ts';

export class CampaignNetworks {
  readonly #voice: CampaignVoice;
  /** What a call of this turn has failed with, by network. */
  readonly #away = new Map<string, unknown>();

  constructor(voice: CampaignVoice) {
    this.#voice = voice;
  }

  /** From now on each is asked again. */
  beginTurn(): void {
    this.#away.clear();
  }

  /** The result of `call`, which is about that cluster, or about it and others of its network. */
  async ask<T>({ network }: Pick<ClusterRef, 'network'>, call: () => Promise<T>): Promise<T> {
    if (network === undefined) return await call();
    if (this.#away.has(network)) throw this.#away.get(network);
    try {
      return await call();
    } catch (error) {
      if (isUntaken(error)) {
        this.#away.set(network, error);
        const queue = networkQueue(network);
        this.#voice.once(`${queue}/${new Date().toISOString().slice(0, 10)}`, networkUnanswered(queue));
      }
      throw error;
    }
  }
}
