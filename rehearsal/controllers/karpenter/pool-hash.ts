/**
 * The hash of a NodePool's template, as Karpenter's hash controller keeps it on the pool (pkg/controllers/nodepool/hash). Of the hashed fields only the
 * labels of nodes change in the twin beside nodeClassRef, which drift compares by itself.
 */
import { createHash } from 'node:crypto';
import { stableJson } from '../../kubernetes/json.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';

const HASH = 'karpenter.sh/nodepool-hash';

/** What each pool's labels and hash were when Karpenter first saw it: the scenario's own hash is that of its own template. */
const first = new WeakMap<World, Map<string, { labels: string; hash: string }>>();

/** To be called before anybody can change a pool: what stands there then is what its hash was made of. */
export function keepPoolHashes(world: World): void {
  for (const pool of world.store.list('nodepools')) keepPoolHash(world, pool);
}

function keepPoolHash(world: World, pool: KubeObject): void {
  const hash = pool.metadata.annotations?.[HASH];
  if (hash === undefined) return;
  const labels = stableJson(pool.spec.template?.metadata?.labels ?? {});
  const known = first.get(world) ?? new Map<string, { labels: string; hash: string }>();
  first.set(world, known);
  const begun = known.get(pool.metadata.name) ?? { labels, hash };
  known.set(pool.metadata.name, begun);
  const wanted = labels === begun.labels ? begun.hash : hashed(`${begun.hash}${labels}`);
  if (wanted === hash) return;
  world.store.update('nodepools', pool.metadata.name, undefined, (copy) => {
    copy.metadata.annotations = { ...copy.metadata.annotations, [HASH]: wanted };
  });
}

/** Made of another template than the pool has now. */
export function isOtherTemplate(pool: KubeObject, claim: KubeObject): boolean {
  const [own, wanted] = [claim.metadata.annotations?.[HASH] ?? '', pool.metadata.annotations?.[HASH] ?? ''];
  return own !== '' && wanted !== '' && own !== wanted;
}

const hashed = (text: string): string => createHash('sha256').update(text).digest().readBigUInt64BE().toString();
