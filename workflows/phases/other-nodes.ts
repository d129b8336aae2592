/** Nodes that neither an EKS update nor Karpenter replaces: each kind has its own way. */
import { paramsOf, Phase, type PhaseInput, type PhaseResult } from '../phase.ts';
import { moveFargate } from './fargate.ts';

export async function otherNodes(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const { to, fargate } = paramsOf(input, 'other-nodes');
    const lines: string[] = [];
    if (fargate !== undefined) lines.push(await moveFargate(phase, to));
    return { summary: lines.join('; '), evidence: [{ title: 'Other nodes', lines }] };
  });
}
