/** Nodes that neither an EKS update nor Karpenter replaces: each kind has its own way. */
import { Phase } from '../base/phase.ts';
import { watchAutoMode } from './auto-mode.ts';
import { moveFargate } from './fargate.ts';
import { moveSelfManaged } from './self-managed.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { defined } from '../../../domain/core/defined.ts';

export async function otherNodes(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const { to, back, autoMode, fargate, selfManaged } = paramsOf(input, 'other-nodes');
    const lines: string[] = [];
    if (autoMode !== undefined) lines.push(await watchAutoMode(phase, to, autoMode));
    if (fargate !== undefined) lines.push(await moveFargate(phase, to));
    if (selfManaged !== undefined) lines.push(await moveSelfManaged(phase, { to, ...defined({ back }) }, selfManaged));
    return { summary: lines.join('; '), evidence: [{ title: 'Other nodes', lines }] };
  });
}
