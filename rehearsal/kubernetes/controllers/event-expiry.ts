/** Events are kept for an hour: kube-apiserver's --event-ttl, which EKS leaves as it is. */
import type { Controller } from '../../world/world.ts';

const KEPT_MS = 3_600_000;

export const eventExpiry: Controller = {
  name: 'event-expiry',
  everyMs: 60_000,
  tick({ store, clock }) {
    const since = clock.nowMs() - KEPT_MS;
    for (const { metadata, lastTimestamp } of store.list('events')) {
      if (Date.parse(String(lastTimestamp)) < since) store.delete('events', metadata.name, metadata.namespace);
    }
  },
};
