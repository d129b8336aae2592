/** Applications of a scenario: namespaces, Deployments and their budgets. */
import { ensure } from '../../controllers/istio/revisions.ts';
import type { World } from '../../world/world.ts';
import { addBudget } from './cluster-parts.ts';

export interface App {
  namespace: string;
  name: string;
  replicas: number;
  /** Requested by each replica. Default: half a core. */
  cpu?: string;
  /** Of the Deployment, beside its name. */
  labels?: Record<string, string>;
  /** Where its pods may run; absent: anywhere. */
  nodeSelector?: Record<string, string>;
  /** Spec of a PodDisruptionBudget; absent: none. */
  budget?: { minAvailable: number | string } | { maxUnavailable: number | string };
}

export function addNamespace(
  world: World,
  name: string,
  labels: Record<string, string> = {},
  annotations: Record<string, string> = {},
): void {
  ensure(world, 'namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels, annotations } });
}

export function addApp(world: World, app: App): void {
  addNamespace(world, app.namespace);
  const labels = { app: app.name };
  world.store.create('deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: app.name,
      namespace: app.namespace,
      labels: { ...labels, ...app.labels },
      annotations: { 'argocd.argoproj.io/tracking-id': `${app.namespace}:apps/Deployment:${app.namespace}/${app.name}` },
    },
    spec: {
      replicas: app.replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          ...(app.nodeSelector === undefined ? {} : { nodeSelector: app.nodeSelector }),
          containers: [
            {
              name: app.name,
              image: `registry.example.com/${app.namespace}/${app.name}:2025.4.1`,
              resources: { requests: { cpu: app.cpu ?? '500m', memory: '512Mi' } },
            },
          ],
        },
      },
    },
  });
  if (app.budget !== undefined) addBudget(world, { namespace: app.namespace, name: app.name, labels, spec: app.budget });
}
