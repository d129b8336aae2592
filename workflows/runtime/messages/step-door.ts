/** Steps run for their run alone: nobody else can start one, by whatever parent. */
import { type ParentWorkflowInfo, workflowInfo } from '@temporalio/workflow';
import { runOf } from '../../contract/ids.ts';
import { PHASE_WORKFLOWS } from '../../contract/phase-workflows.ts';
import type { PhaseInput } from '../../contract/phase.ts';

const STEPS: readonly string[] = Object.values(PHASE_WORKFLOWS);

/** Why this is no step of a run; undefined where it is one, or is no step at all. */
export function whyNoStep(workflowType: string, args: readonly unknown[]): string | undefined {
  if (!STEPS.includes(workflowType)) return undefined;
  const { parent, workflowId } = workflowInfo();
  if (parent === undefined) return 'it is a step, and no run has started it';
  const input = args[0] as Partial<PhaseInput> | undefined;
  if (!isRunOf(parent, workflowId, input))
    return `it is a step of ${String(input?.upgrade?.runId)}, and ${parent.workflowId} (${parent.runId}) has started it`;
  return undefined;
}

function isRunOf(parent: ParentWorkflowInfo, workflowId: string, input: Partial<PhaseInput> | undefined): boolean {
  const { upgrade, cluster } = input ?? {};
  if (upgrade === undefined || cluster === undefined) return false;
  const isParents = upgrade.workflowId === parent.workflowId && upgrade.runId === parent.runId;
  return isParents && runOf(workflowId) === parent.workflowId && workflowId.startsWith(`${parent.workflowId}/`);
}
