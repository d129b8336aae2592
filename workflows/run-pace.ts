/** The pace of a roll, changed by people: the run reads whether they may, and the step that rolls nodes does it. */
import { setHandler } from '@temporalio/workflow';
import type { DecisionReply } from '../domain/gate.ts';
import { AUTOMATIC, PACE_FORM, parsePace, paceText } from '../domain/pace.ts';
import type { UpgradeStatus } from '../domain/status.ts';
import { type ApprovalContext, readSender } from './approver-right.ts';
import { stepWorkflowId } from './ids.ts';
import { changePace, paceChosen, type PaceInput, paceRequested } from './messages.ts';
import { tellIfAlive } from './tell-workflow.ts';

/** Approvers only, as at a gate. `context`: undefined until the run has read its policy. */
export function installPace(context: () => ApprovalContext | undefined, status: UpgradeStatus): void {
  const change = async (input: PaceInput): Promise<DecisionReply> => {
    const known = context();
    const pace = parsePace(input.pace);
    if (pace === undefined) return { accepted: false, message: `"${input.pace}" is not a pace: ${PACE_FORM}.` };
    if (known === undefined || rolling(status) === undefined) return { accepted: false, message: NOT_ROLLING };
    const sender = await readSender(known, 'pace', input, { what: input.pace });
    if ('refused' in sender) return { accepted: false, message: sender.refused };
    // The roll may have ended while membership was read.
    const step = rolling(status);
    if (step === undefined) return { accepted: false, message: NOT_ROLLING };
    await tellIfAlive(stepWorkflowId(status.workflowId, step), paceChosen, { actor: sender.actor, reason: input.reason, pace });
    return { accepted: true, message: replyText(pace) };
  };
  setHandler(changePace, change);
  setHandler(paceRequested, async (input) => void (await change(input)));
}

const NOT_ROLLING = 'Karpenter is not replacing nodes for this upgrade now, so there is no pace to change.';

function rolling({ steps }: UpgradeStatus): string | undefined {
  return steps.find(({ id, state }) => id.startsWith('karpenter-drift@') && (state === 'running' || state === 'waiting'))?.id;
}

function replyText(pace: string): string {
  return pace === AUTOMATIC
    ? 'The pace is handed back to the plan.'
    : `From now on Karpenter replaces ${paceText(pace)}; the thread says when the budgets say so.`;
}
