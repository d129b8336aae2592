/** A world for controllers alone: a clock that the test moves, nodes, and workloads. */
import { coreControllers } from '../../../rehearsal/kubernetes/controllers/index.ts';
import { createObjectStore, type PodAdmission } from '../../../rehearsal/kubernetes/object-store.ts';
import { isTerminating } from '../../../rehearsal/kubernetes/pods/pods.ts';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import { initialEksState } from '../../../rehearsal/aws/eks/initial-state.ts';
import { noFaults } from '../../../rehearsal/world/faults.ts';
import { Journal } from '../../../rehearsal/world/journal.ts';
import { ManualClock } from '../../../rehearsal/world/manual-clock.ts';
import type { World } from '../../../rehearsal/world/world.ts';
import { WORLD_START } from './harness.ts';

export function makeWorld(options: { admission?: PodAdmission[]; podStartMs?: number } = {}) {
  const clock = new ManualClock({ startsAt: WORLD_START });
  const now = () => clock.now();
  const store = createObjectStore({ now, ...(options.admission ? { admission: options.admission } : {}) });
  const world: World = {
    clock,
    store,
    journal: new Journal(now),
    eks: initialEksState({ name: 'staging', account: '111122223333', region: 'eu-west-1' }, { version: '1.32', startsAt: WORLD_START }),
    faults: noFaults(),
    tempo: {
      controlPlaneUpdateMs: 0,
      apiServerMovesAfterMs: 0,
      apiServerDropsMs: 0,
      addOnUpdateMs: 0,
      nodeLaunchMs: 0,
      nodeDrainMs: 0,
      karpenterLoopMs: 0,
      podStartMs: options.podStartMs ?? 5000,
      insightsRefreshMs: 0,
    },
    apiServerVersion: () => '1.32',
    apiServerDown: () => false,
  };
  /** Ticks all controllers, with world time passing before each round. */
  const run = (rounds: number, stepMs: number, after?: () => void) => {
    for (let round = 0; round < rounds; round += 1) {
      clock.step(stepMs);
      for (const controller of coreControllers) controller.tick(world);
      after?.();
    }
  };
  const pods = (app: string) => store.list('pods', { labels: { app } });
  const living = (app: string) => pods(app).filter((pod) => !isTerminating(pod));
  return { clock, store, world, run, pods, living };
}

export function node(
  name: string,
  change: { cpu?: string; pods?: string; taints?: object[]; labels?: Record<string, string>; ready?: boolean } = {},
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...change.labels } },
    spec: change.taints ? { taints: change.taints } : {},
    status: {
      allocatable: { cpu: change.cpu ?? '4', memory: '16Gi', pods: change.pods ?? '58' },
      addresses: [{ type: 'InternalIP', address: '10.0.0.7' }],
      conditions: [{ type: 'Ready', status: change.ready === false ? 'False' : 'True' }],
    },
  };
}

export function workload(
  kind: 'Deployment' | 'StatefulSet' | 'DaemonSet',
  name: string,
  spec: Record<string, unknown> = {},
  podSpec: object = {},
): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'app', image: 'app:1' }], ...podSpec } },
      ...spec,
    },
  };
}

export function budget(name: string, app: string, spec: Record<string, unknown>): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default' },
    spec: { selector: { matchLabels: { app } }, ...spec },
  };
}

/** What `kubectl rollout restart` does. */
export function restart(copy: KubeObject, at: string): void {
  copy.spec.template.metadata.annotations = { 'kubectl.kubernetes.io/restartedAt': at };
}
