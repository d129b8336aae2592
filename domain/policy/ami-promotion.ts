/** Which AMI release other clusters have run for so long that it may become this one's: what is read of them, and the verdict. */
import { parseAlias } from '../facts/ami-names.ts';
import { count, someOf } from '../core/text.ts';
import type { ClusterRef } from '../core/cluster-ref.ts';
import type { PromotionSource } from '../facts/facts.ts';

const DAY_MS = 24 * 60 * 60_000;

/** belay.yaml's karpenter.promoteFrom, resolved. */
export interface PromoteFrom {
  /** The clusters that bake; all of them that run a family have to agree on its release. */
  clusters: ClusterRef[];
  bakedDays: number;
}

/** With which the reason of a promotion begins. */
export const PROMOTED = 'promoted: ';

export type Promotion =
  | { kind: 'ready'; alias: string; why: string; minors: string[] }
  /** `status`: is it known that there is none, or could it not be seen? */
  | { kind: 'none'; status: 'fail' | 'unknown'; why: string };

/** The release of this family that may be promoted. All clusters that run the family run one release on all its nodes, each for `bakedDays`. */
export function promotionOf(family: string, sources: readonly PromotionSource[], bakedDays: number): Promotion {
  const blind = sources.filter(({ unseen }) => unseen !== undefined);
  if (blind.length > 0) return none('unknown', blind.map(({ cluster, unseen }) => `${cluster} cannot be read: ${unseen}`).join('; '));
  const nameless = sources.flatMap(({ cluster, unknown }) =>
    unknown.filter((each) => each.family === family).map(({ nodeCount }) => `${count(nodeCount, 'node')} of ${cluster}`),
  );
  const running = sources.flatMap((source) =>
    source.releases.filter((each) => each.family === family).map((each) => ({ ...each, source })),
  );
  const releases = [...new Set(running.map(({ release }) => release))];
  const [first] = running;
  if (first === undefined && nameless.length === 0) return none('fail', `no node of ${names(sources)} runs ${family}`);
  if (releases.length > 1) {
    const mixed = running.map(({ source, release, nodeCount }) => `${release} on ${count(nodeCount, 'node')} of ${source.cluster}`);
    return none('fail', `${family} is mixed: ${someOf(mixed)}`);
  }
  if (first === undefined || nameless.length > 0)
    return none(
      'unknown',
      `${someOf(nameless)} run an image of ${family} that their node class does not choose (any more): a roll has not finished there`,
    );
  const young = running.filter(({ firstAt, source }) => !(ageMs(firstAt, source) >= bakedDays * DAY_MS));
  if (young.length > 0) {
    const since = young.map(({ source, firstAt }) => `${source.cluster} since ${day(firstAt)} (${count(days(firstAt, source), 'day')})`);
    return none('fail', `${first.family}@${first.release} has not run for ${count(bakedDays, 'day')} yet: ${since.join(', ')}`);
  }
  const where = running.map(
    ({ source, nodeCount, firstAt }) =>
      `${source.cluster} runs it on all ${count(nodeCount, 'node')} since ${day(firstAt)} (${count(days(firstAt, source), 'day')})`,
  );
  return {
    kind: 'ready',
    alias: `${family}@${first.release}`,
    why: `${PROMOTED}${where.join(', ')}`,
    minors: [...new Set(running.flatMap(({ minors }) => minors))],
  };
}

/** Aliases that may be promoted, of every family that the clusters run: their images are looked up before a plan names them. */
export function promotedAliases(sources: readonly PromotionSource[], bakedDays: number): string[] {
  const families = [...new Set(sources.flatMap(({ releases }) => releases.map(({ family }) => family)))];
  return families.flatMap((family) => {
    const promotion = promotionOf(family, sources, bakedDays);
    return promotion.kind === 'ready' ? [promotion.alias] : [];
  });
}

const none = (status: 'fail' | 'unknown', why: string): Promotion => ({ kind: 'none', status, why });
const names = (sources: readonly PromotionSource[]): string => someOf(sources.map(({ cluster }) => cluster));
const ageMs = (at: string, { readAt }: PromotionSource): number => Date.parse(readAt) - Date.parse(at);
const days = (at: string, source: PromotionSource): number => Math.floor(ageMs(at, source) / DAY_MS);
const day = (at: string): string => at.slice(0, 10);

/** Releases of a family sort as their texts do only where they are dates; Bottlerocket's are versions. Positive: `one` is newer. undefined: not comparable. */
export function compareReleases(one: string, other: string): number | undefined {
  const [a, b] = [parseAlias(one), parseAlias(other)];
  if (a === undefined || b === undefined || a.family !== b.family || a.release === 'latest' || b.release === 'latest') return undefined;
  const [x, y] = [a, b].map(({ release }) => release.replace(/^v/, '').split('.').map(Number));
  if (x === undefined || y === undefined || [...x, ...y].some(Number.isNaN)) return undefined;
  const at = x.findIndex((value, index) => value !== (y[index] ?? 0));
  return at < 0 ? 0 : (x[at] ?? 0) - (y[at] ?? 0);
}
