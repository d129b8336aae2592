/** The pace of a roll, changed by people: the run reads whether they may, and the step that rolls nodes does it. */
import { setHandler } from '@temporalio/workflow';
import type { Actor, DecisionReply } from '../domain/gate.ts';
import { AUTOMATIC, PACE_FORM, parsePace, paceText } from '../domain/pace.ts';
import type { UpgradeStatus } from '../domain/status.ts';
import { type ApprovalContext, readSender } from './approver-right.ts';
import { stepWorkflowId } from './ids.ts';
import { changePace, paceChosen, type PaceInput, paceRequested } from './messages.ts';
import { tellIfAlive } from './tell-workflow.ts';

/** Approvers only, as at a gate. `context`: undefined until the run has read its policy. `told`: who was answered what. */
export function installPace(
  context: () => ApprovalContext | undefined,
  status: UpgradeStatus,
  told: (verb: string, input: Pick<PaceInput, 'actor' | 'reason'>, reply: DecisionReply) => void,
): void {
  const change = async (input: PaceInput, knows: (actor: Actor) => void): Promise<DecisionReply> => {
    const known = context();
    const pace = parsePace(input.pace);
    if (pace === undefined) return { accepted: false, message: `"${input.pace}" is not a pace: ${PACE_FORM}.` };
    if (known === undefined || rolling(status) === undefined) return { accepted: false, message: NOT_ROLLING };
    const { actor, refused } = await readSender(known, 'pace', input, { what: input.pace });
    knows(actor);
    if (refused !== undefined) return { accepted: false, message: refused };
    // The roll may have ended while membership was read.
    const step = rolling(status);
    if (step === undefined) return { accepted: false, message: NOT_ROLLING };
    await tellIfAlive(stepWorkflowId(status.workflowId, step), paceChosen, { actor, reason: input.reason, pace });
    return { accepted: true, message: replyText(pace) };
  };
  const changeAndTell = async (input: PaceInput): Promise<DecisionReply> => {
    let { actor } = input;
    const reply = await change(input, (sender) => (actor = sender));
    told(`pace ${input.pace}`, { actor, reason: input.reason }, reply);
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
