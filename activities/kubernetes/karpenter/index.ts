/** All that Belay does with Karpenter. */
import type { KarpenterActivities } from './contract.ts';
import type { KubernetesDeps } from '../../ports.ts';
import { createAmiMoveActivities } from './ami-moves.ts';
import { createAwaitAmisActivities } from './await-amis.ts';
import { createControllerVersionActivities } from './controller-version.ts';
import { createForecastActivities } from './forecast.ts';
import { createFreezeActivities } from './freeze.ts';
import { createHoldAmiActivities, type HoldDeps } from './hold-amis.ts';
import { createHoldNodeActivities } from './hold-node.ts';
import { createNodeWaveActivities } from './node-waves.ts';
import { createSwitchNodeClassActivities } from './switch-node-class.ts';
import { createWatchDriftActivities } from './watch-drift.ts';

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
