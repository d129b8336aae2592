/** What of a gateway must be as before once it has moved: its pods, the endpoints behind its Services, and the load balancers' addresses. */
import { agree } from '../../../domain/core/text.ts';
import { matches } from '../../../domain/core/label-selectors.ts';
import type { WaveVerdict } from '../../../domain/health/mesh/wave-health.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { slimPod } from '../../kubernetes/objects/lists.ts';
import { PLURALS, rolloutLack, type WorkloadKind } from '../../kubernetes/objects/rollout.ts';
import {
  conditionOf,
  type EndpointSlice,
  type Gateway,
  isLive,
  nameOf,
  type Pod,
  type Service,
  type Workload,
} from '../../clients/kubernetes/objects.ts';
import { GATEWAY_NAME, GATEWAYS } from '../mesh/find-gateways.ts';
import { cannotRestart } from './restart.ts';
import type { GatewayBefore, GatewayRef, GatewayService, OnDeleteSet } from '../../contract/istio-objects.ts';
import { defined } from '../../../domain/core/defined.ts';

export interface GatewayLook {
  /** Names of pods that run what is wanted. */
  pods: string[];
  wrong: string[];
  services: WaveVerdict;
}

/** `wrongWith`: what is wrong with a pod, in words. `rolled`: sets whose pods were deleted. */
export async function lookAtGateways(
  port: KubernetesPort,
  gateways: readonly GatewayBefore[],
  wrongWith: (pod: Pod) => string | undefined,
  rolled: readonly OnDeleteSet[],
): Promise<GatewayLook> {
  const look: GatewayLook = { pods: [], wrong: [], services: { kind: 'pass', lines: [] } };
  for (const gateway of gateways) {
    const workloads = await workloadsOf(port, gateway);
    for (const { kind, workload } of workloads) await lookAtPods(port, kind, workload, wrongWith, rolled, look);
    if (gateway.programmed === true) {
      const { namespace, name } = gateway;
      const now = await port.get<Gateway>({ ...GATEWAYS, namespace, name });
      const programmed = now === undefined ? undefined : conditionOf(now, 'Programmed');
      if (now !== undefined && programmed?.status !== 'True')
        look.wrong.push(
          `Gateway ${namespace}/${name}: Programmed is ${programmed?.status ?? 'Unknown'} (${programmed?.reason ?? 'not said'})`,
        );
    }
    await compareServices(port, gateway, podsWanted(workloads), look);
  }
  return look;
}

async function workloadsOf(
  port: KubernetesPort,
  { kind, namespace, name }: GatewayRef,
): Promise<{ kind: WorkloadKind; workload: Workload }[]> {
  if (kind !== 'Gateway') {
    const workload = await port.get<Workload>({ apiVersion: 'apps/v1', plural: PLURALS[kind], namespace, name });
    return workload === undefined ? [] : [{ kind, workload }];
  }
  const labelSelector = `${GATEWAY_NAME}=${name}`;
  const made = (await port.list<Workload>({ apiVersion: 'apps/v1', plural: 'deployments', namespace, labelSelector })) ?? [];
  return made.map((workload) => ({ kind: 'Deployment', workload }));
}

async function lookAtPods(
  port: KubernetesPort,
  kind: WorkloadKind,
  workload: Workload,
  wrongWith: (pod: Pod) => string | undefined,
  rolled: readonly OnDeleteSet[],
  look: GatewayLook,
): Promise<void> {
  const { namespace = '', name } = workload.metadata;
  const byHand = rolled.some((set) => set.kind === kind && set.namespace === namespace && set.name === name);
  // Gateways that istiod makes opt out of injection: it writes their proxy itself.
  const made = workload.metadata.labels?.[GATEWAY_NAME] !== undefined;
  if (!byHand && !made && cannotRestart(kind, workload) !== undefined) return;
  const lack = byHand ? undefined : rolloutLack(kind, workload);
  if (lack !== undefined) look.wrong.push(`${kind} ${nameOf(workload)}: ${lack}`);
  for (const pod of (await port.list<Pod>({ apiVersion: 'v1', plural: 'pods', namespace }, slimPod)) ?? []) {
    if (!isLive(pod) || !matches(workload.spec?.selector, pod.metadata.labels)) continue;
    const why = wrongWith(pod);
    if (why === undefined) look.pods.push(nameOf(pod));
    else look.wrong.push(`${nameOf(pod)}: ${why}`);
  }
}

