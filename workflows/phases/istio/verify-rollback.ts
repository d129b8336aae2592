/** What is true after a wave went back: its labels are as they were, what runs may not be yet. */
import type { IstioCanary } from '../../../domain/plan/model/changes.ts';
import type { TrafficReading } from '../../../domain/health/mesh/wave-health.ts';
import { type BackProof, verifyingWaveBack } from '../../messages/istio/waves.ts';
import type { Phase } from '../base/phase.ts';
import { shown, uninjectedIn } from './wave-gates.ts';
import { asPhaseFailure } from '../../runtime/phase-failure.ts';
import type { GatewayBefore, OnDeleteSet } from '../../../activities/contract/istio-objects.ts';
import { defined } from '../../../domain/core/defined.ts';

/** `before`: the traffic before the move, where it was the reason; it is watched as long as after a move. */
export async function verifyBack(
  phase: Phase,
  canary: IstioCanary,
  namespaces: string[],
  also: { before?: TrafficReading; rolled?: OnDeleteSet[]; gateways?: GatewayBefore[] },
): Promise<BackProof> {
  const { activities, target, timing } = phase;
  const { fromRevision: revision, fromVersion } = canary;
  const minor = fromVersion.split('.').slice(0, 2).join('.');
  const summary = `Verify that ${shown(namespaces)} run ${revision} again`;
  phase.now(verifyingWaveBack(namespaces, revision));
  try {
    const seen = await activities.watch.awaitProxies.executeWithOptions({ summary }, [
      {
        ...target,
        namespaces,
        revision,
        minor,
        ...uninjectedIn(canary),
        ...also,
        ...(also.before === undefined ? {} : { watchMs: timing.waveBakeMs }),
      },
    ]);
    if (!seen.ok) return { kind: 'not-verified', why: seen.wrong.slice(0, 3).join('; ') || 'rollouts did not finish in time' };
    const { podCount, traffic } = seen;
    return { kind: 'verified', podCount, ...defined({ traffic }) };
  } catch (error) {
    return { kind: 'not-verified', why: asPhaseFailure('verifying', error).message };
  }
}
