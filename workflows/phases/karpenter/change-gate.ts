/** The gate before Belay changes Karpenter: what the cluster is like, what the new version needs, and whether IAM grants it. */
import type { KarpenterState } from '../../../activities/contract/delivery.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import { chartsToChange, type KarpenterParams } from './delivery.ts';
import { karpenterGate, readingNeeds } from '../../messages/karpenter/controller.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

/** What the cluster is like, and what the new version needs that the present one does not. */
export async function examine(phase: Phase, { from, to, namespace, deployment }: KarpenterParams): Promise<KarpenterState> {
  phase.now(readingNeeds(to));
  return await phase.activities.survey.examineKarpenter.executeWithOptions({ summary: `What does Karpenter ${to} need?` }, [
    { cluster: phase.cluster, from, to, namespace, deployment },
  ]);
}

/** Resolves with what was seen last before the approval. Look again reads everything once more, as after a change of IAM. */
export async function agreeToKarpenter(phase: Phase, params: KarpenterParams): Promise<KarpenterState> {
  const { from, to, delivery } = params;
  const charts = delivery?.kind === 'gitops' ? chartsToChange(delivery.charts, params) : [];
  const { id: step, rollback } = phase.input.step;
  for (let look = 1; ; look += 1) {
    const seen = await examine(phase, params);
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
