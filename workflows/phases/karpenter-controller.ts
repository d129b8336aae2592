/** Karpenter to a version that supports both minors: named, asked for, watched until the Deployment has converged. */
import { paramsOf, Phase, phaseFailed, type PhaseInput, type PhaseResult } from '../phase.ts';

export async function karpenterController(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const { from, to, minimum, namespace, deployment, managedBy } = paramsOf(input, 'karpenter-controller');
    phase.ask(
      { component: 'karpenter', name: `${namespace}/${deployment}`, version: to, managedBy },
      `Please change Karpenter from ${from} to ${to} (at least ${minimum}; CRDs first, then the controller). It is managed by ${managedBy}. ` +
        `Belay watches Deployment ${namespace}/${deployment} and goes on by itself when it has converged.`,
    );
    const { version, timedOut } = await phase.activities.watch.awaitKarpenterVersion.executeWithOptions(
      { summary: `Wait for Karpenter ${to}` },
      [{ ...phase.target, wanted: to, minimum, namespace, deployment }],
    );
    if (timedOut) throw phaseFailed(`Waiting for Karpenter ${to}: it still runs ${version}`);
    return { summary: `Karpenter runs ${version}` };
  });
}
