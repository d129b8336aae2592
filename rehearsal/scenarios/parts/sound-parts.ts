/** Workloads that no readiness check finds fault with: several replicas over zones, probes, time to settle, a budget. A scenario changes one thing of one. */
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { addBudget } from './cluster-parts.ts';
import { addNamespace } from './workload-parts.ts';

/** Kinds in which a sound workload comes. */
const PLURALS = { Deployment: 'deployments', StatefulSet: 'statefulsets', DaemonSet: 'daemonsets' } as const;

const MIN_READY_SECONDS = 10;
const OVER_ZONES = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' };
const PROBE = { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 5 };

export interface SoundWorkload {
  kind?: keyof typeof PLURALS;
  namespace: string;
  name: string;
  /** Spec of its budget. Default: one pod may go. */
  budget?: { minAvailable: number | string } | { maxUnavailable: number | string } | 'none';
  /** What is not sound about it. */
  change?: (workload: KubeObject) => void;
}

export function addSound(world: World, { kind = 'Deployment', namespace, name, budget, change }: SoundWorkload): void {
  addNamespace(world, namespace);
  const labels = { app: name };
  const workload: KubeObject = {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace, labels },
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas: 2 }),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name,
              image: `registry.example.com/${namespace}/${name}:2026.1.4`,
              resources: { requests: { cpu: '50m', memory: '64Mi' } },
            },
          ],
        },
      },
    },
  };
  if (kind !== 'DaemonSet') settleDown(workload);
  change?.(workload);
  world.store.create(PLURALS[kind], workload);
  // Nobody evicts pods of DaemonSets.
  if (budget !== 'none' && kind !== 'DaemonSet') addBudget(world, { namespace, name, labels, spec: budget ?? { maxUnavailable: 1 } });
}

/** Probes, zones and time to settle for every Deployment that has none: add-ons and controllers as careful people run them. */
export function makeSound(world: World): void {
  for (const { metadata } of world.store.list('deployments').filter(({ spec }) => spec.minReadySeconds !== MIN_READY_SECONDS))
    world.store.update('deployments', metadata.name, metadata.namespace, settleDown);
}

function settleDown({ spec }: KubeObject): void {
  spec.minReadySeconds = MIN_READY_SECONDS;
  spec.template.spec.topologySpreadConstraints = [{ ...OVER_ZONES, labelSelector: spec.selector }];
  for (const container of spec.template.spec.containers) container.readinessProbe = PROBE;
}
