/** Names and shapes of what is sent to the workflow that proposes campaigns. Values and types only: client/ and worker/ import this too. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Actor } from '../../domain/gates/actor.ts';
import type { DecisionReply } from '../../domain/gates/gate.ts';
import type { Saying } from '../../domain/gates/identity-proof.ts';
import type { Signed } from '../../domain/gates/signed-message.ts';
import type { ProposalsState } from '../../domain/run/proposals/state.ts';

/** One for an installation: it knows what was proposed and dismissed. */
export const PROPOSALS_WORKFLOW = 'eks-proposals';
/** What is told of one target has a thread of its own. */
export const proposalThread = (about: string): string => `${PROPOSALS_WORKFLOW}/${about}`;

/** Of a workflow that goes on from another run of it; from anybody else it is not believed. */
export interface ProposalsInput {
  carried?: {
    state: ProposalsState;
    /** ISO 8601: the time for which the last look was due. */
    dueAt?: string;
    /** Somebody has asked for a look meanwhile. */
    wanted?: true;
  };
}

export interface ProposalCommand extends Signed {
  verb: 'look' | 'dismiss';
  /** With `dismiss`: "1.35". */
  target?: string;
  actor: Actor;
  reason?: string;
}

/** What a command says beside who sent it and why: its proof is bound to that, on both sides. */
export const sayingOfProposal = ({ verb, target }: Pick<ProposalCommand, 'verb' | 'target'>): Saying['what'] => ({ verb, target });

export interface ProposalsStatus {
  state: ProposalsState;
  /** ISO 8601; absent: proposals are off, or belay.yaml cannot be read. */
  nextAt?: string;
  /** Why belay.yaml cannot be read. */
  trouble?: string;
}

export const proposalCommand = defineUpdate<DecisionReply, [ProposalCommand]>('proposalCommand');
/** The durable fallback when no worker answers. */
export const proposalCommandSent = defineSignal<[ProposalCommand]>('proposalCommandSent');
/** A worker has started: belay.yaml may say something else. Says nothing that is believed. */
export const proposalsConfigured = defineSignal<[object]>('proposalsConfigured');
export const proposalsStatus = defineQuery<ProposalsStatus>('proposalsStatus');
