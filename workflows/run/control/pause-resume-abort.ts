/** Pause, resume, abort and handing over: open to approvers and to whoever asked for the run; each an update, and a signal for when no worker answers. */
import { condition, setHandler } from '@temporalio/workflow';
import { type DecisionReply, reasonProblem, unproven } from '../../../domain/gates/gate.ts';
import type { MessageKind, Saying } from '../../../domain/gates/identity-proof.ts';
import { defined } from '../../../domain/core/defined.ts';
import { type ApprovalContext, readSender } from '../../gates/authorize.ts';
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
} from '../../contract/messages.ts';
import { commandRefused, endedBeforePolicy } from '../../messages/commands.ts';
import type { Note } from '../../messages/note.ts';
import { REPEATED, UsedIds } from '../../runtime/messages/used-ids.ts';
import type { Actor } from '../../../domain/gates/actor.ts';

type Act = (input: Pick<ControlInput, 'actor' | 'reason'>) => DecisionReply;
type Kind = 'pause' | 'resume' | 'abort';

type Steer = Record<Kind, Act> & {
  handOver: (actor: Actor, input: HandOverInput) => Promise<DecisionReply>;
  /** A message that waited for a worker has nobody left to answer: said in the thread. */
  refused: (note: Note) => void;
  /** The run ends without having read its policy. */
  isOver: () => boolean;
};

/** `context`: undefined until the run has read its policy. `acts` are called for those who may. `told`: who was answered what. */
export function installControl(
  context: () => ApprovalContext | undefined,
  acts: Steer,
  told: (verb: string, input: Pick<ControlInput, 'actor' | 'reason'>, reply: DecisionReply) => void,
): void {
  const used = new UsedIds();
  let early: Promise<unknown> = Promise.resolve();
  /** What comes before the policy is there waits for it, and is then decided on one after the other. */
  const inTurn = async (decide: () => Promise<DecisionReply>): Promise<DecisionReply> => {
    if (context() !== undefined) return await decide();
    const turn = early.then(async () => {
      await condition(() => context() !== undefined || acts.isOver());
      return await decide();
    });
    early = turn.catch(() => undefined);
    return await turn;
  };
  const answer = async (
    verb: MessageKind,
    input: ControlInput,
    act: (actor: Actor) => DecisionReply | Promise<DecisionReply>,
    { what, knows = () => undefined }: { what?: Saying['what']; knows?: (sender: Actor) => void } = {},
  ) => {
    const known = context();
    const tooLong = reasonProblem(input.reason);
    if (known === undefined || tooLong !== undefined) {
      const reply = { accepted: false, message: tooLong ?? endedBeforePolicy() };
      told(verb, { actor: unproven(input.actor), reason: input.reason }, reply);
      return reply;
    }
    const { actor, refused, ask } = await readSender({ ...known, used }, verb, input, { requesterToo: true, what });
    knows(actor);
    const reply = refused === undefined ? await act(actor) : { accepted: false, message: refused, ...defined({ ask }) };
    told(verb, { actor, reason: input.reason }, reply);
    return reply;
  };
  const control = (kind: Kind, input: ControlInput, knows?: (sender: Actor) => void): Promise<DecisionReply> =>
    inTurn(() => answer(kind, input, (actor) => acts[kind]({ actor, reason: input.reason }), { knows }));
  const bySignal = async (kind: Kind, input: ControlInput): Promise<void> => {
    let sender: Actor = unproven(input.actor);
    const { accepted, message } = await control(kind, input, (actor) => (sender = actor));
    if (!accepted && input.proof !== undefined && message !== REPEATED) acts.refused(commandRefused(kind, sender, message));
  };
  const handOver = (input: HandOverInput): Promise<DecisionReply> =>
    inTurn(() =>
      answer('handover', input, (actor) => acts.handOver(actor, input), {
        what: { to: input.to.id, kind: input.to.kind, name: input.to.name },
      }),
    );
  setHandler(pauseUpgrade, (input) => control('pause', input));
  setHandler(resumeUpgrade, (input) => control('resume', input));
  setHandler(abortUpgrade, (input) => control('abort', input));
  setHandler(handOverUpgrade, handOver);
  setHandler(pauseRequested, (input) => bySignal('pause', input));
  setHandler(resumeRequested, (input) => bySignal('resume', input));
  setHandler(abortRequested, (input) => bySignal('abort', input));
  setHandler(handOverRequested, async (input) => void (await handOver(input)));
}
