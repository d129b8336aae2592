/** Who gets a grant, and what is done with one: see activities/run/authorization/grants. */
import { Context } from '@temporalio/activity';
import { ApplicationFailure, defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import type { GrantedRun, Grants } from '../../../activities/run/authorization/grants.ts';
import type { StartLedger } from '../../../activities/run/authorization/start-ledger.ts';
import { GRANT_HEADER, runOf } from '../../../workflows/contract/ids.ts';
import { WORKFLOWS } from '../../../workflows/contract/messages.ts';

/** Runs that change something. */
const GRANTED: readonly string[] = [WORKFLOWS.upgrade, WORKFLOWS.reconcile, WORKFLOWS.campaign];
/** Executions whose parents a worker remembers. */
const REMEMBERED = 1_000;

type Execution = Pick<GrantedRun, 'workflowId' | 'runId'>;
type Info = Pick<Context['info'], 'workflowExecution' | 'workflowNamespace' | 'workflowType' | 'activityType' | 'isLocal'>;

/**
 * Who started an execution, as Temporal's server knows it: no worker and no client can say otherwise. Rejects where it cannot be read.
 */
export type ParentOf = (execution: Execution) => Promise<Execution | undefined>;

export async function parentIn(
  { workflowService }: Pick<NativeConnection, 'workflowService'>,
  namespace: string,
  execution: Execution,
): Promise<Execution | undefined> {
  const { workflowExecutionInfo } = await workflowService.describeWorkflowExecution({ namespace, execution });
  const { workflowId, runId } = workflowExecutionInfo?.parentExecution ?? {};
  return workflowId == null || runId == null ? undefined : { workflowId, runId };
}

/** The first run of an execution's chain, as Temporal's server knows it: a campaign goes on in one run after the other. */
export type FirstOf = (execution: Execution) => Promise<Execution | undefined>;

export async function firstIn(
  { workflowService }: Pick<NativeConnection, 'workflowService'>,
  namespace: string,
  execution: Execution,
): Promise<Execution | undefined> {
  const { workflowExecutionInfo } = await workflowService.describeWorkflowExecution({ namespace, execution });
  const runId = workflowExecutionInfo?.firstRunId;
  return runId == null || runId === '' ? undefined : { workflowId: execution.workflowId, runId };
}

/** Asks for each execution once. */
export function rememberingParents(parentOf: ParentOf): ParentOf {
  const known = new Map<string, Promise<Execution | undefined>>();
  return (execution) => {
    const key = `${execution.workflowId} ${execution.runId}`;
    const asked = known.get(key) ?? parentOf(execution);
    known.set(key, asked);
    asked.catch(() => known.delete(key));
    const [oldest] = known.keys();
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
    return asked;
  };
}

/**
 * For the run in which this activity runs. Local ones alone: they are done by the worker that runs the workflow's own code, whereas anybody's workflow
 * can have any other activity done by this worker.
 */
export function grantHere(grants: Grants, info: Info = Context.current().info): string | undefined {
  const run = runIn(info);
  return info.isLocal && run !== undefined && GRANTED.includes(run.workflowType) ? grants.make(run) : undefined;
}

/** For the run in which this activity runs, as a grant is: nobody else's workflow may use a start up. */
export async function takeStartHere(ledger: StartLedger, words: string, info: Info = Context.current().info): Promise<boolean> {
  const run = runIn(info);
  return info.isLocal && run !== undefined && (await ledger.take(words, run));
}

/** Throws where nothing shows that a run whose requester is proved asks for what the activity changes; resolves with that run. */
export async function requireGrant(
  info: Info,
  headers: Record<string, Payload>,
  { grants, parentOf, firstOf }: { grants: Grants; parentOf: ParentOf; firstOf: FirstOf },
): Promise<GrantedRun> {
  const here = runIn(info);
  const header = headers[GRANT_HEADER];
  if (here === undefined || header === undefined) throw refusal(info, 'it carries no grant');
  const granted = grants.read(String(defaultPayloadConverter.fromPayload(header)), { ...here, workflowId: runOf(here.workflowId) });
  if (granted === undefined || !GRANTED.includes(granted.workflowType))
    throw refusal(info, 'its grant is not of this cluster’s run, or no key of this worker made it');
  const run = here.workflowId === granted.workflowId ? await grantedIn(here, granted, firstOf) : await parentOf(here);
  if (run?.workflowId !== granted.workflowId || run.runId !== granted.runId)
    throw refusal(
      info,
      `its grant is of run ${granted.runId}, which has not started it; a run that was reset in Temporal changes nothing more`,
    );
  return granted;
}

/** A campaign's grant is of the first run of its chain: who starts one anew has another first run. */
async function grantedIn(here: GrantedRun, granted: GrantedRun, firstOf: FirstOf): Promise<Execution | undefined> {
  return here.workflowType === WORKFLOWS.campaign && here.runId !== granted.runId ? await firstOf(here) : here;
}

function runIn({ workflowExecution, workflowNamespace: namespace, workflowType }: Info): GrantedRun | undefined {
  if (workflowExecution === undefined || namespace === undefined || workflowType === undefined) return undefined;
  const { workflowId, runId } = workflowExecution;
  return { namespace, workflowId, runId, workflowType };
}

function refusal({ activityType, workflowExecution }: Info, why: string): ApplicationFailure {
  const from = workflowExecution?.workflowId ?? 'no workflow';
  return ApplicationFailure.nonRetryable(
    `${activityType} was refused in ${from}: ${why}. Start the upgrade in Slack or by belay.`,
    'AccessDenied',
  );
}
