/** The pace of a roll, changed by people: the run reads whether they may, asks more of them for a faster one, and the step that rolls nodes does it. */
import { isCancellation, setHandler } from '@temporalio/workflow';
import { type DecisionReply, reasonProblem, unproven } from '../../../domain/gates/gate.ts';
import { AUTOMATIC, PACE_FORM, parsePace, paceText } from '../../../domain/policy/pace.ts';
import { phaseOf } from '../../../domain/core/phases.ts';
import type { StepView, UpgradeStatus } from '../../../domain/run/record/status.ts';
import { type ApprovalContext, readSender } from '../../gates/authorize.ts';
import type { Gatekeeper } from '../../gates/gatekeeper.ts';
import { stepWorkflowId } from '../../contract/ids.ts';
import { changePace, paceChosen, type PaceInput, paceRequested } from '../../contract/messages.ts';
import { paceGate, paceNeedsGate } from '../../gates/pace-gate.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { signalIfRunning } from '../../runtime/signal-if-running.ts';
import { UsedIds } from '../../runtime/messages/used-ids.ts';
import { type Actor, actorName } from '../../../domain/gates/actor.ts';

interface PaceContext {
  /** undefined until the run has read its policy. */
  approval: () => ApprovalContext | undefined;
  status: UpgradeStatus;
  gates: Pick<Gatekeeper, 'ask'>;
  /** Said in the thread. */
  warn: (words: string) => void;
}

/** Approvers only, as at a gate; slower takes one of them. `told`: who was answered what. */
export function installPace(
  { approval, status, gates, warn }: PaceContext,
  told: (verb: string, input: Pick<PaceInput, 'actor' | 'reason'>, reply: DecisionReply) => void,
): void {
  const used = new UsedIds();
  let round = 0;
  /** Paces that people have set: a gate for one that was asked for before is out of date. */
  let chosen = 0;
  let waiting: string | undefined;
  const set = async (step: string, { actor, reason, pace }: Pick<PaceInput, 'actor' | 'reason' | 'pace'>): Promise<void> => {
    chosen += 1;
    await signalIfRunning(stepWorkflowId(status.workflowId, step), paceChosen, { actor, reason, pace });
  };
  /** The roll continues as it does while people decide. */
  const ask = async (step: StepView, wish: Pick<PaceInput, 'actor' | 'reason' | 'pace'>): Promise<void> => {
    round += 1;
    const before = chosen;
    const request = paceGate(step, round, wish, status.freeze);
    waiting = request.id;
    try {
      const state = await gates.ask(request, () => {
        if (rolling(status)?.id !== step.id) return 'the roll has ended';
        return chosen === before ? undefined : 'another pace was chosen';
      });
      if (state.kind === 'decided' && state.decision.choice === 'set-pace' && rolling(status)?.id === step.id)
        await set(step.id, { ...wish, actor: state.decision.actor });
    } catch (error) {
      if (!isCancellation(error)) warn(`The pace that ${actorName(wish.actor)} asked for could not be set: ${messageOf(error)}`);
    } finally {
      if (waiting === request.id) waiting = undefined;
    }
  };
  const change = async (input: PaceInput, knows: (actor: Actor) => void): Promise<DecisionReply> => {
    const known = approval();
    const pace = parsePace(input.pace);
    if (pace === undefined) return { accepted: false, message: `"${input.pace}" is not a pace: ${PACE_FORM}.` };
    const tooLong = reasonProblem(input.reason);
    if (tooLong !== undefined) return { accepted: false, message: tooLong };
    const before = rolling(status);
    if (known === undefined || before === undefined) return { accepted: false, message: NOT_ROLLING };
    const { actor, refused } = await readSender({ ...known, used }, 'pace', input, {
      what: { pace: input.pace },
      phase: phaseOf(before.id),
    });
    knows(actor);
    if (refused !== undefined) return { accepted: false, message: refused };
    // The roll may have ended while membership was read.
    const step = rolling(status);
    if (step === undefined) return { accepted: false, message: NOT_ROLLING };
    const wish = { actor, reason: input.reason, pace };
    if (paceNeedsGate(known.policy, step.id, pace, status.freeze)) {
      if (waiting !== undefined)
        return { accepted: false, message: `A pace waits for a decision already: gate ${waiting}. Decide there first.` };
      void ask(step, wish);
      return { accepted: true, message: `A faster pace needs the approvals of this step: decide at gate ${waiting ?? ''} in the thread.` };
    }
    await set(step.id, wish);
    return { accepted: true, message: replyText(pace) };
  };
  const changeAndTell = async (input: PaceInput): Promise<DecisionReply> => {
    // Until who sent it has been read, and where that is not read at all.
    let actor: Actor = unproven(input.actor);
    const reply = await change(input, (sender) => (actor = sender));
    told(`pace ${input.pace}`, { actor, reason: input.reason }, reply);
    return reply;
  };
  setHandler(changePace, changeAndTell);
  setHandler(paceRequested, async (input) => void (await changeAndTell(input)));
}

const NOT_ROLLING = 'Karpenter is not replacing nodes for this upgrade now, so there is no pace to change.';

function rolling({ steps }: UpgradeStatus): StepView | undefined {
  return steps.find(({ id, state }) => id.startsWith('karpenter-drift@') && (state === 'running' || state === 'waiting'));
}

function replyText(pace: string): string {
  return pace === AUTOMATIC
    ? 'The pace is handed back to the plan.'
    : `From now on Karpenter replaces ${paceText(pace)}; the thread says when the budgets say so.`;
}
