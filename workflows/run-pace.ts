/** The pace of a roll, changed by people: the run reads whether they may, and the step that rolls nodes does it. */
import { setHandler } from '@temporalio/workflow';
import type { DecisionReply } from '../domain/gate.ts';
import { AUTOMATIC, PACE_FORM, parsePace, paceText } from '../domain/pace.ts';
import type { UpgradeStatus } from '../domain/status.ts';
import { type ApprovalContext, readRight } from './approver-right.ts';
import { stepWorkflowId } from './ids.ts';
import { changePace, paceChosen, type PaceInput, paceRequested } from './messages.ts';
import { tellIfAlive } from './tell-workflow.ts';

/** Approvers only, as at a gate. `context`: undefined until the run has read its policy. `told`: who was answered what. */
export function installPace(
  context: () => ApprovalContext | undefined,
  status: UpgradeStatus,
  told: (verb: string, input: PaceInput, reply: DecisionReply) => void,
): void {
  const change = async (input: PaceInput): Promise<DecisionReply> => {
    const known = context();
    const pace = parsePace(input.pace);
    if (pace === undefined) return { accepted: false, message: `"${input.pace}" is not a pace: ${PACE_FORM}.` };
    if (known === undefined || rolling(status) === undefined) return { accepted: false, message: NOT_ROLLING };
    const right = await readRight(known, input.actor, 'Who may change the pace could not be read just now. Try again.');
    if (!right.allowed) return { accepted: false, message: right.why };
    // The roll may have ended while membership was read.
    const step = rolling(status);
    if (step === undefined) return { accepted: false, message: NOT_ROLLING };
    await tellIfAlive(stepWorkflowId(status.workflowId, step), paceChosen, { ...input, pace });
    return { accepted: true, message: replyText(pace) };
  };
  const changeAndTell = async (input: PaceInput): Promise<DecisionReply> => {
    const reply = await change(input);
    told(`pace ${input.pace}`, input, reply);
    return reply;
  };
  setHandler(changePace, changeAndTell);
  setHandler(paceRequested, async (input) => void (await changeAndTell(input)));
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
