/** How the AMIs of Karpenter's nodes move where they do not move by themselves: which node classes a plan edits, and to what. */
import {
  type AmiBuild,
  aliasFamilyOf,
  amiFamilyOf,
  ARCHITECTURES,
  buildOf,
  isPinned,
  lacksBuild,
  parseAlias,
  readImageName,
} from '../../facts/ami-names.ts';
import type { ClusterFacts, NodeClassFact } from '../../facts/facts.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import { compareReleases, type Promotion, promotionOf } from '../../policy/ami-promotion.ts';
import type { AmiMove, SelectorTerm, Unpromoted } from '../model/changes.ts';
import { aliasOf } from '../../facts/node-classes.ts';
import { defined } from '../../core/defined.ts';

type Select = Pick<AmiMove, 'terms' | 'why'>;

/** Edits by the minor at which nodes are replaced; each begins where the one before has ended. */
export function movesAlong(
  facts: ClusterFacts,
  policy: Pick<UpgradePolicy, 'karpenter'>,
  minors: readonly string[],
): Map<string, AmiMove[]> {
  const along = new Map<string, AmiMove[]>();
  let current = facts;
  for (const minor of minors) {
    const moves = amiMoves(current, policy, minor);
    along.set(minor, moves);
    current = afterMoves(current, moves);
  }
  return along;
}

function afterMoves(facts: ClusterFacts, moves: readonly AmiMove[]): ClusterFacts {
  const { karpenter } = facts;
  if (karpenter === undefined) return facts;
  const nodeClasses = karpenter.nodeClasses.map((nodeClass): NodeClassFact => {
    const move = moves.find((each) => each.nodeClass === nodeClass.name);
    if (move === undefined) return nodeClass;
    const [alias] = move.terms.flatMap((term) => term.alias ?? []);
    const amiFamily = move.amiFamily === null ? undefined : (move.amiFamily ?? nodeClass.amiFamily);
    const amiIds = move.terms.flatMap(({ id }) => id ?? []);
    return { ...nodeClass, alias, heldAlias: undefined, selects: alias === undefined ? 'ids' : 'alias', amiIds, amiFamily };
  });
  return { ...facts, karpenter: { ...karpenter, nodeClasses } };
}

/** For the hop that ends at `to`, in the order of the classes. None of classes that no pool uses. */
export function amiMoves(facts: ClusterFacts, policy: Pick<UpgradePolicy, 'karpenter'>, to: string): AmiMove[] {
  const builds = facts.amiBuilds ?? [];
  return classesInUse(facts).flatMap(({ nodeClass, nodePools }): AmiMove[] => {
    const given = policy.karpenter.amis?.[nodeClass.name];
    const wanted =
      given === undefined
        ? (promoted(facts, policy, nodeClass) ?? withoutBuild(nodeClass, builds, to) ?? byIds(nodeClass, builds, to))
        : asGiven(given);
    if (wanted === undefined || selectionWords(wanted.terms) === currentSelection(nodeClass)) return [];
    const amiFamily = familyFor(nodeClass, wanted.terms);
    const owner = nodeClass.deliveredBy;
    return [
      {
        nodeClass: nodeClass.name,
        nodePools,
        before: currentSelection(nodeClass),
        ...wanted,
        ...defined({ amiFamily, owner }),
      },
    ];
  });
}

/** Node classes that pools use, with those pools. */
export function classesInUse(facts: ClusterFacts): { nodeClass: NodeClassFact; nodePools: string[] }[] {
  const { nodeClasses = [], nodePools = [] } = facts.karpenter ?? {};
  return nodeClasses
    .map((nodeClass) => ({
      nodeClass,
      nodePools: nodePools.filter((pool) => pool.group === undefined && pool.nodeClass === nodeClass.name).map(({ name }) => name),
    }))
    .filter((use) => use.nodePools.length > 0);
}

/** What people wrote into belay.yaml: one alias, or ids. */
function asGiven(given: readonly string[]): Select {
  return { terms: given.map((text): SelectorTerm => (text.includes('@') ? { alias: text } : { id: text })), why: 'belay.yaml says so' };
}

