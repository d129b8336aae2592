/** Plans an upgrade without running it, and starts it once the plan stands. */
import { type Client, WorkflowExecutionAlreadyStartedError, type WorkflowHandle } from '@temporalio/client';
import type { PlanResult, RuleViolation } from '../../domain/plan/model/types.ts';
import type { PlanWindows } from '../../domain/policy/windows.ts';
import { planWorkflowId, upgradeWorkflowId } from '../../workflows/contract/ids.ts';
import { type UpgradeInput, WORKFLOWS } from '../../workflows/contract/messages.ts';
import { questionOf, summaryOf, wayOf } from './request-text.ts';
import { FIRST_TASK_MS, isTimeout, refuseWithoutWorker, rootMessage, SERVER_LIMIT_MS, translate, within } from '../calls/temporal-calls.ts';
import { startOf } from '../calls/sign-commands.ts';
import { alreadyRunning, refuseSecond } from './running-upgrade.ts';
import { searchAttributes, withKnownAttributes } from './start-attributes.ts';
import { type StartedUpgrade, UpgradesError, type UpgradesSettings } from '../calls/contract.ts';
import { type Asked, detailsOf, orInvalid, type Prepared, preparedFor } from './prepare-request.ts';
import { outsideWindow, planFailed, planTooSlow, refusedByRules } from '../calls/messages.ts';
import { count } from '../../domain/core/text.ts';

/** Thousands of nodes behind a busy API server take minutes; who asked is told at once that it is being read. */
const PLAN_LIMIT_MS = 10 * 60_000;
export async function planUpgrade(client: Client, settings: UpgradesSettings, request: Asked): Promise<PlanResult> {
  return await runPlan(client, settings, preparedFor(settings, request));
}

async function runPlan(client: Client, settings: UpgradesSettings, { input, taskQueue }: Prepared): Promise<PlanResult> {
  const limitMs = settings.planWithinMs ?? PLAN_LIMIT_MS;
  try {
    const handle = await within(client, Math.min(limitMs, SERVER_LIMIT_MS), () =>
      client.workflow.start<(input: UpgradeInput) => Promise<PlanResult>>(WORKFLOWS.plan, {
        // The same question asked twice shares one answer; another target or strategy is another question.
        workflowId: `${planWorkflowId(input.cluster)}/${questionOf(input)}`,
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowExecutionTimeout: limitMs,
        taskQueue,
        args: [input],
        staticSummary: `Plan ${input.cluster.name} ${wayOf(input)}`,
        staticDetails: detailsOf(input, 'Reads the cluster and makes a plan. Changes nothing.'),
      }),
    );
    return await planResult(client, handle, taskQueue, limitMs);
  } catch (error) {
    throw translate(client, error);
  }
}

export async function startUpgrade(client: Client, settings: UpgradesSettings, request: Asked): Promise<StartedUpgrade> {
  const prepared = preparedFor(settings, request);
  const { taskQueue } = prepared;
  let { input } = prepared;
  orInvalid(() => settings.checkStart?.(request.cluster));
  const workflowId = upgradeWorkflowId(input.cluster);
  await refuseSecond(client, settings, input.cluster);
  const result = await runPlan(client, settings, prepared);
  if (result.kind === 'refused') throw refused(input, result.violations);
  const { plan, windows, order, health } = result;
  // EKS has said by now which minor that is.
  if (input.back === true) input = { ...input, target: plan.to };
  if (windows !== undefined) refuseOutside(input, windows);
  // Signed only now: reading the cluster may take longer than a proof lives.
  const signed = await startOf(request.prove ?? settings.prove, workflowId, input);
  try {
    const handle = await withKnownAttributes(searchAttributes(input, settings.environmentOf?.(request.cluster)), (typedSearchAttributes) =>
      within(client, SERVER_LIMIT_MS, () =>
        client.workflow.start<(input: UpgradeInput) => Promise<unknown>>(WORKFLOWS.upgrade, {
          workflowId,
          workflowIdConflictPolicy: 'FAIL',
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          taskQueue,
          args: [signed],
          staticSummary: summaryOf(input, plan),
          staticDetails: detailsOf(input, `From ${plan.from} to ${plan.to}: ${count(plan.steps.length, 'step')}.`),
          typedSearchAttributes,
        }),
      ),
    );
    return { workflowId, runId: handle.firstExecutionRunId, plan, windows, order, health };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) throw await alreadyRunning(client, settings, input.cluster);
    throw translate(client, error);
  }
}

/** By policy; else the run waits at a gate. */
function refuseOutside({ cluster }: UpgradeInput, { verdict, outside }: PlanWindows): void {
  if (verdict.kind === 'open' || outside === 'queue') return;
  const opens = verdict.kind === 'closed' ? verdict.opensText : undefined;
  throw new UpgradesError('refused', outsideWindow(cluster.name, verdict.why, opens));
}

function refused(input: UpgradeInput, violations: RuleViolation[]): UpgradesError {
  return new UpgradesError('refused', refusedByRules(input.cluster.name, input, violations), { violations });
}

async function planResult(
  client: Client,
  handle: WorkflowHandle<(input: UpgradeInput) => Promise<PlanResult>>,
  taskQueue: string,
  limitMs: number,
): Promise<PlanResult> {
  const firstMs = Math.min(limitMs, FIRST_TASK_MS);
  for (const waitMs of [firstMs, limitMs - firstMs]) {
    try {
      if (waitMs > 0) return await within(client, waitMs, () => handle.result());
    } catch (error) {
      const description = await within(client, SERVER_LIMIT_MS, () => handle.describe());
      const ended = description.status.name !== 'RUNNING';
      if (ended && description.status.name !== 'TIMED_OUT' && !isTimeout(error)) {
        throw new UpgradesError('failed', planFailed(rootMessage(error)), { cause: error });
      }
      await refuseWithoutWorker(client, description, taskQueue);
      if (!isTimeout(error) && !ended) throw error;
    }
  }
  throw new UpgradesError('failed', planTooSlow(Math.round(limitMs / 1000), handle.workflowId));
}
