/** The canaries of a run walked backwards, the last one first: what each would move back, as the mesh is now. */
import { parseComponentVersion, tryComponentVersion } from '../../core/component-version.ts';
import type { GatewayFact, IstioFact, MeshNamespaceFact } from '../../facts/facts.ts';
import { gatewaysAfter, meshWaves, type WaveSettings } from '../istio/gateways.ts';
import type { IstioCanary } from '../model/changes.ts';
import type { MeshBefore } from './undo-input.ts';
import { objectTitle } from '../../core/text.ts';

export type MeshNow = Pick<IstioFact, 'revisions' | 'tags' | 'namespaces'> & { gateways: readonly GatewayFact[] };

/** A canary that has something to take back. */
export interface BackMove {
  /** As the run did it. */
  forward: IstioCanary;
  namespaces: MeshNamespaceFact[];
  gateways: GatewayFact[];
  /** Revision tags that go back with its waves. */
  tags: string[];
  waves: Pick<IstioCanary, 'waves' | 'gateways'>;
  /** The newer revision was there before the run. */
  keeps: boolean;
}

/** The moves in their order, and the mesh after the last of them. */
export function walkBack(
  now: MeshNow,
  before: MeshBefore,
  forward: readonly IstioCanary[],
  settings: Omit<WaveSettings, 'tags'>,
): { moves: BackMove[]; after: MeshNow } {
  let mesh = now;
  const moves: BackMove[] = [];
  for (const [index, canary] of [...forward.entries()].toReversed()) {
    const move = moveOf(mesh, before, canary, forward.slice(0, index), settings);
    if (move === undefined) continue;
    moves.push(move);
    mesh = afterMove(mesh, move);
  }
  return { moves, after: mesh };
}

/** The revision behind a selector: a tag goes before a revision of its name. undefined: neither is there. */
export function revisionBehind({ revisions, tags }: Pick<MeshNow, 'revisions' | 'tags'>, selector: string): string | undefined {
  return tags.find(({ tag }) => tag === selector)?.revision ?? revisions.find(({ revision }) => revision === selector)?.revision;
}

/** undefined: nothing of it is left to be taken back. */
function moveOf(
  mesh: MeshNow,
  before: MeshBefore,
  forward: IstioCanary,
  earlier: readonly IstioCanary[],
  settings: Omit<WaveSettings, 'tags'>,
): BackMove | undefined {
  const { fromRevision, toRevision } = forward;
  const keeps = before.istioRevisions.some(({ revision }) => revision === toRevision);
  // The default tag moves with the retirement, too, so that the canary's own list is not all.
  const tags = mesh.tags
    .filter(({ tag, revision }) => {
      const was = before.istioTags.find((each) => each.tag === tag)?.revision;
      return revision === toRevision && was !== undefined && was !== toRevision && leadsTo(fromRevision, was, earlier);
    })
    .map(({ tag }) => tag)
    .toSorted();
  const moved = forward.waves.flat();
  const namespaces = mesh.namespaces.filter(
    ({ name, selector, revision }) => revision === toRevision && (moved.includes(name) || tags.includes(selector)),
  );
  const titles = (forward.gateways ?? []).map(objectTitle);
  const gateways = mesh.gateways.filter(
    (gateway) => gateway.revision === toRevision && (titles.includes(objectTitle(gateway)) || tags.includes(gateway.selector)),
  );
  const version = tryComponentVersion(mesh.revisions.find(({ revision }) => revision === toRevision)?.version ?? forward.toMinor);
  const waves = wavesOf(
    meshWaves({ namespaces, version: version ?? parseComponentVersion(forward.toMinor) }, gateways, { ...settings, tags }),
    tags,
  );
  const installed = mesh.revisions.some(({ revision }) => revision === toRevision);
  if (waves.waves.length === 0 && (!installed || keeps)) return undefined;
  return { forward, namespaces, gateways, tags, waves, keeps };
}

/** A tag that no namespace selects needs a wave as well. */
function wavesOf(cut: BackMove['waves'], tags: readonly string[]): BackMove['waves'] {
  if (cut.waves.length > 0 || tags.length === 0) return cut;
  return { ...cut, waves: [[]], ...(cut.gateways === undefined ? {} : { gateways: cut.gateways.map((each) => ({ ...each, wave: 0 })) }) };
}

/** Does the way back from `revision` go over `end`? */
function leadsTo(revision: string, end: string, earlier: readonly IstioCanary[]): boolean {
  return (
    revision === end ||
    earlier.some(({ fromRevision, toRevision }, index) => toRevision === revision && leadsTo(fromRevision, end, earlier.slice(0, index)))
  );
}

/** What followed a tag still does; all else names the older revision now. */
function afterMove(mesh: MeshNow, { forward, namespaces, gateways, tags, keeps }: BackMove): MeshNow {
  const { fromRevision: to, toRevision: from, fromVersion } = forward;
  const there = mesh.revisions.some(({ revision }) => revision === to);
  const installed = { revision: to, version: fromVersion, namespace: 'istio-system', ready: true };
  const left = mesh.revisions.filter(({ revision }) => keeps || revision !== from);
  return {
    revisions: there ? left : [...left, installed],
    tags: mesh.tags.map((each) => (tags.includes(each.tag) ? { ...each, revision: to } : each)),
    namespaces: mesh.namespaces.map((each): MeshNamespaceFact => {
      if (!namespaces.includes(each)) return each;
      return tags.includes(each.selector) ? { ...each, revision: to } : { ...each, revision: to, mode: 'revision', selector: to };
    }),
    gateways: mesh.gateways.flatMap((each) =>
      gateways.includes(each) ? (gatewaysAfter([each], { fromRevision: from, toRevision: to, tags }) ?? []) : [each],
    ),
  };
}
