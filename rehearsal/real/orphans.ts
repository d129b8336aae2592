/**
 * Pods whose node is gone. The controller manager collects them after a minute of wall time, which at a rehearsal's speed is long, and
 * rollouts wait for it: they go as soon as the instance has.
 */
import type { Controller } from '../world/world.ts';

/** Wall time. Nodes and pods come by watches of their own: a pod may be seen before its node. */
const SURE_AFTER_MS = 2_000;

export function createOrphanCollector(everyMs: number): Controller {
  const since = new Map<string, number>();
  const asked = new Set<string>();
  return {
    name: 'orphans',
    everyMs,
    tick({ store }) {
      const nodes = new Set(store.list('nodes').map(({ metadata }) => metadata.name));
      for (const { metadata, spec } of store.list('pods')) {
        const { uid = '', name, namespace } = metadata;
        const node: unknown = spec?.nodeName;
        if (typeof node !== 'string' || nodes.has(node) || asked.has(uid)) continue;
        const seenAtMs = since.get(uid) ?? performance.now();
        since.set(uid, seenAtMs);
        if (performance.now() - seenAtMs < SURE_AFTER_MS) continue;
        asked.add(uid);
        store.delete('pods', name, namespace, { gracePeriodSeconds: 0 });
      }
    },
  };
}
