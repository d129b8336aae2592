/** Waves of Karpenter's nodes, as Belay makes them (activities/karpenter/drift/node-waves.ts): the one with the fewest nodes first. */
import type { NodeWaves } from '../../../policy/policy.ts';
import { at } from '../model/at.ts';
import type { Play } from '../play/play.ts';

export interface Wave {
  name: string;
  nodes: number[];
}

export function wavesOf({ nodes, cluster }: Play, old: readonly number[], { by, nodes: perWave = 1 }: NodeWaves): Wave[] {
  const sorted = old.toSorted((a, b) => (at(nodes.list, a).name < at(nodes.list, b).name ? -1 : 1));
  const waves = new Map<string, number[]>();
  for (const [position, index] of sorted.entries()) {
    const { zone, pool } = at(nodes.list, index);
    const byCount = `${Math.floor(position / perWave) + 1} of ${Math.ceil(sorted.length / perWave)}`;
    const name = { zone: cluster.zones[zone] ?? '', nodepool: cluster.pools[pool]?.name ?? '', count: byCount }[by];
    const wave = waves.get(name);
    if (wave === undefined) waves.set(name, [index]);
    else wave.push(index);
  }
  return [...waves]
    .map(([name, own]) => ({ name, nodes: own }))
    .sort((a, b) => a.nodes.length - b.nodes.length || a.name.localeCompare(b.name, 'en', { numeric: true }));
}
