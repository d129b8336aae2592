/** Watches whether anybody polls the task queue of a cluster's network: what waits there waits silently. */
import { messageOf } from '../../domain/core/unknown.ts';
import type { QueueActivities, QueueState } from '../contract/queues.ts';
import { FOR_EVER_MS, waitUntil } from '../runtime/wait-until.ts';
import { failureOf } from '../runtime/translate-errors.ts';

/** One look may meet a worker between two polls, or a server that is busy. */
const LOOKS = 2;

export interface QueueDeps {
  /** Does anybody poll the network's queue? Rejects where Temporal does not say. */
  isPolled: (network: string) => Promise<boolean>;
}

export function createQueueActivities({ isPolled }: QueueDeps): QueueActivities {
  const look = async (network: string): Promise<QueueState> => {
    try {
      return { kind: (await isPolled(network)) ? 'polled' : 'unpolled' };
    } catch (error) {
      return { kind: 'unknown', why: messageOf(error).slice(0, 200) };
    }
  };
  return {
    async watchQueue({ cluster, timing, known }) {
      const { network } = cluster;
      if (network === undefined)
        throw failureOf('Configuration', `cluster ${cluster.name} is in no network, so it has no queue of its own`);
      let news: QueueState['kind'] = known;
      let count = 0;
      const options = { timing, timeoutMs: FOR_EVER_MS, doing: `watching who polls the queue of network ${network}` };
      const waited = await waitUntil(options, async () => {
        const state = await look(network);
        count = state.kind === news ? count + 1 : 1;
        news = state.kind;
        return state.kind !== known && count >= LOOKS ? { done: true, value: state } : { done: false, note: state.kind };
      });
      return waited.kind === 'done' ? waited.value : { kind: 'unknown', why: 'nobody looks any longer' };
    },
  };
}
