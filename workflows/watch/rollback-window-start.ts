/** The run's side of the clock of a cluster's way back: says in its status until when its control plane can be taken back, and starts the clock. */
import { isCancellation, ParentClosePolicy, startChild } from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { PlannedStep, UpgradePlan } from '../../domain/plan/model/types.ts';
import { rollbackClosesAt } from '../../domain/facts/rollback-window.ts';
import { runData } from '../../domain/run/events/data.ts';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import { rollbackWindowId } from '../contract/ids.ts';
import { type ChildProgress, controlPlaneMoved, type RollbackWindowInput, WORKFLOWS } from '../contract/messages.ts';
import type { rollbackWindow } from './rollback-window.ts';
import { signalIfRunning } from '../runtime/signal-if-running.ts';
import type { PhaseResult } from '../contract/phase.ts';
import { defined } from '../../domain/core/defined.ts';

/** Whoever bakes for longer than this between two hops is reminded in between, too. */
const LONG_BAKE_MS = 24 * 3_600_000;

type WatchPolicy = RollbackWindowInput['policy'];

export class RollbackWindowStart {
  /** A hop that another was to follow soon. */
  #unwatched: RollbackWindowInput | undefined;
  /** An update of the control plane that EKS has begun and whose end is not known. */
  #update: { updateId: string; from: string; to: string } | undefined;
  /** The clock that an abort has kept from starting. */
  #cutOff: RollbackWindowInput | undefined;

  /** From the control plane's step. */
  hear({ update }: ChildProgress): void {
    if (update !== undefined) this.#update = update ?? undefined;
  }

  async after(
    { id, params }: PlannedStep,
    { movedAt }: PhaseResult,
    of: { status: UpgradeStatus; policy: WatchPolicy; plan: UpgradePlan },
  ): Promise<void> {
    const { status, policy, plan } = of;
    const { workflowId } = status;
    if (params.phase === 'control-plane-back') return await signalIfRunning(rollbackWindowId(workflowId), controlPlaneMoved, {});
    if (params.phase !== 'control-plane') return;
    this.#unwatched = inputOf(status, policy, params.to);
    this.#update = undefined;
    // It was there already: a retry has found it, or somebody else has moved it. The clock reads when.
    if (movedAt === undefined) return;
    status.takeBack = { to: params.from, until: rollbackClosesAt(movedAt) };
    const later = plan.steps.slice(plan.steps.findIndex((step) => step.id === id) + 1);
    const isFollowed = later.some(({ phase }) => phase === 'control-plane') && policy.timing.bakeMs < LONG_BAKE_MS;
    if (!isFollowed) await this.#start();
  }

  /** However the run ends. Does nothing where every hop is watched and no update is under way. */
  close({ policy, status }: { status: UpgradeStatus; policy: WatchPolicy | undefined }): Promise<void> {
    if (this.#cutOff !== undefined) this.#unwatched ??= this.#cutOff;
    const update = this.#update;
    if (update !== undefined && policy !== undefined) {
      const { updateId, from, to } = update;
      this.#unwatched = { ...(this.#unwatched ?? inputOf(status, policy, from)), pending: { updateId, to } };
    }
    return this.#start();
  }

  /** Outlives the run. */
  async #start(): Promise<void> {
    const input = this.#unwatched;
    if (input === undefined) return;
    this.#unwatched = undefined;
    const { cluster, upgrade, at } = input;
    const clock = rollbackWindowId(upgrade.workflowId);
    try {
      await startChild<typeof rollbackWindow>(WORKFLOWS.rollbackWindow, {
        workflowId: clock,
        args: [input],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: 'ABANDON',
        staticSummary: `${cluster.name}: rollback window of ${at}`,
        staticDetails: `EKS takes a control plane back for seven days. This clock tells the thread of ${upgrade.workflowId} before they are over, and then.`,
      });
    } catch (error) {
      if (isCancellation(error)) this.#cutOff = input;
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await signalIfRunning(clock, controlPlaneMoved, { up: input });
    }
  }
}

function inputOf(status: UpgradeStatus, policy: WatchPolicy, at: string): RollbackWindowInput {
  const { workflowId, runId, cluster } = status;
  const { channel, timing, windows, deliveries, temporalUi, environment } = policy;
  const upgrade = { workflowId, runId };
  const own = { channel, timing, ...defined({ windows }) };
  if (deliveries === undefined) return { cluster, upgrade, policy: own, at };
  return { cluster, upgrade, policy: { ...own, deliveries, ...defined({ temporalUi, environment }) }, run: runData(upgrade, status), at };
}
