/** Gateways of a mesh: which wave of a canary moves each, and how. */
import type { GatewayFact, MeshNamespaceFact } from '../../facts/facts.ts';
import { istioDropsGateways } from '../../tables/istio.ts';
import { count, objectTitle } from '../../core/text.ts';
import { namespaceWaves } from './waves.ts';
import type { GatewayMove, IstioCanary } from '../model/changes.ts';
import type { ComponentVersion } from '../../core/component-version.ts';

export interface WaveSettings {
  /** Shares of the namespaces. */
  shares: readonly number[];
  /** When gateways move that wait for no namespace and no tag. */
  gateways: 'first' | 'last';
  /** Those that the canary moves; none: namespaces are labelled. */
  tags: readonly string[];
}

/** Waves of a revision's namespaces and gateways: gateways, and namespaces of gateways alone, in a wave of their own. */
export function meshWaves(
  { namespaces, version }: Pick<MeshRevision, 'namespaces' | 'version'>,
  gateways: readonly GatewayFact[],
  settings: WaveSettings,
): Pick<IstioCanary, 'waves' | 'gateways'> {
  const own = namespaces.filter((each) => each.gatewaysOnly === true).map(({ name }) => name);
  const waves = namespaceWaves(
    namespaces.filter((each) => each.gatewaysOnly !== true),
    settings.shares,
  );
  const ways = gateways.map((gateway) => ({ gateway, way: wayOf(gateway, namespaces, settings.tags) }));
  if (own.length > 0 || ways.some(({ way }) => way.how !== 'follows')) {
    if (settings.gateways === 'first') waves.unshift(own.toSorted());
    else waves.push(own.toSorted());
  }
  if (gateways.length === 0) return { waves };
  const at = settings.gateways === 'first' ? 0 : waves.length - 1;
  // Tags that nothing selects move with the last wave.
  const waveOfTag = (tag: string): number => {
    const selecting = namespaces.filter(({ selector }) => selector === tag).map(({ name }) => name);
    const found = waves.findIndex(
      (wave, index) =>
        wave.some((each) => selecting.includes(each)) || (index === at && ways.some(({ way }) => way.how === 'restart' && way.tag === tag)),
    );
    return found === -1 ? waves.length - 1 : found;
  };
  return {
    waves,
    gateways: ways.map(({ gateway, way }): GatewayMove => {
      const { kind, namespace, name } = gateway;
      const withNamespace = waves.findIndex((wave) => wave.includes(namespace));
      return {
        kind,
        namespace,
        name,
        wave: way.how !== 'follows' ? at : way.tag === undefined ? withNamespace : waveOfTag(way.tag),
        ...way,
        ...(kind === 'Gateway' && istioDropsGateways(version) ? { drops: true as const } : {}),
      };
    }),
  };
}

/** Injected workloads change their proxy with a restart; a Gateway's Deployment is changed by istiod as soon as its revision is another one. */
function wayOf(gateway: GatewayFact, namespaces: readonly MeshNamespaceFact[], tags: readonly string[]): Pick<GatewayMove, 'how' | 'tag'> {
  const { kind, by, selector } = gateway;
  if (by === 'image') return { how: 'owner' };
  const tag = tags.find((each) => each === selector);
  if (kind !== 'Gateway') {
    if (by === 'namespace') return { how: 'follows' };
    return tag === undefined ? { how: 'relabel' } : { how: 'restart', tag };
  }
  if (tag !== undefined) return { how: 'follows', tag };
  // Its namespace gets the label istio.io/rev, which it goes by then, even where the namespace had istio-injection before.
  const labelled = by !== 'own-label' && namespaces.some(({ name }) => name === gateway.namespace);
  return { how: labelled ? 'follows' : 'relabel' };
}

/** The gateways after a canary: what followed a tag still does, the others name the new revision. */
export function gatewaysAfter(
  gateways: readonly GatewayFact[] | undefined,
  { fromRevision, toRevision, tags = [] }: Pick<IstioCanary, 'fromRevision' | 'toRevision' | 'tags'>,
): GatewayFact[] | undefined {
  return gateways?.map((gateway): GatewayFact => {
    if (gateway.revision !== fromRevision) return gateway;
    const moved = { ...gateway, revision: toRevision };
    if (tags.includes(gateway.selector)) return moved;
    return { ...moved, selector: toRevision, ...(gateway.by === 'default' ? { by: 'own-label' as const } : {}) };
  });
}

/** For the plan; undefined: there are none. */
export function gatewayWords(canaries: readonly IstioCanary[]): string | undefined {
  const moves = canaries.flatMap(({ gateways = [] }) => gateways);
  if (moves.length === 0) return undefined;
  const gateways = new Set(moves.map(objectTitle)).size;
  const own = moves.some(({ how }) => how !== 'follows');
  const how = own ? 'in a wave of their own where they name a revision or a tag themselves' : 'with their namespace or their tag';
  return `${count(gateways, 'gateway')} move${gateways === 1 ? 's' : ''} in place, ${how}: Services and load balancers stay, and are compared before and after.`;
}

export interface MeshRevision {
  revision: string;
  version: ComponentVersion;
  /** The version as the cluster says it. */
  text: string;
  namespaces: MeshNamespaceFact[];
}
