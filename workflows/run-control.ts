/** Pause, resume and abort: open to approvers and to whoever asked for the run; each an update, and a signal for when no worker answers. */
import { setHandler } from '@temporalio/workflow';
import type { DecisionReply } from '../domain/gate.ts';
import { type ApprovalContext, readRight } from './approver-right.ts';
import {
  abortRequested,
  abortUpgrade,
  type ControlInput,
  pauseRequested,
  pauseUpgrade,
  resumeRequested,
  resumeUpgrade,
} from './messages.ts';

type Act = (input: ControlInput) => DecisionReply;

/** `context`: undefined until the run has read its policy. `acts` are called for those who may. `told`: who was answered what. */
export function installControl(
  context: () => ApprovalContext | undefined,
  acts: { pause: Act; resume: Act; abort: Act },
  told: (verb: string, input: ControlInput, reply: DecisionReply) => void,
): void {
  const control = async (verb: keyof typeof acts, input: ControlInput): Promise<DecisionReply> => {
    const reply = await answer(input, acts[verb]);
    told(verb, input, reply);
    return reply;
  };
  const answer = async (input: ControlInput, act: Act): Promise<DecisionReply> => {
    const known = context();
    if (known === undefined) return { accepted: false, message: 'The run has not read its policy yet; try again in a moment.' };
    const { requestedBy } = known;
    const asker = input.actor.kind === requestedBy.kind && input.actor.id === requestedBy.id;
    if (!asker) {
      const right = await readRight(known, input.actor, 'Who may do this could not be read just now. Try again.');
      if (!right.allowed) return { accepted: false, message: right.why };
    }
    return act(input);
  };
  setHandler(pauseUpgrade, (input) => control('pause', input));
  setHandler(resumeUpgrade, (input) => control('resume', input));
  setHandler(abortUpgrade, (input) => control('abort', input));
  setHandler(pauseRequested, async (input) => void (await control('pause', input)));
  setHandler(resumeRequested, async (input) => void (await control('resume', input)));
  setHandler(abortRequested, async (input) => void (await control('abort', input)));
}
