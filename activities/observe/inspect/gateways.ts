/** Facts of Istio's gateways: which revision each has, and what decides it. */
import type { GatewayFact, IstioFact, IstioRevisionFact, MeshNamespaceFact } from '../../../domain/facts/facts.ts';
import { type FoundGateway, findGateways } from '../../istio/mesh/find-gateways.ts';
import { INJECTION, REV } from '../../istio/mesh/inventory.ts';
import type { Namespace } from '../../clients/kubernetes/objects.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import type { Reader } from '../../runtime/reader.ts';

export interface MeshSeen {
  revisions: readonly IstioRevisionFact[];
  tags: IstioFact['tags'];
  labelled: readonly Namespace[];
  namespaces: readonly MeshNamespaceFact[];
}

/** The gateways, and the namespaces of the mesh with a mark on those that hold gateways alone. */
export async function readGateways(
  kubernetes: KubernetesPort,
  mesh: MeshSeen,
  reader: Reader,
): Promise<Pick<IstioFact, 'namespaces' | 'gateways'>> {
  const namespaces = [...mesh.namespaces];
  const found = await reader.attempt(
    'the gateways of Istio',
    'list on deployments, statefulsets, daemonsets, and on gateways and gatewayclasses of gateway.networking.k8s.io',
    () => findGateways(kubernetes),
    undefined,
  );
  if (found === undefined) return { namespaces };
  const gateways = found.gateways.flatMap((each) => factOf(each, mesh, reader) ?? []);
  const holding = new Set(gateways.map(({ namespace }) => namespace));
  return {
    namespaces: namespaces.map((each) =>
      holding.has(each.name) && !found.withApps.has(each.name) ? { ...each, gatewaysOnly: true as const } : each,
    ),
    ...(gateways.length === 0 ? {} : { gateways }),
  };
}

function factOf({ label, hasImage, ...gateway }: FoundGateway, mesh: MeshSeen, reader: Reader): GatewayFact | undefined {
  const { kind, namespace, name } = gateway;
  const labels = mesh.labelled.find(({ metadata }) => metadata.name === namespace)?.metadata.labels ?? {};
  const { by, selector } = selection({ kind, label, hasImage }, { injection: labels[INJECTION], rev: labels[REV] });
  const revision =
    mesh.tags.find(({ tag }) => tag === selector)?.revision ?? mesh.revisions.find((each) => each.revision === selector)?.revision;
  if (revision !== undefined) return { ...gateway, by, selector, revision };
  reader.doubt(
    `the Istio revision of gateway ${namespace}/${name}`,
    `it selects "${selector}", which is neither a revision nor a tag: no istiod serves it when it starts again`,
  );
  return undefined;
}

/**
 * A webhook takes a pod by its namespace's labels first (their presence switches the pod's own label off); istiod takes a Gateway by its own label,
 * then by its namespace's istio.io/rev, never by istio-injection.
 */
function selection(
  { kind, label, hasImage }: Pick<FoundGateway, 'kind' | 'label' | 'hasImage'>,
  namespace: { injection: string | undefined; rev: string | undefined },
): Pick<GatewayFact, 'by' | 'selector'> {
  if (hasImage) return { by: 'image', selector: label ?? 'default' };
  const own = label === undefined ? undefined : { by: 'own-label' as const, selector: label };
  const itsRev = namespace.rev === undefined ? undefined : { by: 'namespace' as const, selector: namespace.rev };
  const none = { by: 'default' as const, selector: 'default' };
  if (kind === 'Gateway') return own ?? itsRev ?? none;
  if (namespace.injection === 'enabled') return { by: 'namespace', selector: 'default' };
  return itsRev ?? own ?? none;
}
