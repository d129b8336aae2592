/** Karpenter's CustomResourceDefinitions, and whether anybody answers their conversion webhooks. */
import { brokenService, type Conversion, type DefinitionSeen, type ServiceRef } from '../../../domain/plan/migration/state.ts';
import type { EndpointSlice } from '../../clients/kubernetes/objects.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import { defined } from '../../../domain/core/defined.ts';

const GROUPS = new Set(['karpenter.sh', 'karpenter.k8s.aws']);
/** apiextensions.k8s.io/v1, ServiceReference: the port's default. */
const HTTPS = 443;

interface ConversionSpec {
  strategy?: string;
  webhook?: { clientConfig?: { service?: { namespace: string; name: string; port?: number } } };
}
type Listed = KubeObject<
  { group?: string; versions?: { name: string; served?: boolean; storage?: boolean }[]; conversion?: ConversionSpec },
  { storedVersions?: string[] }
>;

export async function readKarpenterDefinitions(port: KubernetesPort): Promise<DefinitionSeen[]> {
  const query = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' };
  const own = await port.list<Listed>(query, (object) => (GROUPS.has(object.spec?.group ?? '') ? object : undefined));
  return Promise.all(
    (own ?? []).map(async ({ metadata, spec = {}, status }) => ({
      name: metadata.name,
      served: (spec.versions ?? []).filter(({ served }) => served === true).map(({ name }) => name),
      storage: (spec.versions ?? []).find(({ storage }) => storage === true)?.name ?? '',
      storedVersions: status?.storedVersions ?? [],
      conversion: await conversionOf(port, spec.conversion),
    })),
  );
}

async function conversionOf(port: KubernetesPort, conversion: ConversionSpec | undefined): Promise<Conversion> {
  if (conversion?.strategy !== 'Webhook') return { kind: 'none' };
  const reference = conversion.webhook?.clientConfig?.service;
  if (reference === undefined) return { kind: 'webhook', service: 'none' };
  const service = { namespace: reference.namespace, name: reference.name, port: reference.port ?? HTTPS };
  const broken = await brokenBehind(port, service);
  return { kind: 'webhook', service, ...defined({ broken }) };
}

async function brokenBehind(port: KubernetesPort, ref: ServiceRef): Promise<string | undefined> {
  const { namespace, name } = ref;
  type Service = KubeObject<{ ports?: { port: number }[] }>;
  const service = await port.get<Service>({ apiVersion: 'v1', plural: 'services', namespace, name });
  if (service === undefined) return brokenService(ref, undefined, 0);
  const labelSelector = `kubernetes.io/service-name=${name}`;
  const slices = await port.list<EndpointSlice>({ apiVersion: 'discovery.k8s.io/v1', plural: 'endpointslices', namespace, labelSelector });
  const ready = (slices ?? []).flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
  return brokenService(
    ref,
    (service.spec?.ports ?? []).map(({ port: number }) => number),
    ready.length,
  );
}
