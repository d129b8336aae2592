/** Karpenter to a version that supports both minors: brought by Belay or asked for, watched until the Deployment has converged, held against what was before. */
import { Phase } from '../base/phase.ts';
import type { KarpenterState } from '../../../activities/contract/delivery.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import { tryCanary } from './canary-node.ts';
import { agreeToKarpenter, examine } from './change-gate.ts';
import { deliverKarpenter } from './delivery.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import { defined } from '../../../domain/core/defined.ts';
import { minorBelow, parseKubernetesVersion, type KubernetesVersion } from '../../../domain/core/version.ts';
import { judgeAskedVersion } from '../../../domain/plan/karpenter/asked-version.ts';
import { parseStepId } from '../../../domain/core/phases.ts';
import {
  changeKarpenter,
  karpenterVerified,
  otherKarpenterNeeded,
  verifiedLines,
  verifyingKarpenter,
} from '../../messages/karpenter/controller.ts';

export async function karpenterController(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const params = paramsOf(input, 'karpenter-controller');
    const { to, minimum, delivery } = params;
    if (delivery === undefined) {
      const seen = await examine(phase, params);
      phase.ask(changeKarpenter(params, seen));
      const version = await converged(phase, minimum);
      const { back } = params;
      const asked = judgeAskedVersion(version, minorsOf(input.step.id));
      // A way back may go to a version that the matrix has for neither minor: the plan says so, and people have approved that.
      if (back !== true && asked.kind === 'unfit') throw phaseFailed(otherKarpenterNeeded(version, to, asked.why));
      return await finished(phase, asBefore(seen, input.round), version, back !== true && asked.kind === 'unknown' ? asked.why : undefined);
    }
    const before = await agreeToKarpenter(phase, params);
    await deliverKarpenter(phase, params, delivery, before.unowned);
    return await finished(phase, before, await converged(phase, to));
  });
}

type Before = Pick<KarpenterState, 'notReady'> & { driftedCount?: number };

/**
 * What a change by others is held against. Drift only where it is frozen: elsewhere Karpenter marks and replaces nodes on any day. In a second round the
 * change may have been made, so nothing that is not Ready is excused.
 */
function asBefore({ driftedCount, frozenPools, poolCount, notReady }: KarpenterState, round: number): Before {
  return { notReady: round === 1 ? notReady : [], ...(frozenPools === poolCount ? { driftedCount } : {}) };
}

/** Of the hop that the step is for. */
function minorsOf(step: string): KubernetesVersion[] {
  const { minor } = parseStepId(step);
  return [minorBelow(minor), minor].flatMap((each) => (each === undefined ? [] : [parseKubernetesVersion(each)]));
}

/** `supportUnknown`: why it is not known whether the version supports the hop. */
async function finished(phase: Phase, before: Before, version: string, supportUnknown?: string): Promise<PhaseResult> {
  const evidence = await verified(phase, before, version, supportUnknown);
  return { summary: `Karpenter runs ${version}`, evidence: [evidence, ...(await canary(phase, version))] };
}

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
async function verified(
  phase: Phase,
  { driftedCount, notReady }: Before,
  version: string,
  supportUnknown: string | undefined,
): Promise<GateEvidence> {
  phase.now(verifyingKarpenter(version));
  const { namespace, deployment, delivery } = paramsOf(phase.input, 'karpenter-controller');
  const { troubles, ...rest } = await phase.activities.watch.verifyKarpenter.executeWithOptions(
    { summary: `Has Karpenter ${version} left everything as it was?` },
    [
      {
        ...phase.target,
        ...defined({ driftedCount }),
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
  const seen = { ...defined({ driftedCount, supportUnknown }), ...rest };
  const isKnown = rest.leaderUnknown === undefined && supportUnknown === undefined;
  // Whoever was asked for the change hears of it once it is done; what is unknown is said either way.
  if (delivery !== undefined || !isKnown) phase.announcer.note(karpenterVerified(version, seen));
  return { title: `Karpenter ${version}`, lines: verifiedLines(seen), verdict: isKnown ? 'clear' : 'unknown' };
}
