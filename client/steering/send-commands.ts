/** Decisions and controls on their way to a workflow: an update where a worker answers, else the same payload as a signal. */
import { type Client, type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import type { SignalDefinition, UpdateDefinition } from '@temporalio/common';
import { SIGNATURE_SCHEME } from '../../domain/gates/identity-proof.ts';
import type { DecisionReply } from '../../domain/gates/gate.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import { clusterNameOf, gateOwner, upgradeWorkflowId } from '../../workflows/contract/ids.ts';
import {
  abortRequested,
  abortUpgrade,
  changePace,
  decideGate,
  type ExtendInput,
  extendGate,
  extendRequested,
  gateDecision,
  handOverRequested,
  handOverUpgrade,
  type HandOverInput,
  type PaceInput,
  paceRequested,
  pauseRequested,
  pauseUpgrade,
  resumeRequested,
  resumeUpgrade,
} from '../../workflows/contract/messages.ts';
import { campaignCommand, type CampaignCommand, campaignCommandSent } from '../../workflows/contract/campaign.ts';
import { proposalCommand, type ProposalCommand, proposalCommandSent } from '../../workflows/contract/proposals.ts';
import { isNotFound, rootMessage, translate, within } from '../calls/temporal-calls.ts';
import { forgottenRun, isForgotten } from './forgotten-run.ts';
import { controlOf, decisionOf } from '../calls/sign-commands.ts';
import type { Refusals } from './refused-attempts.ts';
import {
  type Answer,
  type ControlRequest,
  type DecideRequest,
  type ExtendRequest,
  type HandOverRequest,
  type PaceRequest,
  UpgradesError,
  type UpgradesSettings,
} from '../calls/contract.ts';
import { resolve } from '../starting/prepare-request.ts';
import { earlierRun, gateClosed, kept, keptBriefly, notAGate, notRunning, stillChecking, whichUpgrade } from '../calls/messages.ts';

const WORKER_LIMIT_MS = 2_000;
/** A worker that accepted may still have to ask Slack who is in a group. */
const OUTCOME_LIMIT_MS = 10_000;

/** With the limit above this stays under three seconds in all. */
const SIGNAL_LIMIT_MS = 700;

const CONTROLS = {
  pause: { update: pauseUpgrade, signal: pauseRequested },
  resume: { update: resumeUpgrade, signal: resumeRequested },
  abort: { update: abortUpgrade, signal: abortRequested },
} as const;

/** `refusals`: told what the gate's validator refuses, which leaves nothing in the history. */
export async function sendDecision(
  client: Client,
  settings: UpgradesSettings,
  refusals: Refusals,
  request: DecideRequest,
): Promise<Answer> {
  const { gateId, choice, actor, reason } = request;
  const workflowId = request.workflowId ?? gateWorkflow(upgradeOf(settings, request.cluster), gateId);
  const payload = await decisionOf(client, settings, workflowId, request);
  const refused = (error: WorkflowUpdateFailedError): void =>
    refusals.ofRun(workflowId, { actor, tried: 'decide', gate: gateId, choice, reason }, error);
  return await send(
    client,
    settings,
    { workflowId, run: request.run, updateId: payload.decisionId, gone: gateClosed(), refused },
    decideGate,
    gateDecision,
    payload,
  );
}

export async function sendControl(
  client: Client,
  settings: UpgradesSettings,
  kind: keyof typeof CONTROLS,
  request: ControlRequest,
): Promise<Answer> {
  const workflowId = request.workflowId ?? upgradeOf(settings, request.cluster);
  const { update, signal } = CONTROLS[kind];
  const payload = await controlOf(client, settings, workflowId, request, kind);
  const gone = noRun(workflowId, `nothing to ${kind}`);
  return await send(client, settings, { workflowId, run: request.run, updateId: updateIdOf(kind, request), gone }, update, signal, payload);
}

export async function sendPace(client: Client, settings: UpgradesSettings, request: PaceRequest): Promise<Answer> {
  const workflowId = request.workflowId ?? upgradeOf(settings, request.cluster);
  const payload: PaceInput = {
    ...(await controlOf(client, settings, workflowId, request, 'pace', { what: { pace: request.pace } })),
    pace: request.pace,
  };
  const envelope = { workflowId, run: request.run, updateId: updateIdOf('pace', request), gone: noRun(workflowId, 'no pace to change') };
  return await send(client, settings, envelope, changePace, paceRequested, payload);
}

export async function sendExtension(client: Client, settings: UpgradesSettings, request: ExtendRequest): Promise<Answer> {
  const { gateId, byMs } = request;
  const workflowId = request.workflowId ?? gateWorkflow(upgradeOf(settings, request.cluster), gateId);
  const about = { gate: gateId, what: { byMs } };
  const payload: ExtendInput = { ...(await controlOf(client, settings, workflowId, request, 'extend', about)), gateId, byMs };
  const envelope = { workflowId, run: request.run, updateId: updateIdOf('extend', request), gone: gateClosed() };
  return await send(client, settings, envelope, extendGate, extendRequested, payload);
}

export async function sendHandOver(client: Client, settings: UpgradesSettings, request: HandOverRequest): Promise<Answer> {
  const { to } = request;
  const workflowId = request.workflowId ?? upgradeOf(settings, request.cluster);
  const about = { what: { to: to.id, kind: to.kind, name: to.name } };
  const payload: HandOverInput = { ...(await controlOf(client, settings, workflowId, request, 'handover', about)), to };
  const envelope = {
    workflowId,
    run: request.run,
    updateId: updateIdOf('handover', request),
    gone: noRun(workflowId, 'nothing to hand over'),
  };
  return await send(client, settings, envelope, handOverUpgrade, handOverRequested, payload);
}

export async function sendCampaignCommand(
  client: Client,
  settings: UpgradesSettings,
  envelope: Pick<Envelope, 'workflowId' | 'run' | 'gone'>,
  payload: CampaignCommand,
): Promise<Answer> {
  const updateId = payload.id === undefined ? undefined : `campaign:${payload.actor.id}:${payload.id}`;
  return await send(client, settings, { ...envelope, updateId }, campaignCommand, campaignCommandSent, payload);
}

export async function sendProposalCommand(
  client: Client,
  settings: UpgradesSettings,
  envelope: Pick<Envelope, 'workflowId' | 'run' | 'gone'>,
  payload: ProposalCommand,
): Promise<Answer> {
  const updateId = payload.id === undefined ? undefined : `proposals:${payload.actor.id}:${payload.id}`;
  return await send(client, settings, { ...envelope, updateId }, proposalCommand, proposalCommandSent, payload);
}

/** The same command delivered twice is one update. */
const updateIdOf = (kind: string, { actor, requestId }: ControlRequest): string | undefined =>
  requestId === undefined ? undefined : `${kind}:${actor.id}:${requestId}`;

/** `without`: what there is not. */
const noRun = (workflowId: string, without: string): string => notRunning(clusterNameOf(workflowId) || workflowId, without);

interface Envelope {
  workflowId: string;
  run?: string;
  updateId?: string;
  /** Answer where the workflow has ended. */
  gone: string;
  /** Called where the update failed. */
  refused?: (error: WorkflowUpdateFailedError) => void;
}

async function send<Input extends { proof?: string }>(
  client: Client,
  settings: UpgradesSettings,
  { workflowId, run, updateId, gone, refused }: Envelope,
  update: UpdateDefinition<DecisionReply, [Input]>,
  signal: SignalDefinition<[Input]>,
  payload: Input,
): Promise<Answer> {
  const limitMs = settings.withinMs ?? WORKER_LIMIT_MS;
  const endMs = Date.now() + limitMs;
  const handle = client.workflow.getHandle(workflowId);
  const ended = (error: unknown): UpgradesError | undefined =>
    isNotFound(error) ? new UpgradesError('not-running', gone, { cause: error }) : undefined;
  if (run !== undefined) {
    const whose = await whoseIs(client, handle, run, limitMs);
    if (whose !== 'its' && (await isForgotten(client, workflowId, run))) throw await forgottenRun(client, settings, workflowId);
    if (whose === 'nobodys') throw new UpgradesError('not-running', gone);
    if (whose === 'anothers') return answered(false, earlierRun());
  }
  let accepted = false;
  try {
    const started = await within(client, Math.max(endMs - Date.now(), 100), () =>
      handle.startUpdate(update, { args: [payload], updateId, waitForStage: 'ACCEPTED' }),
    );
    accepted = true;
    return { reply: await within(client, OUTCOME_LIMIT_MS, () => started.result()), how: 'answered' };
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) {
      refused?.(error);
      return answered(false, rootMessage(error));
    }
    const over = ended(error);
    if (over !== undefined) throw over;
    if (accepted) return { reply: { accepted: true, message: stillChecking() }, how: 'kept' };
  }
  // No worker answered: the signal is stored by the server alone and means the same.
  try {
    await within(client, Math.min(limitMs, SIGNAL_LIMIT_MS), () => handle.signal(signal, payload));
    return { reply: { accepted: true, message: isLasting(payload.proof) ? kept() : keptBriefly() }, how: 'kept' };
  } catch (error) {
    throw ended(error) ?? translate(client, error);
  }
}

