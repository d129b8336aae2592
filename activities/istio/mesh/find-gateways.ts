/** Istio's gateways: injected workloads, and Gateways of the Gateway API with the Deployments that istiod makes for them. */
import type { GatewayFact } from '../../../domain/facts/facts.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { gitOpsOwner } from '../../kubernetes/helm/ownership.ts';
import { PLURALS, WORKLOAD_KINDS, type WorkloadKind } from '../../kubernetes/objects/rollout.ts';
import type { Gateway, GatewayClass, Workload } from '../../clients/kubernetes/objects.ts';
import { asksForSidecar, optsOut, REV } from './inventory.ts';

const TEMPLATES = 'inject.istio.io/templates';
/** On the Deployment, Service and pods that istiod makes for a Gateway. */
export const GATEWAY_NAME = 'gateway.networking.k8s.io/gateway-name';

const API = 'gateway.networking.k8s.io/v1';
export const GATEWAYS = { apiVersion: API, plural: 'gateways' } as const;
const CLASSES = { apiVersion: API, plural: 'gatewayclasses' } as const;
/** Controllers of istiod: gateways, waypoints, east-west gateways (istio.io, "Kubernetes Gateway API"). */
const CONTROLLERS = /^istio\.io\/(?:gateway|mesh|eastwest)-controller$/;

export interface FoundGateway extends Pick<GatewayFact, 'kind' | 'namespace' | 'name' | 'className' | 'replicas' | 'podLabels' | 'keptBy'> {
  /** Label istio.io/rev of its own. */
  label?: string;
  /** Its template names the proxy's image: it is not injected. */
  hasImage: boolean;
}

/** A workload, no gateway, whose template has a label by which a webhook takes its pods where their namespace says nothing. */
export interface OwnChoice {
  kind: WorkloadKind;
  namespace: string;
  name: string;
  /** Value of istio.io/rev; absent: it asks for the default revision. */
  rev?: string;
}

export interface FoundGateways {
  gateways: FoundGateway[];
  choosing: OwnChoice[];
  /** Namespaces with workloads that may be in the mesh and are no gateways. */
  withApps: ReadonlySet<string>;
}

/** Lists the workloads of the whole cluster; only gateways are kept of them. */
export async function findGateways(port: KubernetesPort): Promise<FoundGateways> {
  const withApps = new Set<string>();
  const gateways: FoundGateway[] = [];
  const made = new Map<string, Workload[]>();
  const choosing: OwnChoice[] = [];
  for (const kind of WORKLOAD_KINDS) {
    const keep = (each: Workload): Workload | undefined => {
      if (isGateway(each)) return each;
      if (optsOut(each.spec?.template ?? {})) return undefined;
      const { namespace = '', name } = each.metadata;
      withApps.add(namespace);
      const labels = each.spec?.template?.metadata?.labels ?? {};
      // istiod's template carries its revision as a label, and old charts let it be injected.
      const asks = labels['app'] !== 'istiod' && (labels[REV] !== undefined || asksForSidecar(labels));
      if (asks) choosing.push({ kind, namespace, name, ...given('rev', labels[REV]) });
      return undefined;
    };
    for (const workload of (await port.list<Workload>({ apiVersion: 'apps/v1', plural: PLURALS[kind] }, keep)) ?? []) {
      const { namespace = '', labels } = workload.metadata;
      const of = labels?.[GATEWAY_NAME];
      if (of !== undefined) made.set(`${namespace}/${of}`, [...(made.get(`${namespace}/${of}`) ?? []), workload]);
      else if (kind !== 'StatefulSet') gateways.push(injected(kind, workload));
    }
  }
  return { gateways: [...gateways, ...(await ofGatewayApi(port, made))], choosing, withApps };
}

/** The gateway chart's workloads, those that istioctl renders, and those that istiod makes. */
function isGateway({ metadata, spec }: Workload): boolean {
  if (metadata.labels?.[GATEWAY_NAME] !== undefined) return true;
  const templates = spec?.template?.metadata?.annotations?.[TEMPLATES]?.split(',').map((name) => name.trim());
  return templates?.includes('gateway') === true || namesImage(spec?.template?.spec);
}

/** An injected gateway has the image "auto", or no container of that name. */
function namesImage(spec: NonNullable<NonNullable<Workload['spec']>['template']>['spec']): boolean {
  const proxy = spec?.containers?.find(({ name }) => name === 'istio-proxy');
  return proxy?.image !== undefined && proxy.image !== 'auto' && proxy.args?.includes('router') === true;
}

function injected(kind: Exclude<WorkloadKind, 'StatefulSet'>, { metadata, spec, status }: Workload): FoundGateway {
  const { namespace = '', name } = metadata;
  const labels = spec?.template?.metadata?.labels;
  return {
    kind,
    namespace,
    name,
    replicas: kind === 'DaemonSet' ? (status?.desiredNumberScheduled ?? 0) : (spec?.replicas ?? 1),
    hasImage: namesImage(spec?.template?.spec),
    ...given('label', labels?.[REV]),
    ...given('podLabels', labels),
    ...given('keptBy', gitOpsOwner({ metadata })),
  };
}

async function ofGatewayApi(port: KubernetesPort, made: ReadonlyMap<string, Workload[]>): Promise<FoundGateway[]> {
  const gateways = (await port.list<Gateway>(GATEWAYS)) ?? [];
  if (gateways.length === 0) return [];
  const classes = ((await port.list<GatewayClass>(CLASSES)) ?? []).filter(({ spec }) => CONTROLLERS.test(spec?.controllerName ?? ''));
  const ours = new Set(classes.map(({ metadata }) => metadata.name));
  return gateways
    .filter(({ spec }) => ours.has(spec?.gatewayClassName ?? ''))
    .map(({ metadata, spec }): FoundGateway => {
      const { namespace = '', name } = metadata;
      const deployments = made.get(`${namespace}/${name}`) ?? [];
      return {
        kind: 'Gateway',
        namespace,
        name,
        replicas: deployments.reduce((sum, each) => sum + (each.spec?.replicas ?? 1), 0),
        hasImage: false,
        ...given('className', spec?.gatewayClassName),
        ...given('label', metadata.labels?.[REV]),
        ...given('podLabels', deployments[0]?.spec?.template?.metadata?.labels),
        ...given('keptBy', gitOpsOwner({ metadata })),
      };
    });
}

function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}
