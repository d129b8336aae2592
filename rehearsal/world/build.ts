/** Builds a scenario's world with everything that acts in it. */
import { initialEksState } from '../aws/eks/initial-state.ts';
import { createAddOns } from '../controllers/add-ons.ts';
import { createAutoMode } from '../controllers/auto-mode.ts';
import { createControlPlane } from '../controllers/control-plane.ts';
import { createFargate, createFargateAdmission } from '../controllers/fargate.ts';
import { createArgoCd } from '../controllers/gitops/argo-cd.ts';
import { createFlux } from '../controllers/gitops/flux.ts';
import { Git } from '../controllers/gitops/git.ts';
import { createInsights } from '../controllers/insights.ts';
import { createInjector } from '../controllers/istio/injector.ts';
import { createInstanceRefresh } from '../controllers/instance-refresh.ts';
import { createIstio } from '../controllers/istio/index.ts';
import { createKarpenter } from '../controllers/karpenter/index.ts';
import { createNodeGroups } from '../controllers/node-groups.ts';
import { createOwners, type Owners } from '../controllers/owners.ts';
import { createFaultAdmission } from './faults/apis/admission.ts';
import { createHappenings } from './faults/happenings.ts';
import { meddleWithUpdates } from './faults/side-effects.ts';
import { createUpdateFaults } from './faults/updates.ts';
import { eventExpiry } from '../kubernetes/controllers/event-expiry.ts';
import { coreControllers, settle } from '../kubernetes/controllers/index.ts';
import { createObjectStore } from '../kubernetes/object-store.ts';
import { findScenario } from '../scenarios/index.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { apiServerDown, apiServerVersion } from './api-server.ts';
import { WorldClock } from './clock.ts';
import { Doze } from './doze.ts';
import { unmetExpectations } from './expectations.ts';
import { parseFaults } from './faults/parse.ts';
import { FaultBoard, noFaults } from './faults.ts';
import { Journal } from './journal.ts';
import { absorb, type LeftBehind, leftBehind, takeSnapshot } from './left-behind.ts';
import { ManualClock } from './manual-clock.ts';
import { createRunner } from './run-controllers.ts';
import type { Controller, World } from './world.ts';

/** What runs on the cluster is some days old when a scenario begins. */
const AGE_MS = 6 * 24 * 3_600_000;

export interface BuildOptions {
  scenario: Scenario | string;
  /** World seconds per wall second. */
  speed: number;
  /** `eks:throttle@control-plane`, …, beside the scenario's own. */
  faults?: readonly string[];
  /** A clock of one's own: one that tests step, or one that is held back. */
  clock?: WorldClock;
  /** It is left alone while nothing happens: for many worlds on one machine. */
  dozes?: boolean;
  /** The caller calls `world.faults.begin()` when its cluster stands; by default they begin at once. */
  faultsWait?: boolean;
}

export interface BuiltWorld {
  world: World;
  scenario: Scenario;
  owners: Owners;
  controllers: Controller[];
  /** Of a world that dozes: whoever lets somebody talk to it tells. */
  doze?: Doze;
  start(): void;
  stop(): void;
  /** Moves a world with a manual clock on. Throws without one. */
  step(worldMs: number): void;
  /** Lets somebody who is not Belay change the world: no difference to put back. */
  change(act: (world: World) => void): void;
  /** What differs from the beginning and should not. */
  diff(): LeftBehind[];
  /** What a completed upgrade should have reached and has not. */
  unmet(): string[];
}

/** Throws a RangeError for an unknown scenario or fault. */
export function buildWorld(options: BuildOptions): BuiltWorld {
  const scenario = typeof options.scenario === 'string' ? findScenario(options.scenario) : options.scenario;
  const faults = parseFaults([...(scenario.faults ?? []), ...(options.faults ?? [])]);
  const { startsAt } = scenario;
  const past = new ManualClock({ startsAt: new Date(Date.parse(startsAt) - (scenario.loaded === true ? 0 : AGE_MS)).toISOString() });
  let clock: WorldClock = past;
  const world: World = {
    clock: past,
    journal: new Journal(() => clock.now()),
    store: createObjectStore({
      now: () => clock.now(),
      admission: [createInjector(() => world), createFargateAdmission(() => world), createFaultAdmission(() => world)],
    }),
    eks: initialEksState(scenario.cluster, { version: scenario.from, startsAt }),
    tempo: { ...scenario.tempo },
    faults: noFaults(),
    apiServerVersion: () => apiServerVersion(world),
    apiServerDown: () => apiServerDown(world) || world.faults.inForce('kubernetes:down'),
  };
  const git = new Git();
  const owners = createOwners(() => world, { atlantisDies: scenario.atlantisDies === true, git });
  const istio = createIstio();
  const fargate = createFargate();
  const controllers: Controller[] = [
    ...coreControllers,
    createControlPlane(),
    createNodeGroups(),
    createAddOns(),
    createInsights(),
    createKarpenter(world.tempo),
    fargate,
    createInstanceRefresh(),
    createAutoMode(),
    istio,
    owners.controller,
    git,
    createFlux(),
    createArgoCd(),
  ];
  scenario.build(world);
  if (scenario.loaded !== true) settle(world, [...coreControllers, fargate, istio]);
  clock = options.clock ?? new WorldClock({ startsAt, speed: options.speed });
  world.clock = clock;
  // What was told while the cluster was built is days old.
  eventExpiry.tick(world);
  world.faults = new FaultBoard(faults, { nowMs: () => clock.nowMs(), tell: (text) => world.journal.tell(text) });
  const before = takeSnapshot(world);
  meddleWithUpdates(world);
  controllers.unshift(createUpdateFaults(world));
  controllers.push(createHappenings(world));
  if (options.faultsWait !== true) world.faults.begin();
  const doze = options.dozes === true ? new Doze(world) : undefined;
  const runner = createRunner(world, controllers, doze);
  return {
    world,
    scenario,
    owners,
    controllers,
    ...(doze === undefined ? {} : { doze }),
    start: () => runner.start(),
    stop: () => runner.stop(),
    step(worldMs) {
      if (!(options.clock instanceof ManualClock)) throw new Error('this world runs by itself: build it with a ManualClock to step it');
      runner.step(options.clock, worldMs);
    },
    change: (act) => absorb(before, world, act),
    diff: () => leftBehind(world, before, scenario.expectations),
    unmet: () => unmetExpectations(world, scenario),
  };
}