/** A signature of the Slack process holds for as long as the run does. */
const isLasting = (proof: string | undefined): boolean => proof === undefined || proof.startsWith(`${SIGNATURE_SCHEME}:`);

function answered(accepted: boolean, message: string): Answer {
  return { reply: { accepted, message }, how: 'answered' };
}

/** Is the workflow, or the parent that started it, the run that the button was made for? Ids of gates repeat from run to run. */
async function whoseIs(client: Client, handle: WorkflowHandle, run: string, limitMs: number): Promise<'its' | 'anothers' | 'nobodys'> {
  try {
    const description = await within(client, limitMs / 2, () => handle.describe());
    const info = description.raw.workflowExecutionInfo;
    const runs = [info?.firstRunId, description.runId, description.rootExecution?.runId, description.parentExecution?.runId];
    return runs.includes(run) ? 'its' : 'anothers';
  } catch (error) {
    if (isNotFound(error)) return 'nobodys';
    throw translate(client, error);
  }
}

function upgradeOf(settings: UpgradesSettings, cluster: string | undefined): string {
  if (cluster === undefined) throw new UpgradesError('invalid', whichUpgrade());
  return upgradeWorkflowId(resolve(settings, cluster));
}

function gateWorkflow(upgradeId: string, gate: string): string {
  try {
    return gateOwner(upgradeId, gate);
  } catch (error) {
    throw new UpgradesError('invalid', notAGate(messageOf(error)));
  }
}
