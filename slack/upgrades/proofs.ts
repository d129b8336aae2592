/** Messages of the command line that carry who sent them: bound to what they say, to the workflow and to its run, and dead after a minute. */
import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { controlWords, decisionWords } from '../../domain/binding.ts';
import type { DecideGateInput } from '../../domain/gate.ts';
import { decisionId } from '../../workflows/ids.ts';
import type { ControlInput } from '../../workflows/messages.ts';
import { isNotFound, translate, within } from './calls.ts';
import type { ControlRequest, DecideRequest } from './types.ts';

const DESCRIBE_LIMIT_MS = 5_000;

/** Each command is a decision of its own: two people may share the operating-system user by whose name Temporal would take them for one. */
export async function decisionOf(workflowId: string, request: DecideRequest): Promise<DecideGateInput> {
  const { gateId, choice, actor, reason, revision, planHash, prove, run, breakGlass } = request;
  const said = { gateId, actor, choice, reason, planHash };
  if (prove === undefined) return { ...said, decisionId: decisionId(gateId, actor.id, choice, revision) };
  const input = {
    ...said,
    ...(breakGlass === true ? { breakGlass } : {}),
    run,
    decisionId: decisionId(gateId, `${actor.id}+${nonce()}`, choice, revision),
  };
  return { ...input, proof: await prove(decisionWords(workflowId, input)) };
}

/** `what`: what the command says beside its kind. */
export async function controlOf(
  client: Client,
  workflowId: string,
  request: ControlRequest,
  kind: string,
  what?: string,
): Promise<ControlInput> {
  const { actor, reason, prove } = request;
  if (prove === undefined) return { actor, reason };
  const input = { reason, run: request.run ?? (await runOf(client, workflowId)), nonce: nonce() };
  return { actor, ...input, proof: await prove(controlWords(kind, workflowId, { ...input, what })) };
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
  return randomBytes(6).toString('hex');
}
