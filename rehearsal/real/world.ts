/** A world whose Kubernetes is real: the twin's controllers of EKS and EC2 go on as they are, on a mirror of the real API server. */
import { messageOf } from '../../domain/core/unknown.ts';
import { resolveNodeClass } from '../controllers/karpenter/node-classes.ts';
import { coreControllers } from '../kubernetes/controllers/index.ts';
import { apiServerVersion } from '../world/api-server.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { buildWorld, type BuiltWorld } from '../world/build.ts';
import { HeldClock } from '../world/held-clock.ts';
import { absorb, leftBehind, takeSnapshot } from '../world/left-behind.ts';
import { createRunner } from '../world/run-controllers.ts';
import type { Controller, World } from '../world/world.ts';
import type { ControlPlane } from './control-plane.ts';
import type { MirrorStore } from './mirror.ts';
import { followOutages } from './outages.ts';
import { MINORS, type Minor } from './parts/table.ts';

/** What real programs do here. */
const PLAYED_BY_REAL_PARTS = new Set(['karpenter', 'istio', ...coreControllers.map(({ name }) => name)]);
/** New images are looked up as often as the twin's Karpenter does it. */
const RESOLVE_EVERY_MS = 45_000;

export interface Seed {
  built: BuiltWorld;
  clock: HeldClock;
}

/** A scenario's world as it is before anything moves: what is planted into the real API server. */
export function seedWorld(options: { scenario: Scenario; speed: number; faults: readonly string[] }): Seed {
  const clock = new HeldClock({ startsAt: options.scenario.startsAt, speed: options.speed });
  return { built: buildWorld({ ...options, clock, faultsWait: true }), clock };
}

/** Lets the seed's world go on with a real API server. Its time runs from now on; `start()` starts its controllers. */
export function goOn(
  { built: seed, clock }: Seed,
  real: { mirror: MirrorStore; plane: ControlPlane; more: readonly Controller[] },
): BuiltWorld {
  const { world, scenario } = seed;
  const { mirror, plane } = real;
  let answered: string = plane.minor ?? scenario.from;
  world.store = mirror;
  world.realParts = true;
  clock.release();
  world.apiServerVersion = () => (answered = plane.minor ?? answered);
  world.apiServerDown = () => plane.minor === undefined;
  const before = takeSnapshot(world);
  const controllers = [
    ...seed.controllers.filter(({ name }) => !PLAYED_BY_REAL_PARTS.has(name)),
    createMover(plane),
    createImageResolver(),
    ...real.more,
  ];
  followOutages(world, plane);
  world.faults.begin();
  const runner = createRunner(world, controllers);
  return {
    ...seed,
    controllers,
    start: () => runner.start(),
    stop: () => runner.stop(),
    step: () => {
      throw new Error('a world with real parts runs by itself');
    },
    change: (act) => absorb(before, world, act),
    diff: () => leftBehind(world, before, scenario.expectations),
  };
}

/** Moves the real control plane when EKS's update says so. EKS does not call it Successful before the new one answers. */
function createMover(plane: ControlPlane): Controller {
  let at = plane.minor;
  let moving = false;
  return {
    name: 'real-control-plane',
    everyMs: 1_000,
    tick(world) {
      const wanted = MINORS.find((minor): minor is Minor => minor === apiServerVersion(world));
      if (moving || wanted === undefined || at === wanted) return;
      moving = true;
      const { tempo } = world;
      const { controlPlaneUpdateMs } = tempo;
      tempo.controlPlaneUpdateMs = Number.POSITIVE_INFINITY;
      world.journal.tell(`the control plane of ${at} stops, that of ${wanted} starts on the same etcd`);
      const startedAt = performance.now();
      plane
        .moveTo(wanted)
        .then(() => {
          at = wanted;
          world.journal.tell(`kube-apiserver ${wanted} answers after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
        })
        .catch((error: unknown) => world.journal.tell(`the control plane did not move: ${messageOf(error)}`))
        .finally(() => {
          tempo.controlPlaneUpdateMs = controlPlaneUpdateMs;
          moving = false;
        });
    },
  };
}

/** What the provider for AWS does for node classes, and the one with KWOK does not: their aliases become images. */
function createImageResolver(): Controller {
  return {
    name: 'image-resolver',
    everyMs: RESOLVE_EVERY_MS,
    tick(world: World) {
      if (world.apiServerDown()) return;
      const version = karpenterVersion(world);
      if (version !== undefined) for (const nodeClass of world.store.list('ec2nodeclasses')) resolveNodeClass(world, nodeClass, version);
    },
  };
}

function karpenterVersion(world: World): string | undefined {
  const [deployment] = world.store.list('deployments', { labels: { 'app.kubernetes.io/name': 'karpenter' } });
  return deployment?.metadata.labels?.['app.kubernetes.io/version'];
}
