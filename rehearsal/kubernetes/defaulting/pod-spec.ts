/** Defaults of pod specs: kubernetes/pkg/apis/core/v1/defaults.go. */
import { canonicalQuantity } from '../quantity.ts';
import type { KubeObject } from '../store.ts';

interface Container {
  image?: string;
  imagePullPolicy?: string;
  resources?: { limits?: Record<string, unknown>; requests?: Record<string, unknown> };
  // oxlint-disable-next-line typescript/no-explicit-any -- probes and ports stay open
  [field: string]: any;
}

const OPTIONAL_LISTS = ['volumes', 'tolerations', 'hostAliases', 'imagePullSecrets', 'initContainers'];
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];

/** In place; for a template as for a pod. */
export function fillPodSpec(spec: KubeObject['spec']): void {
  for (const list of OPTIONAL_LISTS) if (spec[list]?.length === 0) delete spec[list];
  spec.restartPolicy ??= 'Always';
  spec.terminationGracePeriodSeconds ??= 30;
  spec.dnsPolicy ??= 'ClusterFirst';
  spec.securityContext ??= {};
  spec.schedulerName ??= 'default-scheduler';
  spec.containers ??= [];
  if (spec.serviceAccountName) spec.serviceAccount ??= spec.serviceAccountName;
  for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) fillContainer(container);
  for (const volume of spec.volumes ?? []) fillVolume(volume);
}

/** What a pod has and a template has not. In place. */
export function fillPod(object: KubeObject): void {
  object.spec ??= { containers: [] };
  const { spec } = object;
  fillPodSpec(spec);
  spec.enableServiceLinks ??= true;
  spec.priority ??= 0;
  spec.preemptionPolicy ??= 'PreemptLowerPriority';
  fillRequests(spec);
  spec.tolerations ??= [];
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    if (spec.tolerations.some((toleration: { key?: string; operator?: string }) => !toleration.key || toleration.key === key)) continue;
    spec.tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  }
  object.status = { phase: 'Pending', qosClass: qosClass(spec), ...object.status };
}

function fillContainer(container: Container): void {
  container.imagePullPolicy ??= pullPolicy(container.image ?? '');
  container.resources ??= {};
  const { limits, requests } = container.resources;
  for (const amounts of [limits, requests]) {
    for (const [name, amount] of Object.entries(amounts ?? {})) if (amounts) amounts[name] = canonicalQuantity(amount);
  }
  container['terminationMessagePath'] ??= '/dev/termination-log';
  container['terminationMessagePolicy'] ??= 'File';
  for (const port of container['ports'] ?? []) port.protocol ??= 'TCP';
  for (const variable of container['env'] ?? []) if (variable.valueFrom?.fieldRef) variable.valueFrom.fieldRef.apiVersion ??= 'v1';
  for (const probe of PROBES) if (container[probe]) fillProbe(container[probe]);
}

function fillProbe(probe: Record<string, unknown> & { httpGet?: { scheme?: string } }): void {
  probe['timeoutSeconds'] ??= 1;
  probe['periodSeconds'] ??= 10;
  probe['successThreshold'] ??= 1;
  probe['failureThreshold'] ??= 3;
  if (probe.httpGet) probe.httpGet.scheme ??= 'HTTP';
}

/** A tag other than latest is not pulled again. */
function pullPolicy(image: string): string {
  const name = image.split('/').at(-1) ?? '';
  if (name.includes('@')) return 'IfNotPresent';
  const tag = name.split(':')[1] ?? 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function fillVolume(volume: Record<string, { defaultMode?: number; type?: string }>): void {
  for (const kind of ['configMap', 'secret', 'downwardAPI', 'projected']) {
    const source = volume[kind];
    if (source) source.defaultMode ??= 0o644;
  }
  if (volume['hostPath']) volume['hostPath'].type ??= '';
}

/** A limit without a request is a request. */
function fillRequests(spec: KubeObject['spec']): void {
  const containers: Container[] = [...spec.containers, ...(spec.initContainers ?? [])];
  for (const { resources } of containers) {
    if (!resources?.limits) continue;
    resources.requests = { ...resources.limits, ...resources.requests };
  }
}

function qosClass(spec: KubeObject['spec']): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const containers: Container[] = [...spec.containers, ...(spec.initContainers ?? [])];
  const asks = ({ resources = {} }: Container) => ['cpu', 'memory'].some((name) => resources.requests?.[name] ?? resources.limits?.[name]);
  if (!containers.some(asks)) return 'BestEffort';
  const exact = ({ resources = {} }: Container) =>
    ['cpu', 'memory'].every((name) => resources.limits?.[name] !== undefined && resources.limits[name] === resources.requests?.[name]);
  return containers.every(exact) ? 'Guaranteed' : 'Burstable';
}
