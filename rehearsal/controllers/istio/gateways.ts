/** istiod's deployment controller: a Deployment and a Service for each Gateway of the Gateway API that its revision has to serve. */
import { stableJson } from '../../kubernetes/json.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { ownerReference } from '../../kubernetes/controllers/workloads/templates.ts';
import { ensure, istiodReady, proxyImage, revisionsOf } from './revisions.ts';

/** The store's name of the type: Istio has Gateways of its own. */
export const GATEWAYS = 'gateways.gateway.networking.k8s.io';
export const GATEWAY_NAME = 'gateway.networking.k8s.io/gateway-name';

const CLASSES: Record<string, { manages: string; service: string; suffix: string }> = {
  'istio.io/gateway-controller': { manages: 'istio.io-gateway-controller', service: 'LoadBalancer', suffix: '-istio' },
  'istio.io/mesh-controller': { manages: 'istio.io-mesh-controller', service: 'ClusterIP', suffix: '' },
};

/** What a cloud's controller would give to a Service of type LoadBalancer. */
export function balance(world: World, namespace: string, name: string): void {
  const hostname = `k8s-${namespace.slice(0, 8)}-${name.slice(0, 8)}-0a1b2c3d4e.elb.eu-central-1.amazonaws.com`;
  world.store.update('services', name, namespace, (copy) => void (copy.status = { loadBalancer: { ingress: [{ hostname }] } }));
}

/** One look at all Gateways. Those that no running revision has to serve are left as they are. */
export function deployGateways(world: World): void {
  for (const gateway of world.store.list(GATEWAYS)) {
    const controller = world.store.get('gatewayclasses', gateway.spec?.gatewayClassName)?.spec?.controllerName;
    const about = CLASSES[controller];
    const served = servedBy(world, gateway);
    if (about === undefined || served === undefined) continue;
    const name = `${gateway.metadata.name}${about.suffix}`;
    deploy(world, gateway, { name, ...about, ...served });
    say(world, gateway, name);
  }
}

/** By its own label, else its namespace's istio.io/rev, else the default revision; never by istio-injection. */
function servedBy(world: World, { metadata }: KubeObject): { revision: string; version: string } | undefined {
  const labels = world.store.get('namespaces', metadata.namespace ?? '')?.metadata.labels;
  const selected = metadata.labels?.['istio.io/rev'] ?? labels?.['istio.io/rev'] ?? 'default';
  const tag = world.store.list('mutatingwebhookconfigurations', { labels: { 'istio.io/tag': selected } })[0];
  const revision = tag?.metadata.labels?.['istio.io/rev'] ?? selected;
  return revisionsOf(world).find((each) => each.revision === revision && istiodReady(world, revision));
}

interface Wanted {
  name: string;
  manages: string;
  service: string;
  revision: string;
  version: string;
}

function deploy(world: World, gateway: KubeObject, { name, manages, service, revision, version }: Wanted): void {
  const { namespace = 'default' } = gateway.metadata;
  // Labels of the Gateway are copied to whatever is made for it.
  const labels = {
    ...gateway.metadata.labels,
    'gateway.istio.io/managed': manages,
    [GATEWAY_NAME]: gateway.metadata.name,
    'gateway.networking.k8s.io/gateway-class-name': gateway.spec.gatewayClassName,
  };
  const metadata = { name, namespace, labels, ownerReferences: [{ ...ownerReference(gateway), controller: true }] };
  const selects = { [GATEWAY_NAME]: gateway.metadata.name };
  const template = {
    metadata: { annotations: { 'istio.io/rev': revision }, labels: { ...labels, 'sidecar.istio.io/inject': 'false' } },
    spec: {
      containers: [
        {
          name: 'istio-proxy',
          image: proxyImage(version),
          args: ['proxy', 'router'],
          resources: { requests: { cpu: '100m', memory: '128Mi' } },
        },
      ],
    },
  };
  const listeners: { name: string; port: number }[] = gateway.spec.listeners ?? [];
  const ports = [{ name: 'status-port', port: 15021 }, ...listeners.map((each) => ({ name: each.name, port: each.port }))];
  if (world.store.get('services', name, namespace) === undefined) {
    ensure(world, 'services', { apiVersion: 'v1', kind: 'Service', metadata, spec: { type: service, selector: selects, ports } });
    if (service === 'LoadBalancer') balance(world, namespace, name);
  }
  ensure(world, 'deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { replicas: 1, selector: { matchLabels: selects }, template },
  });
  for (const plural of ['services', 'deployments']) {
    const known = world.store.get(plural, name, namespace);
    const image = known?.spec?.template?.spec?.containers?.[0]?.image;
    const annotated = known?.spec?.template?.metadata?.annotations?.['istio.io/rev'];
    const same = stableJson(known?.metadata.labels) === stableJson(labels);
    if (same && (plural === 'services' || (image === proxyImage(version) && annotated === revision))) continue;
    world.store.update(plural, name, namespace, (copy) => {
      copy.metadata.labels = labels;
      if (plural !== 'deployments') return;
      copy.spec.template.metadata = template.metadata;
      copy.spec.template.spec.containers = template.spec.containers;
    });
  }
}

function say(world: World, gateway: KubeObject, name: string): void {
  const { namespace, generation } = gateway.metadata;
  const available = Number(world.store.get('deployments', name, namespace)?.status?.availableReplicas ?? 0) > 0;
  const condition = (type: string, ok: boolean, reason: string): object => ({
    type,
    status: ok ? 'True' : 'False',
    reason,
    message: '',
    observedGeneration: generation,
    lastTransitionTime: gateway.metadata.creationTimestamp,
  });
  const ingress: { hostname?: string }[] = world.store.get('services', name, namespace)?.status?.loadBalancer?.ingress ?? [];
  const status = {
    addresses: ingress.map(({ hostname }) => ({ type: 'Hostname', value: hostname })),
    conditions: [
      condition('Accepted', true, 'Accepted'),
      condition('Programmed', available, available ? 'Programmed' : 'AddressNotAssigned'),
    ],
  };
  if (stableJson(gateway.status) === stableJson(status)) return;
  world.store.update(GATEWAYS, gateway.metadata.name, namespace, (copy) => void (copy.status = status));
}
