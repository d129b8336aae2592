/** Planning: the cluster's policy, and the plan made from what inspection reads now. */
import { planUpgrade } from '../domain/plan/plan-upgrade.ts';
import type { UpgradePolicy } from '../domain/policy.ts';
import { PLAN_CHECKS, planFacts } from '../domain/readiness/plan-facts.ts';
import { messageOf } from '../domain/unknown.ts';
import { formatKubernetesVersion, minorsBetween, parseKubernetesVersion, tryKubernetesVersion } from '../domain/version.ts';
import type { ClusterClients, ClusterDeps } from './clients/clusters.ts';
import type { PlanningActivities } from './contract.ts';
import { currentAttempt } from './context.ts';
import { inspectCluster } from './inspect/inspect-cluster.ts';
import { heartbeating } from './kubernetes/heartbeating.ts';
import { readAmiBuilds } from './readiness/ami-builds.ts';
import { gatherEvidence } from './readiness/gather.ts';
import { see } from './readiness/seen.ts';
import { failureOf } from './translate-errors.ts';

/** Time-outs are tried again by Temporal this often before the plan says UNKNOWN instead. */
const PATIENT_ATTEMPTS = 3;

export interface PlanningDeps extends ClusterDeps, Pick<ClusterClients, 'account'> {
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
      const facts = await heartbeating(`inspecting ${cluster.name}`, async () => {
        const [aws, ports] = [deps.aws(cluster), await deps.clusterPorts(cluster)];
        const weather = currentAttempt() < PATIENT_ATTEMPTS ? 'throw' : 'unknown';
        const inspected = await inspectCluster({ aws, ports, account: deps.account(cluster), ref: cluster, weather });
        const reading = {
          aws,
          account: deps.account(cluster),
          kubernetes: ports.kubernetes,
          ref: cluster,
          timing: policy.timing,
          weather,
        } as const;
        const now = parseKubernetesVersion(inspected.controlPlane.version);
        const wanted = tryKubernetesVersion(target);
        const minors = wanted === undefined ? [] : minorsBetween(now, wanted).slice(1).map(formatKubernetesVersion);
        const named = Object.values(policy.karpenter.amis ?? {})
          .flat()
          .filter((text) => text.includes('@'));
        const builds = await see('looking up AMIs', () => readAmiBuilds(reading.account, ports.kubernetes, minors, named), weather);
        const amis = builds.ok ? { amiBuilds: builds.value } : { amiBuildsUnseen: builds.unseen.why };
        return { ...inspected, ...amis, ...planFacts(await gatherEvidence({ ...reading, target: now, checks: PLAN_CHECKS })) };
      });
      return planUpgrade(facts, { target, strategy, policy, now: facts.readAt });
    },
  };
}
