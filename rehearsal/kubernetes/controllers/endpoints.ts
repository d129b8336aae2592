/** Endpoints and EndpointSlices of Services: the addresses of their pods. */
import { equalJson } from '../json.ts';
import { isFinished, isReady, isTerminating } from '../pods/pods.ts';
import type { KubeObject, ObjectStore } from '../store.ts';
import { type Key, keyed, keyOf } from './keyed.ts';
import { ownerReference } from './workloads/templates.ts';

interface ServicePort {
  name?: string;
  port: number;
  targetPort?: number | string;
  protocol?: string;
}

const servicesOver = ({ metadata: { namespace = 'default', labels = {} } }: KubeObject, store: ObjectStore): Key[] =>
  store
    .list('services', { namespace })
    .filter(({ spec }) => Object.entries(spec?.selector ?? {}).every(([key, value]) => labels[key] === value))
    .map(keyOf);

export const endpoints = keyed({
  name: 'endpoints',
  plural: 'services',
  concerns: { pods: servicesOver },
  reconcile({ store }, service) {
    const selector: Record<string, string> | undefined = service.spec?.selector;
    if (!selector || isTerminating(service)) return undefined;
    const namespace = service.metadata.namespace ?? 'default';
    const pods = store
      .list('pods', { namespace, labels: selector })
      .filter((pod) => pod.status?.podIP && !isTerminating(pod) && !isFinished(pod));
    const ports = (service.spec.ports ?? []).map((port: ServicePort) => ({
      ...(port.name ? { name: port.name } : {}),
      port: typeof port.targetPort === 'number' ? port.targetPort : port.port,
      protocol: port.protocol ?? 'TCP',
    }));
    writeEndpoints(store, service, pods, ports);
    writeSlice(store, service, pods, ports);
    return undefined;
  },
});

function writeEndpoints(store: ObjectStore, service: KubeObject, pods: KubeObject[], ports: object[]): void {
  const addresses = pods.filter(isReady).map(address);
  const notReadyAddresses = pods.filter((pod) => !isReady(pod)).map(address);
  const subset = {
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
    ports,
  };
  put(store, 'endpoints', service, service.metadata.name, { subsets: pods.length > 0 ? [subset] : [] });
}

function writeSlice(store: ObjectStore, service: KubeObject, pods: KubeObject[], ports: object[]): void {
  const entries = pods.map((pod) => ({
    addresses: [pod.status.podIP],
    conditions: { ready: isReady(pod), serving: isReady(pod), terminating: false },
    nodeName: pod.spec.nodeName,
    targetRef: { kind: 'Pod', name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
  }));
  put(store, 'endpointslices', service, `${service.metadata.name}-twin1`, { addressType: 'IPv4', endpoints: entries, ports });
}

function address(pod: KubeObject): object {
  const { name, namespace, uid } = pod.metadata;
  return { ip: pod.status.podIP, nodeName: pod.spec.nodeName, targetRef: { kind: 'Pod', name, namespace, uid } };
}

function put(store: ObjectStore, plural: string, service: KubeObject, name: string, content: Record<string, unknown>): void {
  const namespace = service.metadata.namespace;
  const known = store.get(plural, name, namespace);
  if (!known) {
    const metadata = {
      name,
      namespace,
      labels: { ...service.metadata.labels, 'kubernetes.io/service-name': service.metadata.name },
      ownerReferences: [ownerReference(service)],
    };
    store.create(plural, { apiVersion: '', kind: '', metadata, ...content });
  } else if (Object.entries(content).some(([field, value]) => !equalJson(known[field], value))) {
    store.update(plural, name, namespace, (copy) => void Object.assign(copy, content));
  }
}
