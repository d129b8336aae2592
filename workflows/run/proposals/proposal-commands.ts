/** What people ask of proposals: to look now, and to dismiss one. Believed as every other command is. */
import { defined } from '../../../domain/core/defined.ts';
import { condition, setHandler } from '@temporalio/workflow';
import type { Actor } from '../../../domain/gates/actor.ts';
import type { DecisionReply } from '../../../domain/gates/gate.ts';
import { dismiss, type ProposalsState } from '../../../domain/run/proposals/state.ts';
import { type ProposalCommand, proposalCommand, proposalCommandSent, sayingOfProposal } from '../../contract/proposals.ts';
import { readSender } from '../../gates/authorize.ts';
import { dismissedBy, looking, proposalDismissed, proposalsOff, proposalsUnconfigured, whichTarget } from '../../messages/proposals.ts';
import { UsedIds } from '../../runtime/messages/used-ids.ts';
import type { ProposalSettings } from './look.ts';
import type { ProposalsVoice } from './proposals-voice.ts';

export interface ProposalsShared {
  settings: () => ProposalSettings | undefined;
  isLoaded: () => boolean;
  trouble: () => string | undefined;
  state: () => ProposalsState;
  use: (state: ProposalsState) => void;
  look: () => void;
  voice: ProposalsVoice;
}

/** Proposals are asked for by nobody, so that four eyes are no matter here. */
const NOBODY: Actor = { kind: 'slack', id: 'nobody' };

export class ProposalCommands {
  readonly #shared: ProposalsShared;
  readonly #used = new UsedIds();

  constructor(shared: ProposalsShared) {
    this.#shared = shared;
  }

  install(): void {
    setHandler(proposalCommand, (input) => this.#take(input));
    setHandler(proposalCommandSent, async (input) => void (await this.#take(input)));
  }

  async #take(input: ProposalCommand): Promise<DecisionReply> {
    const { settings, isLoaded, trouble, voice } = this.#shared;
    // Each run begins by reading belay.yaml, which ends one way or the other.
    await condition(isLoaded);
    const [policy, why] = [settings()?.policy, trouble()];
    if (policy === undefined) return refusedWith(why === undefined ? proposalsOff() : proposalsUnconfigured(why));
    const { verb, target, ...signed } = input;
    const context = { cluster: policy.cluster, policy, requestedBy: NOBODY, used: this.#used };
    // Whoever may start something may have Belay look; only approvers say for all that a version is not wanted.
    const { actor, refused, ask } = await readSender(context, 'campaign', signed, {
      what: sayingOfProposal(input),
      ...(verb === 'look' ? { as: 'requester' } : {}),
    });
    const reply = refused === undefined ? this.#apply(input, actor) : { ...refusedWith(refused), ...defined({ ask }) };
    voice.audit({
      id: `command/${verb}/${input.id ?? new Date().toISOString()}`,
      at: new Date().toISOString(),
      kind: reply.accepted ? 'command' : 'refused',
      what: reply.accepted && target !== undefined ? dismissedBy(actor, target) : `${verb}: ${reply.message}`,
      actor,
      ...(input.reason === undefined ? {} : { reason: input.reason }),
    });
    return reply;
  }

  #apply({ verb, target, reason }: ProposalCommand, actor: Actor): DecisionReply {
    const { state, use, look, voice } = this.#shared;
    if (verb === 'look') {
      look();
      return { accepted: true, message: looking() };
    }
    if (target === undefined) return refusedWith(whichTarget());
    const done = dismiss(state(), target, actor, new Date().toISOString(), reason);
    if ('refused' in done) return refusedWith(done.refused);
    use(done.state);
    voice.propose(done.known);
    return { accepted: true, message: proposalDismissed(target) };
  }
}

const refusedWith = (message: string): DecisionReply => ({ accepted: false, message });