/** Its autoscaler may want fewer pods by now than were ready before. Infinity: its workloads are gone, and do not say. */
function podsWanted(workloads: readonly { kind: WorkloadKind; workload: Workload }[]): number {
  if (workloads.length === 0) return Infinity;
  return workloads.reduce((sum, { kind, workload: { spec, status } }) => {
    const wanted = kind === 'DaemonSet' ? status?.desiredNumberScheduled : spec?.replicas;
    return sum + (wanted ?? 1);
  }, 0);
}

/** Too few endpoints may still come; another address is there to stay, and clients have the old one. */
async function compareServices(port: KubernetesPort, gateway: GatewayBefore, wantedCount: number, look: GatewayLook): Promise<void> {
  for (const before of gateway.services) {
    const { namespace } = gateway;
    const what = `Service ${namespace}/${before.name}`;
    const service = await port.get<Service>({ apiVersion: 'v1', plural: 'services', namespace, name: before.name });
    const now = service === undefined ? undefined : await readService(port, service);
    if (now === undefined || now.addresses.join() !== before.addresses.join()) {
      const was = before.addresses.join(', ') || 'none';
      look.services.kind = 'fail';
      look.services.lines.push(
        `${what}: load balancer ${now === undefined ? 'is gone with its Service' : `${was} → ${now.addresses.join(', ') || 'none'}`}`,
      );
    } else {
      const least = Math.min(before.readyCount, wantedCount);
      if (now.readyCount < least) look.wrong.push(`${what}: ${now.readyCount} of ${least} endpoints are ready`);
      const at = now.addresses.length === 0 ? '' : `, load balancer as before (${now.addresses.join(', ')})`;
      look.services.lines.push(
        `${what}: ${now.readyCount} ready ${agree(now.readyCount, 'endpoint', 'endpoints')}, ${before.readyCount} before${at}`,
      );
    }
  }
}

/** Services that lead to the gateway's pods: by their selector, or made for it by istiod. */
export async function readServices(port: KubernetesPort, gateway: GatewayRef, object: Workload): Promise<GatewayService[]> {
  const { kind, namespace, name } = gateway;
  const labels = object.spec?.template?.metadata?.labels;
  const leads = ({ metadata, spec }: Service): boolean =>
    kind === 'Gateway'
      ? metadata.labels?.[GATEWAY_NAME] === name
      : Object.keys(spec?.selector ?? {}).length > 0 && matches({ matchLabels: spec?.selector }, labels);
  const services = (await port.list<Service>({ apiVersion: 'v1', plural: 'services', namespace })) ?? [];
  const found: GatewayService[] = [];
  for (const service of services.filter(leads)) found.push(await readService(port, service));
  return found;
}

async function readService(port: KubernetesPort, { metadata, status }: Service): Promise<GatewayService> {
  const { name, namespace } = metadata;
  const labelSelector = `kubernetes.io/service-name=${name}`;
  const query = {
    apiVersion: 'discovery.k8s.io/v1',
    plural: 'endpointslices',
    labelSelector,
    ...defined({ namespace }),
  };
  const slices = (await port.list<EndpointSlice>(query)) ?? [];
  const addresses = (status?.loadBalancer?.ingress ?? []).flatMap(({ hostname, ip }) => hostname ?? ip ?? []);
  const ready = slices.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
  return { name, addresses: addresses.toSorted(), readyCount: ready.length };
}
