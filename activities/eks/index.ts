/** All that Belay does with EKS. */
import type { ClusterDeps } from '../clients/clusters.ts';
import type { RollbackActivities } from '../contract/eks-rollback.ts';
import { startAddOnUpdate } from './add-on.ts';
import { awaitAddOnHealthy } from './await-add-on-healthy.ts';
import { awaitForeignUpdate } from './updates/await-foreign-update.ts';
import { awaitUpdate } from './updates/await-update.ts';
import { awaitUnrequestedRollback, findUnrequestedRollback } from './unrequested-rollback.ts';
import { startControlPlaneUpdate } from './control-plane.ts';
import { awaitLogging, startLogging } from './logging.ts';
import { startNodeGroupUpdate } from './node-group.ts';
import { cancelRollback, watchNodesBack } from './await-nodes-rolled-back.ts';
import { readRollbackWindow } from './rollback-window.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { EksActivities } from '../contract/eks.ts';

export function createEksActivities(deps: ClusterDeps): EksActivities & RollbackActivities {
  const kubernetes = async (ref: ClusterRef) => (await deps.clusterPorts(ref)).kubernetes;
  return {
    startLogging: async (input) => startLogging(deps.aws(input.cluster), input),
    awaitLogging: async (input) => awaitLogging(deps.aws(input.cluster), input),
    startControlPlaneUpdate: async (input) => startControlPlaneUpdate(deps.aws(input.cluster), input),
    startNodeGroupUpdate: async (input) => startNodeGroupUpdate(deps.aws(input.cluster), () => kubernetes(input.cluster), input),
    startAddOnUpdate: async (input) => startAddOnUpdate(deps.aws(input.cluster), input),
    awaitForeignUpdate: async (input) => awaitForeignUpdate(deps.aws(input.cluster), input),
    readRollbackWindow: async (input) => readRollbackWindow(deps.aws(input.cluster), input),
    findUnrequestedRollback: async (input) => findUnrequestedRollback(deps.aws(input.cluster), input),
    awaitUnrequestedRollback: async (input) => awaitUnrequestedRollback(deps.aws(input.cluster), input),
    watchNodesBack: async (input) => watchNodesBack(deps.aws(input.cluster), await kubernetes(input.cluster), input),
    cancelRollback: async (input) => cancelRollback(deps.aws(input.cluster), input),
    awaitUpdate: async (input) => awaitUpdate(deps.aws(input.cluster), () => kubernetes(input.cluster), input),
    awaitAddOnHealthy: async (input) => awaitAddOnHealthy(deps.aws(input.cluster), await kubernetes(input.cluster), input),
  };
}
