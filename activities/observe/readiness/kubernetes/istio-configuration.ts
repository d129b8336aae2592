/** What of a mesh's configuration is bound to a revision or to a version of the proxy: it stops to count when its pods move on. */
import type { IstioSeen } from '../../../../domain/readiness/model/evidence.ts';
import { REV } from '../../../istio/mesh/inventory.ts';
import type { KubeObject, KubernetesPort } from '../../../contract/ports.ts';

/**
 * Types that istiod reads by their label istio.io/rev (one without the label is read by every revision): all that it reads, by the filter of Istio's
 * pilot/pkg/config/kube/crdclient/client.go. Gateways of the Gateway API are none of them: their label says who deploys them.
 */
const TYPES: readonly (readonly [apiVersion: string, ...plurals: string[]])[] = [
  ['gateway.networking.k8s.io/v1', 'httproutes', 'grpcroutes'],
  [
    'networking.istio.io/v1',
    'destinationrules',
    'gateways',
    'serviceentries',
    'sidecars',
    'virtualservices',
    'workloadentries',
    'workloadgroups',
  ],
  ['networking.istio.io/v1alpha3', 'envoyfilters'],
  ['networking.istio.io/v1beta1', 'proxyconfigs'],
  ['security.istio.io/v1', 'authorizationpolicies', 'peerauthentications', 'requestauthentications'],
  ['extensions.istio.io/v1alpha1', 'wasmplugins'],
  ['telemetry.istio.io/v1', 'telemetries'],
];

type EnvoyFilter = KubeObject<{ configPatches?: { match?: { proxy?: { proxyVersion?: string } } }[] }>;

/** Types that the server does not serve hold nothing. */
export async function readConfiguration(port: KubernetesPort): Promise<Pick<IstioSeen, 'bound' | 'versionedFilters'>> {
  const queries = TYPES.flatMap(([apiVersion, ...plurals]) => plurals.map((plural) => ({ apiVersion, plural })));
  const [filters, ...lists] = await Promise.all([
    port.list<EnvoyFilter>({ apiVersion: 'networking.istio.io/v1alpha3', plural: 'envoyfilters' }),
    ...queries.map(async (query) => ({ plural: query.plural, objects: (await port.list({ ...query, labelSelector: REV })) ?? [] })),
  ]);
  return {
    bound: lists.flatMap(({ plural, objects }) =>
      objects.map(({ metadata, kind }) => ({
        kind: kind ?? KINDS[plural] ?? plural,
        namespace: metadata.namespace ?? '',
        name: metadata.name,
        revision: metadata.labels?.[REV] ?? '',
      })),
    ),
    versionedFilters: (filters ?? []).flatMap(({ metadata, spec }) => {
      const proxyVersions = [...new Set((spec?.configPatches ?? []).flatMap(({ match }) => match?.proxy?.proxyVersion ?? []))];
      return proxyVersions.length === 0 ? [] : [{ namespace: metadata.namespace ?? '', name: metadata.name, proxyVersions }];
    }),
  };
}

/** Items of a list do not say their kind. */
const KINDS: Record<string, string> = {
  httproutes: 'HTTPRoute',
  grpcroutes: 'GRPCRoute',
  destinationrules: 'DestinationRule',
  gateways: 'Gateway',
  serviceentries: 'ServiceEntry',
  sidecars: 'Sidecar',
  virtualservices: 'VirtualService',
  envoyfilters: 'EnvoyFilter',
  authorizationpolicies: 'AuthorizationPolicy',
  peerauthentications: 'PeerAuthentication',
  requestauthentications: 'RequestAuthentication',
  workloadentries: 'WorkloadEntry',
  workloadgroups: 'WorkloadGroup',
  proxyconfigs: 'ProxyConfig',
  wasmplugins: 'WasmPlugin',
  telemetries: 'Telemetry',
};
