/** Pause, resume, abort and handing over: open to approvers and to whoever asked for the run; each an update, and a signal for when no worker answers. */
import { setHandler } from '@temporalio/workflow';
import { type Actor, actorName, type DecisionReply } from '../domain/gate.ts';
import { type ApprovalContext, readSender } from './approver-right.ts';
import {
  abortRequested,
  abortUpgrade,
  type ControlInput,
  handOverRequested,
  handOverUpgrade,
  type HandOverInput,
  pauseRequested,
  pauseUpgrade,
  resumeRequested,
  resumeUpgrade,
} from './messages.ts';

const NOT_YET = 'The run has not read its policy yet; try again in a moment.';

type Act = (input: Pick<ControlInput, 'actor' | 'reason'>) => DecisionReply;
type Kind = 'pause' | 'resume' | 'abort';

/** `context`: undefined until the run has read its policy. `acts` are called for those who may. */
export function installControl(
  context: () => ApprovalContext | undefined,
  acts: Record<Kind, Act> & { handOver: (actor: Actor, input: HandOverInput) => Promise<DecisionReply>; refused: (words: string) => void },
): void {
  const control = async (kind: Kind, input: ControlInput, bySignal = false): Promise<DecisionReply> => {
    const known = context();
    if (known === undefined) return { accepted: false, message: NOT_YET };
    const sender = await readSender(known, kind, input, { requesterToo: true });
    if ('refused' in sender) {
      // A message that waited for a worker has nobody left to answer.
      if (bySignal && input.proof !== undefined)
        acts.refused(`${actorName(input.actor)} asked to ${kind}, and was refused: ${sender.refused}`);
      return { accepted: false, message: sender.refused };
    }
    return acts[kind]({ actor: sender.actor, reason: input.reason });
  };
  setHandler(pauseUpgrade, (input) => control('pause', input));
  setHandler(resumeUpgrade, (input) => control('resume', input));
  setHandler(abortUpgrade, (input) => control('abort', input));
  setHandler(pauseRequested, async (input) => void (await control('pause', input, true)));
  setHandler(resumeRequested, async (input) => void (await control('resume', input, true)));
  setHandler(abortRequested, async (input) => void (await control('abort', input, true)));
  const handOver = async (input: HandOverInput): Promise<DecisionReply> => {
    const known = context();
    if (known === undefined) return { accepted: false, message: NOT_YET };
    const sender = await readSender(known, 'handover', input, { what: input.to.id, requesterToo: true });
    return 'refused' in sender ? { accepted: false, message: sender.refused } : await acts.handOver(sender.actor, input);
  };
  setHandler(handOverUpgrade, handOver);
  setHandler(handOverRequested, async (input) => void (await handOver(input)));
}
