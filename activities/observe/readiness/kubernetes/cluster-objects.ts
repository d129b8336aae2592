/** What stands around workloads: nodes, budgets, Services, admission, definitions, volumes. */
import { catchesOf } from '../../../../domain/readiness/checks/workloads/admission.ts';
import type { AggregatedApi, Definition, NodeSeen, Shape, VolumeSeen, WebhookSeen } from '../../../../domain/readiness/model/evidence.ts';
import { whyUncounted } from '../../../../domain/facts/disruption/uncounted-pods.ts';
import type { LabelSelector } from '../../../../domain/core/label-selectors.ts';
import { MUTATING, NODES, slimNode, VALIDATING } from '../../../kubernetes/objects/lists.ts';
import { conditionOf, type Condition, type EndpointSlice, isTrue, type WebhookConfiguration } from '../../../clients/kubernetes/objects.ts';
import type { KubeObject, KubernetesPort, ListQuery } from '../../../contract/ports.ts';
import { instanceOfNode, ownerOfNode } from '../../../kubernetes/objects/node-owner.ts';
import { given } from '../../../runtime/given.ts';
import { addressFaultsIn } from '../../../../domain/tables/strict-addresses.ts';
import type { BudgetSeen, NetworkPolicySeen, ServiceSeen } from '../../../../domain/readiness/model/evidence-workloads.ts';

/** Reads a list page by page and keeps of each object only what `slim` makes of it. A type that the server does not serve is an empty list. */
export async function slimList<T extends KubeObject, S>(port: KubernetesPort, query: ListQuery, slim: (object: T) => S): Promise<S[]> {
  const kept: S[] = [];
  await port.list<T>(query, (object) => {
    kept.push(slim(object));
    return undefined;
  });
  return kept;
}

/** As Karpenter's reader asks for them, so that they are read once. */
export async function readNodesSeen(port: KubernetesPort): Promise<NodeSeen[]> {
  const nodes = (await port.list(NODES, slimNode)) ?? [];
  return nodes.map((node) => ({
    name: node.metadata.name,
    kubelet: node.status?.nodeInfo?.kubeletVersion ?? '',
    runtime: node.status?.nodeInfo?.containerRuntimeVersion ?? '',
    osImage: node.status?.nodeInfo?.osImage ?? '',
    owner: ownerOfNode(node),
    ready: isTrue(node, 'Ready'),
    createdAt: node.metadata.creationTimestamp ?? '',
    ...given('zone', node.metadata.labels?.['topology.kubernetes.io/zone']),
    ...given('instance', instanceOfNode(node)),
  }));
}

type BudgetListed = KubeObject<
  {
    selector?: LabelSelector | null;
    minAvailable?: number | string;
    maxUnavailable?: number | string;
    unhealthyPodEvictionPolicy?: string;
  },
  { expectedPods?: number; currentHealthy?: number; disruptionsAllowed?: number; conditions?: Condition[] }
>;

