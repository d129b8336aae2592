/** Planning: the cluster's policy, and the plan made from what inspection reads now. */
import { planUpgrade } from '../domain/plan/plan-upgrade.ts';
import type { UpgradePolicy } from '../domain/policy.ts';
import { messageOf } from '../domain/unknown.ts';
import type { ClusterDeps } from './clients/clusters.ts';
import type { PlanningActivities } from './contract.ts';
import { currentAttempt } from './context.ts';
import { inspectCluster } from './inspect/inspect-cluster.ts';
import { heartbeating } from './kubernetes/heartbeating.ts';
import { failureOf } from './translate-errors.ts';

/** Time-outs are tried again by Temporal this often before the plan says UNKNOWN instead. */
const PATIENT_ATTEMPTS = 3;

export interface PlanningDeps extends ClusterDeps {
  policyOf(clusterName: string): UpgradePolicy;
}

export function createPlanningActivities(deps: PlanningDeps): PlanningActivities {
  return {
    async loadPolicy({ cluster }) {
      try {
        return deps.policyOf(cluster.name);
      } catch (error) {
        throw failureOf('Configuration', messageOf(error), { cause: error });
      }
    },

    async makePlan({ cluster, target, strategy, policy }) {
      const facts = await heartbeating(`inspecting ${cluster.name}`, async () =>
        inspectCluster({
          aws: deps.aws(cluster),
          ports: await deps.clusterPorts(cluster),
          ref: cluster,
          weather: currentAttempt() < PATIENT_ATTEMPTS ? 'throw' : 'unknown',
        }),
      );
      return planUpgrade(facts, { target, strategy, policy, now: facts.readAt });
    },
  };
}
