/** Karpenter to a version that supports both minors: brought by Belay or asked for, watched until the Deployment has converged, held against what was before. */
import { Phase } from '../base/phase.ts';
import type { KarpenterState } from '../../../activities/contract/delivery.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import { tryCanary } from './canary-node.ts';
import { agreeToKarpenter } from './change-gate.ts';
import { deliverKarpenter } from './delivery.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import { changeKarpenter, karpenterVerified, verifiedLines, verifyingKarpenter } from '../../messages/karpenter/controller.ts';

export async function karpenterController(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const params = paramsOf(input, 'karpenter-controller');
    const { to, minimum, delivery } = params;
    if (delivery === undefined) {
      phase.ask(changeKarpenter(params));
      const version = await converged(phase, minimum);
      return { summary: `Karpenter runs ${version}`, ...evidenceOf(await canary(phase, version)) };
    }
    const before = await agreeToKarpenter(phase, params);
    await deliverKarpenter(phase, params, delivery, before.unowned);
    const version = await converged(phase, to);
    const evidence = await verified(phase, before, version);
    return { summary: `Karpenter runs ${version}`, ...evidenceOf([evidence, ...(await canary(phase, version))]) };
  });
}

const evidenceOf = (evidence: GateEvidence[]): { evidence?: GateEvidence[] } => (evidence.length === 0 ? {} : { evidence });

/** Where belay.yaml names a NodePool for it. */
async function canary(phase: Phase, version: string): Promise<GateEvidence[]> {
  const { canaryPool } = paramsOf(phase.input, 'karpenter-controller');
  return canaryPool === undefined ? [] : [await tryCanary(phase, { nodePool: canaryPool, version })];
}

/** The version that runs, fully rolled out; the image is what counts, whatever a tool says about itself. */
async function converged(phase: Phase, minimum: string): Promise<string> {
  const { to, namespace, deployment, back } = paramsOf(phase.input, 'karpenter-controller');
  const { version, timedOut } = await phase.activities.watch.awaitKarpenterVersion.executeWithOptions(
    { summary: `Wait for Karpenter ${to}` },
    [{ ...phase.target, wanted: to, minimum, namespace, deployment, ...(back === true ? { back } : {}) }],
  );
  if (timedOut) throw phaseFailed(`Waiting for Karpenter ${to}: it still runs ${version}`);
  return version;
}

/** Everything as it was, but for the version. */
async function verified(phase: Phase, { driftedCount, notReady }: KarpenterState, version: string): Promise<GateEvidence> {
  phase.now(verifyingKarpenter(version));
  const { namespace, deployment } = paramsOf(phase.input, 'karpenter-controller');
  const { troubles, ...rest } = await phase.activities.watch.verifyKarpenter.executeWithOptions(
    { summary: `Has Karpenter ${version} left everything as it was?` },
    [
      {
        ...phase.target,
        driftedCount,
        notReady: notReady.map(({ name }) => name),
        watchMs: phase.timing.waveBakeMs,
        leader: { namespace, deployment, version },
      },
    ],
  );
  if (troubles.length > 0) {
    const lines = troubles.slice(0, 5);
    throw phaseFailed(`Karpenter runs ${version}, but: ${lines.join('; ')}`, [{ title: 'After the change', lines }]);
  }
  const seen = { driftedCount, ...rest };
  phase.announcer.note(karpenterVerified(version, seen));
  return { title: `Karpenter ${version}`, lines: verifiedLines(seen), verdict: rest.leaderUnknown === undefined ? 'clear' : 'unknown' };
}
