/** Values of one release of Istio for another version of its chart. Pure. */
import type { NodeAgentChange } from '../../../domain/plan/model/changes.ts';
import type { ValueEdit } from '../../contract/delivery.ts';
import { at, edited, type Values } from '../../kubernetes/gitops/chart-values.ts';
import { formatMinor, tryComponentVersion } from '../../../domain/core/component-version.ts';
import { istiodOf } from '../mesh/inventory.ts';

/** What pins the images of a version: `tag` at the top and in the sections that the charts read it from. */
export const PINS: readonly (readonly string[])[] = [['tag'], ['global', 'tag'], ['pilot', 'tag'], ['cni', 'tag']];

/** Without what pins the images of the old version. */
export function withoutPins(values: Values): Values {
  return edited(
    values,
    PINS.map((path) => ({ path })),
  );
}

/**
 * What has moved in the values of chart istiod: from 1.22 on it reads `pilot.cni`, and 1.24 ignores `istio_cni` (its release notes). Without it pods
 * of a mesh with istio-cni would get the init container again, with NET_ADMIN and NET_RAW, which stricter Pod Security levels refuse.
 */
export function movedValues(values: Values): ValueEdit[] {
  // A parameter of an Application is a text.
  if (String(at(values, ['istio_cni', 'enabled'])) !== 'true') return [];
  const provider = at(values, ['istio_cni', 'provider']);
  const moved: ValueEdit[] = [
    { path: ['pilot', 'cni', 'enabled'], value: true },
    ...(typeof provider === 'string' && provider !== '' ? [{ path: ['pilot', 'cni', 'provider'], value: provider }] : []),
  ];
  return moved.filter(({ path }) => at(values, path) === undefined);
}

/**
 * The charts of 1.30 alone take images from registry.istio.io, which Istio closes in December 2026 (change notes of 1.30; blog, "An update on our move to
 * AWS"). Where values name no registry, the one that all other minors have by default stays. `version`: that of the chart, or its minor; `path`: where
 * the chart reads it.
 */
export function lastingHub(values: Values, version: string, path: readonly string[] = ['global', 'hub']): ValueEdit[] {
  const parsed = tryComponentVersion(version);
  const ends = parsed !== undefined && formatMinor(parsed) === '1.30';
  return ends && at(values, path) === undefined ? [{ path, value: 'docker.io/istio' }] : [];
}

/** Where each node agent's chart reads its registry. */
const AGENT_HUBS = { 'istio-cni': ['global', 'hub'], ztunnel: ['hub'] } as const;

/** The same for a node agent's chart. That of ztunnel reads `global` too, and prefers what stands beside it (its templates/zzz_profile.yaml). */
export const lastingAgentHub = (values: Values, { kind, toMinor }: Pick<NodeAgentChange, 'kind' | 'toMinor'>): ValueEdit[] =>
  at(values, ['global', 'hub']) === undefined ? lastingHub(values, toMinor, AGENT_HUBS[kind]) : [];

/** More names for the certificate of istiod: it is asked by none of them for that. */
const HARMLESS = 'ISTIOD_CUSTOM_HOST';

/**
 * Where values name the Service of the revision's istiod (discoveryAddress, caAddress). Copied, they would have the proxies of the new revision ask
 * the old istiod, and nothing shows it before that is gone.
 */
function callsTo(revision: string, values: Values): string[] {
  const host = new RegExp(`(?:^|[^\\w.-])${istiodOf(revision)}\\.[\\w-]+(?:\\.svc|:\\d|$)`);
  const found = (value: unknown, path: readonly string[]): string[] => {
    if (typeof value === 'string') return host.test(value) && path.at(-1) !== HARMLESS ? [path.join('.')] : [];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, inner]) => found(inner, [...path, key]));
  };
  return found(values, []);
}

/** Why the values may not be copied; undefined: they may. `of`: "release istio-system/istiod-1-26". */
export function whyNotCopied(of: string, revision: string, values: Values): string | undefined {
  const paths = callsTo(revision, values);
  if (paths.length === 0) return undefined;
  return `${of} names ${istiodOf(revision)} at ${paths.join(', ')}, and proxies of a new revision would ask the old istiod: take it out, the chart fills in the address of each revision`;
}