/** What belay.yaml wants to promote for a class: of Amazon's family, and named by nothing else. undefined: nothing is wanted. */
export function promotionFor(
  { promotion }: ClusterFacts,
  { karpenter: { promoteFrom, amis } }: Pick<UpgradePolicy, 'karpenter'>,
  nodeClass: NodeClassFact,
): Promotion | undefined {
  const alias = aliasOf(nodeClass);
  const family =
    alias === undefined ? (nodeClass.selects === 'ids' ? aliasFamilyOf(nodeClass.amiFamily ?? '') : undefined) : parseAlias(alias)?.family;
  if (promoteFrom === undefined || family === undefined || amis?.[nodeClass.name] !== undefined) return undefined;
  const found = promotionOf(family, promotion ?? [], promoteFrom.bakedDays);
  if (found.kind === 'none' || (compareReleases(alias ?? '', found.alias) ?? 0) <= 0) return found;
  return { kind: 'none', status: 'fail', why: `${found.alias} is ready to promote, but this cluster already has ${alias}, which is newer` };
}

function promoted(facts: ClusterFacts, policy: Pick<UpgradePolicy, 'karpenter'>, nodeClass: NodeClassFact): Select | undefined {
  const found = promotionFor(facts, policy, nodeClass);
  return found?.kind === 'ready' ? { terms: [{ alias: found.alias }], why: found.why } : undefined;
}

/** Classes for which belay.yaml wants a release that is not there to promote. `moves`: what they come to without it. */
export function unpromoted(facts: ClusterFacts, policy: Pick<UpgradePolicy, 'karpenter'>, moves: readonly AmiMove[]): Unpromoted[] {
  return classesInUse(facts).flatMap(({ nodeClass }) => {
    const found = promotionFor(facts, policy, nodeClass);
    if (found?.kind !== 'none') return [];
    const move = moves.find((each) => each.nodeClass === nodeClass.name);
    const chooses = move === undefined ? currentSelection(nodeClass) : selectionWords(move.terms);
    return [{ nodeClass: nodeClass.name, chooses, status: found.status, why: found.why }];
  });
}

/** A pinned alias for whose release Amazon built nothing: the newest that there is. */
function withoutBuild(nodeClass: NodeClassFact, builds: readonly AmiBuild[], to: string): Select | undefined {
  const alias = aliasOf(nodeClass);
  if (alias === undefined || !isPinned(alias) || !lacksBuild(builds, alias, to)) return undefined;
  const newest = buildOf(builds, `${parseAlias(alias)?.family}@latest`, to)?.release;
  return newest === undefined ? undefined : { terms: [{ alias: newest }], why: `${alias} has no image for ${to}` };
}

/** Ids of Amazon's own images become the ids of the newest of the same family, for the same architectures. Images of others are theirs to name. */
function byIds(nodeClass: NodeClassFact, builds: readonly AmiBuild[], to: string): Select | undefined {
  const { selects, amiNames = [], amiFamily = '' } = nodeClass;
  if (selects !== 'ids' || aliasOf(nodeClass) !== undefined || amiNames.length === 0) return undefined;
  const images = amiNames.map(readImageName);
  const family = aliasFamilyOf(amiFamily);
  if (family === undefined || images.some((image) => image?.family !== family)) return undefined;
  const newest = buildOf(builds, `${family}@latest`, to);
  const wanted = ARCHITECTURES.filter((arch) => images.some((image) => image?.arch === arch)).map((arch) => newest?.images[arch]);
  const ids = wanted.filter((id) => id !== undefined);
  if (ids.length < wanted.length) return undefined;
  return {
    terms: ids.map((id) => ({ id })),
    why: `ids stay where they are; these are ${newest?.release ?? `the newest of ${amiFamily}`} for ${to}`,
  };
}

/** Karpenter wants amiFamily beside ids, and refuses one that is not the alias's (EC2NodeClass API). */
function familyFor({ amiFamily, ...nodeClass }: NodeClassFact, terms: readonly SelectorTerm[]): string | undefined {
  const aliases = terms.flatMap(({ alias }) => alias ?? []);
  const wanted =
    aliases.length > 0 ? (amiFamily === undefined ? undefined : amiFamilyOf(aliases[0] ?? '')) : amiFamilyOf(aliasOf(nodeClass) ?? '');
  return wanted === amiFamily ? undefined : wanted;
}

/** "al2023@v20250403", "ami-1, ami-2". */
export function selectionWords(terms: readonly SelectorTerm[]): string {
  return terms
    .map(({ alias, id = '' }) => alias ?? id)
    .toSorted()
    .join(', ');
}

function currentSelection(nodeClass: NodeClassFact): string {
  return aliasOf(nodeClass) ?? (nodeClass.selects === 'ids' ? nodeClass.amiIds.toSorted().join(', ') : 'names, tags or parameters');
}