export function readBudgets(port: KubernetesPort): Promise<BudgetSeen[]> {
  return slimList<BudgetListed, BudgetSeen>(
    port,
    { apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' },
    ({ metadata, spec = {}, status }) => ({
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      ...given('selector', spec.selector ?? undefined),
      ...given('minAvailable', spec.minAvailable),
      ...given('maxUnavailable', spec.maxUnavailable),
      ...given('unhealthyPodEvictionPolicy', spec.unhealthyPodEvictionPolicy),
      ...given('expectedPods', status?.expectedPods),
      ...given('disruptionsAllowed', status?.disruptionsAllowed),
      ...given('uncounted', whyUncounted(status)),
    }),
  );
}

const SERVICE_NAME = 'kubernetes.io/service-name';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
/** Copies what people write into Endpoints of Services without a selector; elections and the API server's own are left out by Kubernetes. */
const MIRRORING = 'endpointslicemirroring-controller.k8s.io';

/** Services with the number of their ready endpoints. */
export async function readServices(port: KubernetesPort): Promise<ServiceSeen[]> {
  const ready = new Map<string, number>();
  const mirrored = new Set<string>();
  const slices = slimList<EndpointSlice, void>(
    port,
    { apiVersion: 'discovery.k8s.io/v1', plural: 'endpointslices' },
    ({ metadata, endpoints }) => {
      const key = `${metadata.namespace}/${metadata.labels?.[SERVICE_NAME]}`;
      // An absent condition means ready (discovery.k8s.io/v1, EndpointConditions).
      const up = (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false).length;
      ready.set(key, (ready.get(key) ?? 0) + up);
      if (metadata.labels?.[MANAGED_BY] === MIRRORING) mirrored.add(key);
    },
  );
  type Listed = KubeObject<{ type?: string; externalIPs?: string[]; loadBalancerSourceRanges?: string[] }>;
  const services = slimList<Listed, ServiceSeen>(port, { apiVersion: 'v1', plural: 'services' }, ({ metadata, spec }) => ({
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    externalIps: (spec?.externalIPs ?? []).length > 0,
    handWritten: false,
    external: spec?.type === 'ExternalName',
    ready: 0,
    ...given(
      'addressFaults',
      addressFaultsIn({ externalIPs: spec?.externalIPs ?? [], loadBalancerSourceRanges: spec?.loadBalancerSourceRanges ?? [] }),
    ),
  }));
  // Together: of two that are refused, neither may be left without anybody who waits for it.
  const [seen] = await Promise.all([services, slices]);
  return seen.map((service) => {
    const key = `${service.namespace}/${service.name}`;
    return { ...service, ready: ready.get(key) ?? 0, handWritten: mirrored.has(key) };
  });
}

export function readNetworkPolicies(port: KubernetesPort): Promise<NetworkPolicySeen[]> {
  type Peers = { ipBlock?: { cidr?: string; except?: string[] } }[];
  type Listed = KubeObject<{ ingress?: { from?: Peers }[]; egress?: { to?: Peers }[] }>;
  const query = { apiVersion: 'networking.k8s.io/v1', plural: 'networkpolicies' };
  return slimList<Listed, NetworkPolicySeen>(port, query, ({ metadata, spec: { ingress = [], egress = [] } = {} }) => {
    const peers = [...ingress.flatMap(({ from = [] }) => from), ...egress.flatMap(({ to = [] }) => to)];
    const blocks = peers.flatMap(({ ipBlock }) => ipBlock ?? []);
    return {
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      ...given(
        'addressFaults',
        addressFaultsIn({ 'ipBlock.cidr': blocks.map(({ cidr }) => cidr), 'ipBlock.except': blocks.flatMap(({ except = [] }) => except) }),
      ),
    };
  });
}

export async function readWebhooks(port: KubernetesPort): Promise<WebhookSeen[]> {
  const kinds = [
    { kind: 'MutatingWebhookConfiguration', query: MUTATING },
    { kind: 'ValidatingWebhookConfiguration', query: VALIDATING },
  ] as const;
  const lists = kinds.map(({ kind, query }) =>
    slimList<WebhookConfiguration, WebhookSeen[]>(port, query, ({ metadata, webhooks = [] }) =>
      webhooks.map(({ name, failurePolicy, clientConfig, rules = [] }) => ({
        kind,
        configuration: metadata.name,
        name,
        failurePolicy: failurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
        catches: catchesOf(rules),
        ...(clientConfig?.service === undefined
          ? {}
          : { service: { namespace: clientConfig.service.namespace, name: clientConfig.service.name } }),
      })),
    ),
  );
  return (await Promise.all(lists)).flat(2);
}

export function readAggregatedApis(port: KubernetesPort): Promise<AggregatedApi[]> {
  type Listed = KubeObject<{ service?: { namespace: string; name: string } }, { conditions?: Condition[] }>;
  return slimList<Listed, AggregatedApi>(port, { apiVersion: 'apiregistration.k8s.io/v1', plural: 'apiservices' }, (api) => ({
    name: api.metadata.name,
    available: isTrue(api, 'Available'),
    ...given('message', conditionOf(api, 'Available')?.message),
    ...given('service', api.spec?.service),
  }));
}

export function readDefinitions(port: KubernetesPort): Promise<Definition[]> {
  type Listed = KubeObject<
    {
      group?: string;
      names?: { kind?: string };
      versions?: { name: string; served?: boolean; storage?: boolean }[];
      conversion?: { webhook?: { clientConfig?: { service?: { namespace: string; name: string } } } };
    },
    { storedVersions?: string[] }
  >;
  const query = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' };
  return slimList<Listed, Definition>(port, query, ({ metadata, spec = {}, status }) => ({
    name: metadata.name,
    group: spec.group ?? '',
    kind: spec.names?.kind ?? '',
    served: (spec.versions ?? []).filter(({ served }) => served === true).map(({ name }) => name),
    storage: (spec.versions ?? []).find(({ storage }) => storage === true)?.name ?? '',
    storedVersions: status?.storedVersions ?? [],
    ...given('convertedBy', placeOf(spec.conversion?.webhook?.clientConfig?.service)),
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
  }));
}

const placeOf = (service: { namespace: string; name: string } | undefined): Definition['convertedBy'] =>
  service === undefined ? undefined : { namespace: service.namespace, name: service.name };

type VolumeListed = KubeObject<
  {
    claimRef?: { namespace?: string; name?: string };
    accessModes?: string[];
    local?: unknown;
    hostPath?: unknown;
    csi?: { driver?: string };
    nodeAffinity?: { required?: { nodeSelectorTerms?: { matchExpressions?: { key: string; operator: string; values?: string[] }[] }[] } };
  },
  { phase?: string }
>;

/** Zones by the volume's node affinity: EBS volumes name theirs. */
export async function readVolumes(port: KubernetesPort): Promise<VolumeSeen[]> {
  type Attachment = KubeObject<{ nodeName?: string; source?: { persistentVolumeName?: string } }>;
  const attachments = slimList<Attachment, [string | undefined, string | undefined]>(
    port,
    { apiVersion: 'storage.k8s.io/v1', plural: 'volumeattachments' },
    ({ spec }) => [spec?.source?.persistentVolumeName, spec?.nodeName],
  );
  const volumes = slimList<VolumeListed, VolumeSeen>(
    port,
    { apiVersion: 'v1', plural: 'persistentvolumes' },
    ({ metadata, spec = {}, status }) => {
      const { namespace, name } = spec.claimRef ?? {};
      const isUsed = status?.phase === undefined || status.phase === 'Bound';
      return {
        name: metadata.name,
        zones: zonesOf(spec),
        accessModes: spec.accessModes ?? [],
        ...given('driver', spec.csi?.driver),
        ...given('onNode', isUsed ? nodeOf(spec) : undefined),
        ...(namespace === undefined || name === undefined ? {} : { claim: { namespace, name } }),
      };
    },
  );
  const [seen, attached] = await Promise.all([volumes, attachments]);
  const attachedTo = new Map(attached);
  return seen.map((volume) => ({ ...volume, ...given('attachedTo', attachedTo.get(volume.name)) }));
}

export function readCsiDrivers(port: KubernetesPort): Promise<Shape<'csiDrivers'>> {
  type Listed = KubeObject<{ seLinuxMount?: boolean }>;
  const query = { apiVersion: 'storage.k8s.io/v1', plural: 'csidrivers' };
  return slimList<Listed, Shape<'csiDrivers'>[number]>(port, query, ({ metadata, spec }) => ({
    name: metadata.name,
    seLinuxMount: spec?.seLinuxMount === true,
  }));
}

const zonesOf = (spec: NonNullable<VolumeListed['spec']>): string[] =>
  allowedIn(spec, ['topology.kubernetes.io/zone', 'topology.ebs.csi.aws.com/zone']);

/** Of local volumes, and of drivers of a node's own disks: TopoLVM names nodes by a key of its own. */
function nodeOf(spec: NonNullable<VolumeListed['spec']>): string | undefined {
  const [node] = allowedIn(spec, ['kubernetes.io/hostname', 'topology.topolvm.io/node']);
  return node ?? (spec.local !== undefined || spec.hostPath !== undefined ? '' : undefined);
}

function allowedIn({ nodeAffinity }: NonNullable<VolumeListed['spec']>, keys: readonly string[]): string[] {
  const terms = nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const expressions = terms.flatMap(({ matchExpressions = [] }) => matchExpressions);
  const named = expressions.filter(({ key, operator }) => operator === 'In' && keys.includes(key));
  return [...new Set(named.flatMap(({ values = [] }) => values))];
}
