/** The way back: what is read for its plan and its checks. */
import { backFindings } from '../domain/plan/back/findings.ts';
import { planBack } from '../domain/plan/back/plan-back.ts';
import type { SeenForBack } from '../domain/plan/back/seen.ts';
import type { ClusterFacts, ClusterRef } from '../domain/facts.ts';
import { parseStepId } from '../domain/phases.ts';
import type { Timing } from '../domain/policy.ts';
import { parseKubernetesVersion } from '../domain/version.ts';
import { report } from './checks/catalogue.ts';
import { checkExpectedVersion } from './checks/control-plane.ts';
import type { ClusterClients, ClusterDeps } from './clients/clusters.ts';
import type { BackActivities } from './contract.ts';
import { currentAttempt } from './context.ts';
import { readRollbackWindow } from './eks/rollback-window.ts';
import { inspectCluster } from './inspect/inspect-cluster.ts';
import { heartbeating } from './kubernetes/heartbeating.ts';
import { readAllInsights } from './readiness/insights.ts';
import { see } from './readiness/seen.ts';

type Deps = ClusterDeps & Pick<ClusterClients, 'account'>;

/** Time-outs are tried again by Temporal this often before the plan says UNKNOWN instead. */
const PATIENT_ATTEMPTS = 3;

export function createBackActivities(deps: Deps): BackActivities {
  return {
    planBack: ({ cluster, policy }) =>
      heartbeating(`inspecting ${cluster.name} for a way back`, async () => {
        const { facts, seen } = await look(deps, cluster);
        return planBack(facts, seen, policy);
      }),

    checkWayBack: ({ cluster, timing, to, policy, later = [] }) =>
      heartbeating(`checking the way of ${cluster.name} back to ${to}`, async () => {
        const { facts, seen: looked } = await look(deps, cluster);
        const seen = await askEks(deps, cluster, timing, looked);
        const phases = later.map((step) => parseStepId(step).phase);
        const { version } = facts.controlPlane;
        // A retry of the step may find that it is there already.
        if (version === to) return report([checkExpectedVersion(version, [to])]);
        return report(backFindings({ facts, seen, backTo: parseKubernetesVersion(to), policy, later: phases }));
      }),
  };
}

/** Everything but EKS's own judgement. */
async function look(deps: Deps, ref: ClusterRef): Promise<{ facts: ClusterFacts; seen: SeenForBack }> {
  const aws = deps.aws(ref);
  const { back } = await readRollbackWindow(aws, { cluster: ref });
  const facts = await inspectCluster({ aws, ports: await deps.clusterPorts(ref), account: deps.account(ref), ref, weather: weather() });
  return { facts, seen: { back } };
}

/** They exist for as long as there is a way back. */
async function askEks(deps: Deps, ref: ClusterRef, timing: Timing, { back }: SeenForBack): Promise<SeenForBack> {
  if (back.kind !== 'open') return { back };
  const insights = await see('reading the insights', () => readAllInsights({ aws: deps.aws(ref), ref, timing }), weather());
  return { back, insights: insights.ok ? insights.value.insights : insights.unseen.why };
}

const weather = (): 'throw' | 'unknown' => (currentAttempt() < PATIENT_ATTEMPTS ? 'throw' : 'unknown');
