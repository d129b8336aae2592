/** After a change of Karpenter's controller: one node more, to see that it launches nodes still; gone again on every way out. */
import { CancellationScope } from '@temporalio/workflow';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import type { Phase } from '../base/phase.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

/** Throws where no node comes; nothing is left behind either way. */
export async function tryCanary(phase: Phase, { nodePool, version }: { nodePool: string; version: string }): Promise<GateEvidence> {
  // By the round, which shows in the last digits of a token: a Retry makes a new one.
  const name = `belay-canary-${phase.token('canary-node', nodePool).slice(-10)}`;
  const waiting = { ...phase.target, name, timeoutMs: phase.timing.rolloutTimeoutMs };
  phase.now(
    `Karpenter ${version} launches one node more, as NodePool ${nodePool} has it (NodeClaim ${name}): no pod lands on it, and it goes again.`,
  );
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
          'No node of a workload was touched, and drift is frozen: fix what it names (IAM, subnets, the EC2NodeClass), then retry',
        ],
      },
    ]);
  const line = `Karpenter ${version} launched ${tried.node} as NodePool ${nodePool} has it; it became Ready, and is gone again`;
  phase.announcer.note(`Karpenter: ${line}.`);
  return { title, lines: [line] };
}

async function remove(phase: Phase, waiting: Parameters<Phase['activities']['watch']['removeCanaryNode']>[0]): Promise<void> {
  let why = 'it is still there';
  try {
    const { gone } = await phase.activities.watch.removeCanaryNode.executeWithOptions({ summary: 'Take the canary node away' }, [waiting]);
    if (gone) return;
  } catch (error) {
    why = messageOf(error);
  }
  const what = `NodeClaim ${waiting.name}`;
  phase.notRestored(
    { what, why },
    `${what} of the canary node could NOT be removed: ${why}. kubectl delete nodeclaim ${waiting.name}; Karpenter takes it away an hour after its launch.`,
  );
}
