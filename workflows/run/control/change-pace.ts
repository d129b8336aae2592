/** The pace of a roll, changed by people: the run reads whether they may, asks more of them for a faster one, and the step that rolls nodes does it. */
import { isCancellation, setHandler } from '@temporalio/workflow';
import { type DecisionReply, reasonProblem, unproven } from '../../../domain/gates/gate.ts';
import { parsePace } from '../../../domain/policy/pace.ts';
import { phaseOf } from '../../../domain/core/phases.ts';
import type { StepView, UpgradeStatus } from '../../../domain/run/record/status.ts';
import { defined } from '../../../domain/core/defined.ts';
import { type ApprovalContext, readSender } from '../../gates/authorize.ts';
import type { Gatekeeper } from '../../gates/gatekeeper.ts';
import { stepWorkflowId } from '../../contract/ids.ts';
import { changePace, paceChosen, type PaceInput, paceRequested } from '../../contract/messages.ts';
import { paceGate, paceNeedsGate } from '../../gates/pace-gate.ts';
import {
  nothingRolls,
  notAPace,
  otherPaceChosen,
  paceNeedsApproval,
  paceNotSet,
  paceSet,
  paceWaitsAlready,
  rollHasEnded,
} from '../../messages/commands.ts';
import type { Note } from '../../messages/note.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { signalIfRunning } from '../../runtime/signal-if-running.ts';
import { UsedIds } from '../../runtime/messages/used-ids.ts';
import type { Actor } from '../../../domain/gates/actor.ts';

interface PaceContext {
  /** undefined until the run has read its policy. */
  approval: () => ApprovalContext | undefined;
  status: UpgradeStatus;
  gates: Pick<Gatekeeper, 'ask'>;
  /** Said in the thread. */
  tell: (note: Note) => void;
}

/** Approvers only, as at a gate; slower takes one of them. `told`: who was answered what. */
export function installPace(
  { approval, status, gates, tell }: PaceContext,
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
        if (rolling(status)?.id !== step.id) return rollHasEnded();
        return chosen === before ? undefined : otherPaceChosen();
      });
      if (state.kind === 'decided' && state.decision.choice === 'set-pace' && rolling(status)?.id === step.id)
        await set(step.id, { ...wish, actor: state.decision.actor });
    } catch (error) {
      if (!isCancellation(error)) tell(paceNotSet(wish.actor, messageOf(error)));
    } finally {
      if (waiting === request.id) waiting = undefined;
    }
  };
  const change = async (input: PaceInput, knows: (actor: Actor) => void): Promise<DecisionReply> => {
    const known = approval();
    const pace = parsePace(input.pace);
    if (pace === undefined) return { accepted: false, message: notAPace(input.pace) };
    const tooLong = reasonProblem(input.reason);
    if (tooLong !== undefined) return { accepted: false, message: tooLong };
    const before = rolling(status);
    if (known === undefined || before === undefined) return { accepted: false, message: nothingRolls() };
    const {
      actor,
      refused,
      ask: others,
    } = await readSender({ ...known, used }, 'pace', input, {
      what: { pace: input.pace },
      phase: phaseOf(before.id),
    });
    knows(actor);
    if (refused !== undefined) return { accepted: false, message: refused, ...defined({ ask: others }) };
    // The roll may have ended while membership was read.
    const step = rolling(status);
    if (step === undefined) return { accepted: false, message: nothingRolls() };
    const wish = { actor, reason: input.reason, pace };
    if (paceNeedsGate(known.policy, step.id, pace, status.freeze)) {
      if (waiting !== undefined) return { accepted: false, message: paceWaitsAlready(waiting) };
      void ask(step, wish);
      return { accepted: true, message: paceNeedsApproval(waiting) };
    }
    await set(step.id, wish);
    return { accepted: true, message: paceSet(pace) };
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

function rolling({ steps }: UpgradeStatus): StepView | undefined {
  return steps.find(({ id, state }) => id.startsWith('karpenter-drift@') && (state === 'running' || state === 'waiting'));
}
