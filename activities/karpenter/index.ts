/** All that Belay does with Karpenter. */
import type { KarpenterActivities } from '../contract/karpenter.ts';
import type { KubernetesDeps } from '../contract/ports.ts';
import { createAmiMoveActivities } from './amis/change-amis.ts';
import { createAwaitAmisActivities } from './amis/await-amis.ts';
import { createControllerVersionActivities } from './controller/controller-version.ts';
import { createForecastActivities } from './drift/roll-forecast.ts';
import { createFreezeActivities } from './freeze/freeze.ts';
import { createHoldAmiActivities, type HoldDeps } from './amis/hold-amis.ts';
import { createHoldNodeActivities } from './objects/node-annotations.ts';
import { createNodeWaveActivities } from './drift/node-waves.ts';
import { createSwitchNodeClassActivities } from './amis/switch-node-class.ts';
import { createWatchDriftActivities } from './drift/watch-drift.ts';

export function createKarpenterActivities(deps: KubernetesDeps & HoldDeps): KarpenterActivities {
  return {
    ...createControllerVersionActivities(deps),
    ...createForecastActivities(deps),
    ...createFreezeActivities(deps),
    ...createWatchDriftActivities(deps),
    ...createHoldNodeActivities(deps),
    ...createHoldAmiActivities(deps),
    ...createNodeWaveActivities(deps),
    ...createAmiMoveActivities(deps),
    ...createAwaitAmisActivities(deps),
    ...createSwitchNodeClassActivities(deps),
  };
}
