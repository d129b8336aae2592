/** Facts of Istio's gateways: which revision each has, and what decides it. */
import type { GatewayFact, IstioFact, IstioRevisionFact, MeshNamespaceFact, OwnChoiceFact } from '../../../domain/facts/facts.ts';
import { type FoundGateway, findGateways, type OwnChoice } from '../../istio/mesh/find-gateways.ts';
import { INJECT, INJECTION, REV } from '../../istio/mesh/inventory.ts';
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
): Promise<Pick<IstioFact, 'namespaces' | 'gateways' | 'lostGateways' | 'ownChoice'>> {
  const namespaces = [...mesh.namespaces];
  const found = await reader.attempt(
    { part: 'gateways', what: 'the gateways of Istio' },
    'list on deployments, statefulsets, daemonsets, and on gateways and gatewayclasses of gateway.networking.k8s.io',
    () => findGateways(kubernetes),
    undefined,
  );
  if (found === undefined) return { namespaces };
  const lostGateways: OwnChoiceFact[] = [];
  const gateways = found.gateways.flatMap((each) => factOf(each, mesh, reader, lostGateways) ?? []);
  const ownChoice = choicesOf(found.choosing, mesh);
  const holding = new Set(gateways.map(({ namespace }) => namespace));
  return {
    namespaces: namespaces.map((each) =>
      holding.has(each.name) && !found.withApps.has(each.name) ? { ...each, gatewaysOnly: true as const } : each,
    ),
    ...(gateways.length === 0 ? {} : { gateways }),
    ...(lostGateways.length === 0 ? {} : { lostGateways }),
    ...(ownChoice.length === 0 ? {} : { ownChoice }),
  };
}

/** A label of the namespace, whatever it says, switches those of its pods off (istiod's chart, webhooks rev.object and object). */
function choicesOf(choosing: readonly OwnChoice[], mesh: MeshSeen): OwnChoiceFact[] {
  const silent = new Set(
    mesh.labelled
      .filter(({ metadata: { labels = {} } }) => labels[INJECTION] === undefined && labels[REV] === undefined)
      .map(({ metadata }) => metadata.name),
  );
  return choosing
    .filter(({ namespace }) => silent.has(namespace))
    .map(({ rev, ...workload }): OwnChoiceFact => {
      const revision = revisionBehind(rev ?? 'default', mesh);
      return {
        ...workload,
        label: rev === undefined ? `${INJECT}=true` : `${REV}=${rev}`,
        ...(revision === undefined ? {} : { revision }),
      };
    });
}

/** A tag goes before a revision of its name. */
const revisionBehind = (selector: string, { tags, revisions }: MeshSeen): string | undefined =>
  tags.find(({ tag }) => tag === selector)?.revision ?? revisions.find((each) => each.revision === selector)?.revision;

function factOf(
  { label, hasImage, ...gateway }: FoundGateway,
  mesh: MeshSeen,
  reader: Reader,
  lost: OwnChoiceFact[],
): GatewayFact | undefined {
  const { kind, namespace, name } = gateway;
  const labels = mesh.labelled.find(({ metadata }) => metadata.name === namespace)?.metadata.labels ?? {};
  const { by, selector } = selection({ kind, label, hasImage }, { injection: labels[INJECTION], rev: labels[REV] });
  const revision = revisionBehind(selector, mesh);
  if (revision !== undefined) return { ...gateway, by, selector, revision };
  // One that follows its namespace is found with that, by its label; one that names its image is not injected.
  if (by !== 'namespace' && by !== 'image')
    lost.push({ kind, namespace, name, label: by === 'default' ? 'no label, so the default' : `${REV}=${selector}` });
  reader.doubt(
    { part: 'revision-choices', what: `the Istio revision of gateway ${namespace}/${name}` },
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
