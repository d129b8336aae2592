/** Karpenter to a version that supports both minors: brought by Belay or asked for, watched until the Deployment has converged, held against what was before. */
import { Phase } from '../base/phase.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import { count } from '../../../domain/core/text.ts';
import { tryCanary } from './canary-node.ts';
import { agreeToKarpenter } from './change-gate.ts';
import { deliverKarpenter } from './delivery.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

export async function karpenterController(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const params = paramsOf(input, 'karpenter-controller');
    const { from, to, minimum, namespace, deployment, managedBy, delivery, back } = params;
    if (delivery === undefined) {
      phase.ask(
        { component: 'karpenter', name: `${namespace}/${deployment}`, version: to, managedBy },
        `Please change Karpenter from ${from} to ${to} (${back === true ? 'the controller alone, its CRDs stay' : `at least ${minimum}; CRDs first, then the controller`}). It is managed by ${managedBy}. ` +
          `${managedBy === 'terraform' ? terraformLines(to, back) : ''}Belay watches Deployment ${namespace}/${deployment} and continues by itself once it has converged.`,
      );
      const version = await converged(phase, minimum);
      return { summary: `Karpenter runs ${version}`, ...evidenceOf(await canary(phase, version)) };
    }
    const before = await agreeToKarpenter(phase, params);
    await deliverKarpenter(phase, params, delivery, before.unowned);
    const version = await converged(phase, to);
    const evidence = await verified(phase, before.driftedCount, version);
    return { summary: `Karpenter runs ${version}`, ...evidenceOf([evidence, ...(await canary(phase, version))]) };
  });
}

const evidenceOf = (evidence: GateEvidence[]): { evidence?: GateEvidence[] } => (evidence.length === 0 ? {} : { evidence });

/** Where belay.yaml names a NodePool for it. */
async function canary(phase: Phase, version: string): Promise<GateEvidence[]> {
  const { canaryPool } = paramsOf(phase.input, 'karpenter-controller');
  return canaryPool === undefined ? [] : [await tryCanary(phase, { nodePool: canaryPool, version })];
}

/** By the names of the provider hashicorp/helm and of the module terraform-aws-modules/eks/aws//modules/karpenter. */
function terraformLines(to: string, back: true | undefined): string {
  const definitions = back === true ? '' : 'helm_release karpenter-crd (applied first) and of ';
  return `The lines to change: version = "${to}" of ${definitions}helm_release karpenter, or the variable that your module sets them by. `;
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
async function verified(phase: Phase, driftedCount: number, version: string): Promise<GateEvidence> {
  phase.now(`Karpenter runs ${version}: watching that it marks no more nodes for replacement than before.`);
  const { namespace, deployment } = paramsOf(phase.input, 'karpenter-controller');
  const { troubles } = await phase.activities.watch.verifyKarpenter.executeWithOptions(
    { summary: `Has Karpenter ${version} left everything as it was?` },
    [{ ...phase.target, driftedCount, watchMs: phase.timing.waveBakeMs, leader: { namespace, deployment, version } }],
  );
  if (troubles.length > 0) {
    const lines = troubles.slice(0, 5);
    throw phaseFailed(`Karpenter runs ${version}, but: ${lines.join('; ')}`, [{ title: 'After the change', lines }]);
  }
  const lines = [
    `${count(driftedCount, 'NodeClaim')} drifted before, and no more now`,
    'NodePools and EC2NodeClasses Ready, CRDs Established, a pod of the new version leads',
  ];
  phase.announcer.note(`Karpenter: ${version} runs; ${lines.join('; ')}.`);
  return { title: `Karpenter ${version}`, lines };
}
