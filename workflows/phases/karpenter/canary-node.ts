/** After a change of Karpenter's controller: one node more, to see that it launches nodes still; gone again on every way out. */
import { CancellationScope } from '@temporalio/workflow';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import type { Phase } from '../base/phase.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import { canaryLine, canaryNotRemoved, canaryReady, launchingCanary } from '../../messages/karpenter/controller.ts';

/** Throws where no node comes; nothing is left behind either way. */
export async function tryCanary(phase: Phase, { nodePool, version }: { nodePool: string; version: string }): Promise<GateEvidence> {
  // By the round, which shows in the last digits of a token: a Retry makes a new one.
  const name = `belay-canary-${phase.token('canary-node', nodePool).slice(-10)}`;
  const waiting = { ...phase.target, name, timeoutMs: phase.timing.rolloutTimeoutMs };
  phase.now(launchingCanary({ version, nodePool, claim: name }));
  let tried;
  try {
    tried = await phase.activities.keep.tryCanaryNode.executeWithOptions({ summary: `Does Karpenter ${version} launch a node?` }, [
      { ...waiting, nodePool },
    ]);
  } finally {
    await CancellationScope.nonCancellable(() => remove(phase, waiting));
  }
  const title = `Canary node of NodePool ${nodePool}`;
  if (tried.kind === 'failed')
    throw phaseFailed(`Karpenter ${version} runs, but a canary node of NodePool ${nodePool} did not come: ${tried.why}`, [
      {
        title,
        lines: [
          tried.why,
          'No node with workloads was touched, and drift is frozen. Fix the cause (IAM, subnets, the EC2NodeClass), then retry',
        ],
      },
    ]);
  const canary = { version, nodePool, node: tried.node };
  phase.announcer.note(canaryReady(canary));
  return { title, lines: [canaryLine(canary)] };
}

async function remove(phase: Phase, waiting: Parameters<Phase['activities']['keep']['removeCanaryNode']>[0]): Promise<void> {
  let why = 'it is still there';
  try {
    const { gone } = await phase.activities.keep.removeCanaryNode.executeWithOptions({ summary: 'Take the canary node away' }, [waiting]);
    if (gone) return;
  } catch (error) {
    why = messageOf(error);
  }
  phase.notRestored({ what: `NodeClaim ${waiting.name}`, why }, canaryNotRemoved(waiting.name, why), { saysHow: true });
}
