/** Finds the canaries that bring a mesh to a version for the hops ahead. */
import type { ComponentVersion } from '../../core/component-version.ts';
import { compareMinors, formatMinor } from '../../core/component-version.ts';
import { istioAgeDays, istioPastEndOfLife, istioSupport, istioVersionsFor } from '../../tables/istio.ts';
import type { Hop } from '../model/hops.ts';
import { retireAfter } from '../state/bake-gates.ts';
import { meshWaves } from './gateways.ts';
import { afterCanary, type Mesh, revisionName, revisionOfMinor } from './mesh.ts';
import { withNodeAgents } from './node-agents.ts';
import type { IstioCanary } from '../model/changes.ts';

export interface IstioSettings {
  /** Minors that one canary may jump: two, or one where istio-cni or ztunnel run (they lag istiod by one minor at most). */
  maxJump: number;
  waves: readonly number[];
  moveBy: 'tag' | 'label';
  gateways: 'first' | 'last';
  retireBakeMs: number;
  /** ISO 8601 */
  now: string;
}

/**
 * Canaries to run before the control plane moves in this hop; empty when nothing is to do, or when there is no way
 * (the rule istio-supports-both-minors then refuses the plan).
 */
export function istioCanaries(hop: Hop, mesh: Mesh, settings: IstioSettings): IstioCanary[] {
  const fitsHop = supportsAll(mesh, [hop.from, hop.to]);
  if (fitsHop && supportsAll(mesh, hop.ahead)) return [];
  for (let count = hop.ahead.length; count >= 2; count -= 1) {
    // A mesh that is fine for this hop moves now only for a version that serves the whole upgrade.
    if (fitsHop && count < hop.ahead.length) return [];
    const best = bestPath(hop, mesh, istioVersionsFor(hop.ahead.slice(0, count)), settings);
    if (best !== undefined) return best;
  }
  return [];
}

const YOUNG_DAYS = 180;
const ageOf = (end: ComponentVersion, { now }: IstioSettings): number => istioAgeDays(end, now) ?? Infinity;

/** No revision in use is known to lack support. What the table does not know is a finding, and no reason to move. */
function supportsAll(mesh: Mesh, minors: Hop['ahead']): boolean {
  return mesh.inUse.every((r) => minors.every((minor) => istioSupport(r.version, minor) !== 'unsupported'));
}

/**
 * The newest end that is still maintained, so that the next Kubernetes upgrade finds Istio ready. Where all are past their end of life,
 * the one with the fewest canaries, since every canary restarts the mesh and another upgrade is due anyway. For a release of the last half year
 * no further canary is run where an older one is still maintained.
 */
function bestPath(hop: Hop, mesh: Mesh, ends: readonly ComponentVersion[], settings: IstioSettings): IstioCanary[] | undefined {
  const options = ends.flatMap((end) => {
    const canaries = ageOf(end, settings) < 0 ? undefined : canariesTo(hop, mesh, end, settings);
    return canaries === undefined ? [] : [{ end, canaries, past: istioPastEndOfLife(end, settings.now) === true }];
  });
  const newest = options.toSorted((a, b) => compareMinors(b.end, a.end));
  const [first, second] = newest.filter((option) => !option.past);
  if (first !== undefined && second !== undefined && ageOf(first.end, settings) < YOUNG_DAYS) {
    return (second.canaries.length < first.canaries.length ? second : first).canaries;
  }
  const best = first ?? newest.toSorted((a, b) => a.canaries.length - b.canaries.length)[0];
  return best?.canaries;
}

/** The oldest revision moves first and joins others on its way, until all are at `end`. */
function canariesTo(hop: Hop, start: Mesh, end: ComponentVersion, settings: IstioSettings): IstioCanary[] | undefined {
  const stops = istioVersionsFor([hop.from, hop.to]);
  const canaries: IstioCanary[] = [];
  let mesh = start;
  for (;;) {
    if (mesh.inUse.some((r) => compareMinors(r.version, end) > 0)) return undefined;
    const oldest = mesh.inUse.find((r) => compareMinors(r.version, end) !== 0);
    if (oldest === undefined) return canaries;
    const [next] = shortestPath(oldest.version, end, stops, settings.maxJump) ?? [];
    if (next === undefined) return undefined;
    const present = revisionOfMinor(mesh, next);
    const moved = tagsToMove(mesh, oldest.revision, settings);
    const served = (mesh.gateways ?? []).filter(({ revision }) => revision === oldest.revision);
    const uninjected = (mesh.uninjected ?? []).filter((each) => oldest.namespaces.some(({ name }) => name === each.namespace));
    const canary = withNodeAgents(mesh, {
      fromRevision: oldest.revision,
      fromVersion: oldest.text,
      toRevision: present?.revision ?? revisionName(next),
      toMinor: formatMinor(next),
      ...(present === undefined ? {} : { toVersion: present.text }),
      ...moved,
      ...meshWaves(oldest, served, { shares: settings.waves, gateways: settings.gateways, tags: moved.tags ?? [] }),
      ...(uninjected.length === 0 ? {} : { uninjected }),
      retire: retireAfter(settings.retireBakeMs),
    });
    canaries.push(canary);
    mesh = afterCanary(mesh, canary);
  }
}

/** Without a tag that points at the revision its namespaces are moved by label, whatever was asked for. */
function tagsToMove(mesh: Mesh, revision: string, { moveBy }: IstioSettings): Pick<IstioCanary, 'tags'> {
  const tags = (mesh.tags ?? []).filter((entry) => entry.revision === revision).map(({ tag }) => tag);
  return moveBy === 'tag' && tags.length > 0 ? { tags: tags.toSorted() } : {};
}

/** The stops after `from` up to `end`, each at most `maxJump` minors on; the longest jumps first. undefined: no way. */
function shortestPath(
  from: ComponentVersion,
  end: ComponentVersion,
  stops: readonly ComponentVersion[],
  maxJump: number,
): ComponentVersion[] | undefined {
  let paths: ComponentVersion[][] = [[]];
  for (let length = 0; length <= stops.length; length += 1) {
    const longer: ComponentVersion[][] = [];
    for (const path of paths) {
      const at = path.at(-1) ?? from;
      if (compareMinors(at, end) === 0) return path;
      const reachable = stops.filter(
        (s) => s.major === at.major && s.minor > at.minor && s.minor - at.minor <= maxJump && compareMinors(s, end) <= 0,
      );
      for (const stop of reachable.toReversed()) longer.push([...path, stop]);
    }
    paths = longer;
  }
  return undefined;
}
