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

/** `context`: undefined until the run has read its policy. `acts` are called for those who may. */
export function installControl(context: () => ApprovalContext | undefined, acts: { pause: Act; resume: Act; abort: Act }): void {
  const control = async (input: ControlInput, act: Act): Promise<DecisionReply> => {
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
  setHandler(pauseUpgrade, (input) => control(input, acts.pause));
  setHandler(resumeUpgrade, (input) => control(input, acts.resume));
  setHandler(abortUpgrade, (input) => control(input, acts.abort));
  setHandler(pauseRequested, async (input) => void (await control(input, acts.pause)));
  setHandler(resumeRequested, async (input) => void (await control(input, acts.resume)));
  setHandler(abortRequested, async (input) => void (await control(input, acts.abort)));
}
