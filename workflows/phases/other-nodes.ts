/** Nodes that neither an EKS update nor Karpenter replaces: each kind has its own way. */
import { paramsOf, Phase, type PhaseInput, type PhaseResult } from '../phase.ts';
import { withAutoscalerPaused } from './autoscaler-pause.ts';
import { moveFargate } from './fargate.ts';
import { moveSelfManaged } from './self-managed.ts';

export async function otherNodes(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const { to, fargate, selfManaged } = paramsOf(input, 'other-nodes');
    const lines: string[] = [];
    if (fargate !== undefined) lines.push(await moveFargate(phase, to));
    if (selfManaged !== undefined) {
      const move = (): Promise<string> => moveSelfManaged(phase, to, selfManaged);
      lines.push(await withAutoscalerPaused(phase, selfManaged.autoscaler, move));
    }
    return { summary: lines.join('; '), evidence: [{ title: 'Other nodes', lines }] };
  });
}
