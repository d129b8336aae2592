/** What a roll of Karpenter's nodes will meet, for the gate before it. */
import type { GateEvidence } from '../../domain/gates/gate.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import { phaseActivities } from '../runtime/activity-proxies.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { asPhaseFailure } from '../runtime/phase-failure.ts';

/** Nodes may still expire while people decide and while the roll takes longer than expected. */
const SLACK_FACTOR = 2;

/** A forecast that cannot be made is said; it holds up no gate. */
export async function rollForecast(step: PlannedStep, cluster: ClusterRef, policy: UpgradePolicy): Promise<GateEvidence[]> {
  const { params } = step;
  if (params.phase !== 'karpenter-drift' || params.forecast !== true) return [];
  const { pinnedPools = [] } = params;
  try {
    const { evidence } = await phaseActivities(policy.timing).survey.forecastRoll.executeWithOptions(
      { summary: 'What will the roll of the nodes meet?' },
      [
        {
          cluster,
          nodePools: params.nodePools.filter((pool) => !pinnedPools.includes(pool)),
          ownerKeys: policy.karpenter.ownerKeys ?? [],
          withinMs: SLACK_FACTOR * step.expectedMs,
        },
      ],
    );
    // Whatever it foresees is about this cluster's own pods and nodes.
    return evidence.map((each) => ({ ...each, verdict: 'attention' }));
  } catch (error) {
    return [{ title: 'What the roll will meet is unknown', lines: [asPhaseFailure('Forecast', error).message], verdict: 'unknown' }];
  }
}
