/** Decisions and controls on their way to a workflow: an update where a worker answers, else the same payload as a signal. */
import { type Client, type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import type { SignalDefinition, UpdateDefinition } from '@temporalio/common';
import type { DecideGateInput, DecisionReply } from '../../domain/gate.ts';
import { messageOf } from '../../domain/unknown.ts';
import { decisionId, gateOwner, upgradeWorkflowId } from '../../workflows/ids.ts';
import {
  abortRequested,
  abortUpgrade,
  changePace,
  type ControlInput,
  decideGate,
  gateDecision,
  type PaceInput,
  paceRequested,
  pauseRequested,
  pauseUpgrade,
  resumeRequested,
  resumeUpgrade,
} from '../../workflows/messages.ts';
import { isNotFound, rootMessage, translate, within } from './calls.ts';
import { resolve } from './planning.ts';
import type { Refusals } from './refusals.ts';
import { type Answer, type ControlRequest, type DecideRequest, type PaceRequest, UpgradesError, type UpgradesSettings } from './types.ts';

const WORKER_LIMIT_MS = 2_000;
/** A worker that accepted may still have to ask Slack who is in a group. */
const OUTCOME_LIMIT_MS = 10_000;

/** With the limit above this stays under three seconds in all. */
const SIGNAL_LIMIT_MS = 700;

const EARLIER_RUN = 'This button belongs to an earlier run that has ended, so nothing was changed.';
const KEPT = 'Recorded; it will be applied when a worker is back.';
const CHECKING = 'Recorded; Belay is still checking it and will show the outcome in the thread.';

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
  const { gateId, choice, actor, reason, revision, planHash } = request;
  const workflowId = request.workflowId ?? gateWorkflow(upgradeOf(settings, request.cluster), gateId);
  const payload: DecideGateInput = { gateId, decisionId: decisionId(gateId, actor.id, choice, revision), actor, choice, reason, planHash };
  const refused = (error: WorkflowUpdateFailedError): void =>
    refusals.ofRun(workflowId, { actor, tried: 'decide', gate: gateId, choice, reason }, error);
  const gone = `This gate is closed: its step has ended, so nothing was changed.`;
  return await send(
    client,
    settings,
    { workflowId, run: request.run, updateId: payload.decisionId, gone, refused },
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
  const payload: ControlInput = { actor: request.actor, reason: request.reason };
  const updateId = request.requestId === undefined ? undefined : `${kind}:${request.actor.id}:${request.requestId}`;
  const gone = `No upgrade of ${workflowId.split('/').at(-1)} is running, so there is nothing to ${kind}.`;
  return await send(client, settings, { workflowId, run: request.run, updateId, gone }, update, signal, payload);
}

export async function sendPace(client: Client, settings: UpgradesSettings, request: PaceRequest): Promise<Answer> {
  const workflowId = request.workflowId ?? upgradeOf(settings, request.cluster);
  const payload: PaceInput = { actor: request.actor, reason: request.reason, pace: request.pace };
  const updateId = request.requestId === undefined ? undefined : `pace:${request.actor.id}:${request.requestId}`;
  const gone = `No upgrade of ${workflowId.split('/').at(-1)} is running, so there is no pace to change.`;
  return await send(client, settings, { workflowId, run: request.run, updateId, gone }, changePace, paceRequested, payload);
}

interface Envelope {
  workflowId: string;
  run?: string;
  updateId?: string;
  /** Answer where the workflow has ended. */
  gone: string;
  /** Called where the update failed. */
  refused?: (error: WorkflowUpdateFailedError) => void;
}

async function send<Input>(
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
  try {
    if (run !== undefined && !(await belongsTo(client, handle, run, limitMs))) return answered(false, EARLIER_RUN);
  } catch (error) {
    throw ended(error) ?? translate(client, error);
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
    if (accepted) return { reply: { accepted: true, message: CHECKING }, how: 'kept' };
  }
  // No worker answered: the signal is stored by the server alone and means the same.
  try {
    await within(client, Math.min(limitMs, SIGNAL_LIMIT_MS), () => handle.signal(signal, payload));
    return { reply: { accepted: true, message: KEPT }, how: 'kept' };
  } catch (error) {
    throw ended(error) ?? translate(client, error);
  }
}

function answered(accepted: boolean, message: string): Answer {
  return { reply: { accepted, message }, how: 'answered' };
}

/** Is the workflow, or the parent that started it, the run that the button was made for? Ids of gates repeat from run to run. */
async function belongsTo(client: Client, handle: WorkflowHandle, run: string, limitMs: number): Promise<boolean> {
  const description = await within(client, limitMs / 2, () => handle.describe());
  const info = description.raw.workflowExecutionInfo;
  return [info?.firstRunId, description.runId, description.rootExecution?.runId, description.parentExecution?.runId].includes(run);
}

function upgradeOf(settings: UpgradesSettings, cluster: string | undefined): string {
  if (cluster === undefined) throw new UpgradesError('invalid', 'Name the cluster whose upgrade is meant.');
  return upgradeWorkflowId(resolve(settings, cluster));
}

function gateWorkflow(upgradeId: string, gate: string): string {
  try {
    return gateOwner(upgradeId, gate);
  } catch (error) {
    throw new UpgradesError('invalid', `${messageOf(error)}. The status lists the open gates.`);
  }
}
