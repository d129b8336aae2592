/**
 * Messages that carry who sent them, bound to what they say, to the workflow and to its run, and taken once. The Slack process signs with its key; the
 * command line proves by AWS, for a minute.
 */
import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import {
  campaignText,
  controlText,
  decisionText,
  type MessageKind,
  type Prove,
  reconcileText,
  type Saying,
  startText,
} from '../../domain/gates/identity-proof.ts';
import type { DecideGateInput } from '../../domain/gates/gate.ts';
import { decisionId } from '../../workflows/contract/ids.ts';
import type { ControlInput, ReconcileInput, UpgradeInput } from '../../workflows/contract/messages.ts';
import type { Signed } from '../../domain/gates/signed-message.ts';
import { defined } from '../../domain/core/defined.ts';
import { type CampaignCommand, type CampaignInput, sayingOf } from '../../workflows/contract/campaign.ts';
import { type ProposalCommand, sayingOfProposal } from '../../workflows/contract/proposals.ts';
import { isNotFound, translate, within } from './temporal-calls.ts';
import type { ControlRequest, DecideRequest, UpgradesSettings } from './contract.ts';

const DESCRIBE_LIMIT_MS = 5_000;

type Signing = Pick<UpgradesSettings, 'prove'>;

/**
 * In Slack the same person's same press has one id, however often it is delivered. Each command of the command line is a decision of its own: two people
 * may share the operating-system user by whose name Temporal would take them for one.
 */
export async function decisionOf(client: Client, settings: Signing, workflowId: string, request: DecideRequest): Promise<DecideGateInput> {
  const { gateId, choice, actor, reason, revision, planHash, breakGlass, bundle } = request;
  const said = { gateId, actor, choice, reason, planHash, ...defined({ bundle }) };
  const prove = request.prove ?? settings.prove;
  if (prove === undefined) return { ...said, decisionId: decisionId(gateId, actor.id, choice, revision), run: request.run };
  const sender = request.prove === undefined ? actor.id : `${actor.id}+${nonce()}`;
  const input = {
    ...said,
    ...(breakGlass === true ? { breakGlass } : {}),
    run: request.run ?? (await runOf(client, workflowId)),
    at: request.at ?? new Date().toISOString(),
    decisionId: decisionId(gateId, sender, choice, revision),
  };
  return { ...input, proof: await prove(decisionText(workflowId, input)) };
}

/** `about`: what the command says beside its kind. */
export async function controlOf(
  client: Client,
  settings: Signing,
  workflowId: string,
  request: ControlRequest,
  kind: MessageKind,
  about: { gate?: string; what?: Saying['what'] } = {},
): Promise<ControlInput> {
  const { actor, reason } = request;
  const prove = request.prove ?? settings.prove;
  if (prove === undefined) return { actor, reason };
  const run = request.run ?? (await runOf(client, workflowId));
  const input = { actor, reason, run, at: new Date().toISOString(), id: request.requestId ?? nonce() };
  return { ...input, proof: await prove(controlText(kind, workflowId, input, about)) };
}

/** As other commands; what it says beside its kind is what the campaign checks. */
export async function campaignCommandOf(
  client: Client,
  settings: Signing,
  workflowId: string,
  {
    verb,
    actor,
    reason,
    retry,
    cluster,
    requestId,
    prove: own,
  }: Omit<CampaignCommand, keyof Signed> & { requestId?: string; prove?: Prove },
): Promise<CampaignCommand> {
  const said = { verb, actor, ...defined({ reason, retry, cluster }) };
  const prove = own ?? settings.prove;
  if (prove === undefined) return said;
  const input = { ...said, run: await runOf(client, workflowId), at: new Date().toISOString(), id: requestId ?? nonce() };
  return { ...input, proof: await prove(controlText('campaign', workflowId, input, { what: sayingOf(said) })) };
}

/** As other commands. */
export async function proposalCommandOf(
  client: Client,
  settings: Signing,
  workflowId: string,
  {
    verb,
    target,
    actor,
    reason,
    run,
    requestId,
    prove: own,
  }: Omit<ProposalCommand, 'proof' | 'at' | 'id'> & { requestId?: string; prove?: Prove },
): Promise<ProposalCommand> {
  const said = { verb, actor, ...defined({ target, reason }) };
  const prove = own ?? settings.prove;
  if (prove === undefined) return said;
  const input = { ...said, run: run ?? (await runOf(client, workflowId)), at: new Date().toISOString(), id: requestId ?? nonce() };
  return { ...input, proof: await prove(controlText('campaign', workflowId, input, { what: sayingOfProposal(said) })) };
}

/** Just before it is sent: the workflow compares the time with the moment at which Temporal starts it. */
export async function startOf(prove: Prove | undefined, workflowId: string, input: UpgradeInput): Promise<UpgradeInput> {
  if (prove === undefined) return input;
  const signed = { ...input, at: new Date().toISOString(), id: nonce() };
  return { ...signed, proof: await prove(startText(workflowId, signed)) };
}

/** As a start of one cluster. */
export async function campaignStartOf(prove: Prove | undefined, workflowId: string, input: CampaignInput): Promise<CampaignInput> {
  if (prove === undefined) return input;
  const signed = { ...input, at: new Date().toISOString(), id: nonce() };
  return { ...signed, proof: await prove(campaignText(workflowId, signed)) };
}

/** As a start. A look changes nothing, and proves nothing. */
export async function reconcileOf(prove: Prove | undefined, workflowId: string, input: ReconcileInput): Promise<ReconcileInput> {
  if (prove === undefined || !input.apply) return input;
  const signed = { ...input, at: new Date().toISOString(), id: nonce() };
  return { ...signed, proof: await prove(reconcileText(workflowId, signed)) };
}

/** undefined: there is no such workflow, which the message itself will hear. */
async function runOf(client: Client, workflowId: string): Promise<string | undefined> {
  try {
    return (await within(client, DESCRIBE_LIMIT_MS, () => client.workflow.getHandle(workflowId).describe())).runId;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw translate(client, error);
  }
}

function nonce(): string {
  return randomBytes(12).toString('hex');
}
