/** Sidecar injection: which webhook takes a new pod, by the selectors that stand in the store, and what it adds. */
import { minorOf } from '../../aws/eks/catalogue.ts';
import { imageVersion } from '../../kubernetes/pods/pods.ts';
import { matchesSelector } from '../../kubernetes/selectors.ts';
import { type KubeObject, type ObjectStore, StoreError } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { ISTIO_NAMESPACE, proxyImage } from './revisions.ts';

/** From this minor on sidecars are native: init containers that restart always. */
const NATIVE_SIDECARS_FROM = 27;

interface Webhook {
  name: string;
  clientConfig: { service?: { name: string } };
  namespaceSelector?: Parameters<typeof matchesSelector>[0];
  objectSelector?: Parameters<typeof matchesSelector>[0];
}

/** An admission function for the object store. A webhook without a running istiod fails the pod's creation (failurePolicy Fail). */
export function createInjector(world: () => World): (pod: KubeObject) => void {
  return (pod) => {
    const { store } = world();
    const namespace = pod.metadata.namespace ?? 'default';
    const namespaceLabels = store.get('namespaces', namespace)?.metadata.labels;
    for (const configuration of store.list('mutatingwebhookconfigurations')) {
      for (const webhook of (configuration.webhooks ?? []) as Webhook[]) {
        if (!webhook.name.endsWith('sidecar-injector.istio.io')) continue;
        if (!matchesSelector(webhook.namespaceSelector ?? {}, namespaceLabels)) continue;
        if (!matchesSelector(webhook.objectSelector ?? {}, pod.metadata.labels)) continue;
        inject(store, pod, webhook);
        return;
      }
    }
  };
}

function inject(store: ObjectStore, pod: KubeObject, webhook: Webhook): void {
  if (pod.spec?.hostNetwork === true || pod.metadata.annotations?.['sidecar.istio.io/status'] !== undefined) return;
  const service = webhook.clientConfig.service?.name ?? '';
  const istiod = store.get('deployments', service, ISTIO_NAMESPACE);
  const version = imageVersion(istiod?.spec?.template?.spec?.containers?.[0]?.image);
  const revision = istiod?.metadata.labels?.['istio.io/rev'];
  if (version === undefined || revision === undefined || !(istiod?.status?.readyReplicas > 0)) {
    throw new StoreError(
      500,
      'InternalError',
      `Internal error occurred: failed calling webhook "${webhook.name}": failed to call webhook: Post "https://${service}.${ISTIO_NAMESPACE}.svc:443/inject?timeout=10s": no endpoints available for service "${service}"`,
    );
  }
  if (pod.metadata.annotations?.['inject.istio.io/templates'] === 'gateway') return injectGateway(pod, { version, revision });
  const native = minorOf(version) >= NATIVE_SIDECARS_FROM;
  const image = proxyImage(version);
  const init = [{ name: 'istio-init', image }];
  const proxy = { name: 'istio-proxy', image, ...(native ? { restartPolicy: 'Always' } : {}) };
  if (native) pod.spec.initContainers = [...init, proxy, ...(pod.spec.initContainers ?? [])];
  else {
    pod.spec.initContainers = [...init, ...(pod.spec.initContainers ?? [])];
    pod.spec.containers = [...pod.spec.containers, proxy];
  }
  pod.metadata.labels = { ...pod.metadata.labels, 'security.istio.io/tlsMode': 'istio' };
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    'istio.io/rev': revision,
    'sidecar.istio.io/status': JSON.stringify({
      initContainers: native ? ['istio-init', 'istio-proxy'] : ['istio-init'],
      containers: native ? null : ['istio-proxy'],
      volumes: ['istio-envoy', 'istio-data', 'istiod-ca-cert'],
      imagePullSecrets: null,
      revision,
    }),
  };
}

/** The gateway template fills in the container that the chart leaves open (image "auto"); it adds none. */
function injectGateway(pod: KubeObject, { version, revision }: { version: string; revision: string }): void {
  for (const container of pod.spec.containers) {
    if (container.name === 'istio-proxy') Object.assign(container, { image: proxyImage(version), args: ['proxy', 'router'] });
  }
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    'istio.io/rev': revision,
    'sidecar.istio.io/status': JSON.stringify({
      initContainers: null,
      containers: null,
      volumes: ['istio-envoy'],
      imagePullSecrets: null,
      revision,
    }),
  };
}
