/** The gate before Belay changes Karpenter: what the cluster is like, what the new version needs, and whether IAM grants it. */
import type { KarpenterState } from '../../../activities/contract/delivery.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import { chartsToChange, type KarpenterParams } from './delivery.ts';
import { karpenterGate, readingNeeds } from '../../messages/karpenter/controller.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

/** Resolves with what was seen last before the approval. Look again reads everything once more, as after a change of IAM. */
export async function agreeToKarpenter(phase: Phase, params: KarpenterParams): Promise<KarpenterState> {
  const { from, to, namespace, deployment, delivery } = params;
  const charts = delivery?.kind === 'gitops' ? chartsToChange(delivery.charts, params) : [];
  const { id: step, rollback } = phase.input.step;
  for (let look = 1; ; look += 1) {
    phase.now(readingNeeds(to));
    const seen = await phase.activities.survey.examineKarpenter.executeWithOptions({ summary: `What does Karpenter ${to} need?` }, [
      { cluster: phase.cluster, from, to, namespace, deployment },
    ]);
    const state = await phase.gates.ask({
      ...karpenterGate({ params, seen, charts, rollback }),
      id: gateId('change', step, (phase.input.round - 1) * 100 + look),
      step,
    });
    if (state.kind !== 'decided') throw phaseFailed(`Changing Karpenter to ${to}: nobody decided in time; it still runs ${from}`);
    const { choice } = state.decision;
    if (choice === 'reject') throw phaseFailed(`Changing Karpenter to ${to}: it was rejected; it still runs ${from}`);
    if (choice !== 'look-again') return seen;
  }
}
