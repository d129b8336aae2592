/** What Belay proposes, through the Temporal client: listed, looked for, and dismissed. Slack actions and the CLI both call this. */
import type { Client } from '@temporalio/client';
import type { Actor } from '../../domain/gates/actor.ts';
import type { Prove } from '../../domain/gates/identity-proof.ts';
import { type ProposalCommand, PROPOSALS_WORKFLOW, type ProposalsStatus, proposalsStatus } from '../../workflows/contract/proposals.ts';
import type { Answer, UpgradesSettings } from '../calls/contract.ts';
import { noProposals } from '../calls/messages.ts';
import { ask } from '../reading/query-status.ts';
import { sendProposalCommand } from '../steering/send-commands.ts';
import { proposalCommandOf } from '../calls/sign-commands.ts';

export type { ProposalsStatus } from '../../workflows/contract/proposals.ts';

export interface ProposalRequest {
  actor: Actor;
  reason?: string;
  /** The same press or command has the same id. */
  requestId?: string;
  /** First run id of the workflow whose button was pressed. */
  run?: string;
  prove?: Prove;
}

/** Rejects with `UpgradesError` only; its message is for people. */
export interface Proposals {
  status(): Promise<ProposalsStatus>;
  /** Has Belay look at all clusters now; answers before it has. */
  look(request: ProposalRequest): Promise<Answer>;
  /** `target`: "1.35" */
  dismiss(request: ProposalRequest & { target: string }): Promise<Answer>;
}

export function createProposals(client: Client, settings: UpgradesSettings): Proposals {
  const send = async (verb: ProposalCommand['verb'], request: ProposalRequest & { target?: string }): Promise<Answer> => {
    const payload = await proposalCommandOf(client, settings, PROPOSALS_WORKFLOW, { ...request, verb });
    return await sendProposalCommand(client, settings, { workflowId: PROPOSALS_WORKFLOW, run: request.run, gone: noProposals() }, payload);
  };
  return {
    status: () => ask(client, { workflowId: PROPOSALS_WORKFLOW, gone: noProposals() }, proposalsStatus),
    look: (request) => send('look', request),
    dismiss: (request) => send('dismiss', request),
  };
}
