/** Gateways of a mesh: as Istio's gateway chart installs them, and as the Gateway API declares them. */
import { balance, GATEWAYS } from '../../controllers/istio/gateways.ts';
import { ensure } from '../../controllers/istio/revisions.ts';
import type { World } from '../../world/world.ts';
import { addBudget } from './cluster-parts.ts';
import { addNamespace } from './workload-parts.ts';

export interface InjectedGateway {
  namespace: string;
  name: string;
  replicas: number;
  /** Value `revision` of the chart; absent: the namespace decides. */
  revision?: string;
  /** Argo CD keeps it as in Git. */
  inGit?: boolean;
}

/** A Deployment whose proxy is filled in at injection, with a load balancer before it. */
export function addGateway(world: World, { namespace, name, replicas, revision, inGit = false }: InjectedGateway): void {
  addNamespace(world, namespace);
  const labels = { app: name, istio: name };
  const marks = { 'argocd.argoproj.io/tracking-id': `gateways:apps/Deployment:${namespace}/${name}` };
  world.store.create('deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels, ...(inGit ? { annotations: marks } : {}) },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: {
          labels: { ...labels, 'sidecar.istio.io/inject': 'true', ...(revision === undefined ? {} : { 'istio.io/rev': revision }) },
          annotations: { 'inject.istio.io/templates': 'gateway' },
        },
        spec: { containers: [{ name: 'istio-proxy', image: 'auto', resources: { requests: { cpu: '100m', memory: '128Mi' } } }] },
      },
    },
  });
  addBudget(world, { namespace, name, labels, spec: { maxUnavailable: 1 } });
  ensure(world, 'services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels },
    spec: { type: 'LoadBalancer', selector: labels, ports: [{ name: 'https', port: 443, targetPort: 8443 }] },
  });
  balance(world, namespace, name);
}

/** A Gateway of class istio, or a waypoint; istiod makes the rest. */
export function addApiGateway(
  world: World,
  { namespace, name, revision, waypoint = false }: { namespace: string; name: string; revision?: string; waypoint?: boolean },
): void {
  addNamespace(world, namespace);
  const className = waypoint ? 'istio-waypoint' : 'istio';
  ensure(world, 'gatewayclasses', {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GatewayClass',
    metadata: { name: className },
    spec: { controllerName: waypoint ? 'istio.io/mesh-controller' : 'istio.io/gateway-controller' },
  });
  const listener = waypoint ? { name: 'mesh', port: 15008, protocol: 'HBONE' } : { name: 'https', port: 443, protocol: 'HTTPS' };
  world.store.create(GATEWAYS, {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name, namespace, ...(revision === undefined ? {} : { labels: { 'istio.io/rev': revision } }) },
    spec: { gatewayClassName: className, listeners: [listener] },
  });
}
