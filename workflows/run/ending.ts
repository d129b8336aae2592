/** Every way in which a run ends: as an outcome with a headline, then freeze settled, record written, people told. */
import { allHandlersFinished, CancelledFailure, CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import { ApplicationFailure } from '@temporalio/common';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import type { RunAudit } from '../reporting/audit/run-audit.ts';
import type { Gatekeeper } from '../gates/gatekeeper.ts';
import { runAborted, runCancelled, runCompleted } from '../messages/run.ts';
import type { UpgradeProgress } from '../reporting/progress.ts';
import type { RunNotifier } from '../reporting/run-notifier.ts';
import { lookAtMerges, makeReport, mergeQuestions, reportOf, writeRecord } from '../reporting/run-report.ts';
import type { PhaseActivities } from '../runtime/activity-proxies.ts';
import { asPhaseFailure } from '../runtime/phase-failure.ts';
import { StopRun } from '../runtime/stop-run.ts';
import type { RollbackWindowStart } from '../watch/rollback-window-start.ts';
import type { FreezeHold } from './freeze-guard.ts';
import { whyStillFrozen } from './still-frozen.ts';

/** How far the run had come: what it never read is absent. */
export interface EndedRun {
  cluster: ClusterRef;
  policy: UpgradePolicy | undefined;
  activities: PhaseActivities | undefined;
  plan: UpgradePlan | undefined;
  freeze: FreezeHold;
  gates: Gatekeeper;
  audit: RunAudit;
  wayBack: RollbackWindowStart;
  /** What was wrong with the cluster meanwhile. */
  watched: UpgradeReport['watched'];
  /** Nothing of the run waits for a worker of its network any more. */
  unwatch: () => void;
  /** Nobody is proved to have asked for it: it leaves no record that others would take for the cluster's last run. */
  isForged: boolean;
}

export class Ending {
  readonly #progress: UpgradeProgress;
  readonly #voice: RunNotifier;
  #outcome: UpgradeReport['outcome'] = 'completed';
  #cancelled = false;

  constructor(progress: UpgradeProgress, voice: RunNotifier) {
    this.#progress = progress;
    this.#voice = voice;
  }

  /** Runs the story; whatever ends it becomes an outcome. */
  async after(story: () => Promise<void>): Promise<void> {
    try {
      await story();
      this.#end('completed', runCompleted(this.#progress.status, this.#progress.abort !== undefined));
    } catch (error) {
      if (error instanceof StopRun) return this.#end(error.outcome, error.message);
      if (this.#progress.abort !== undefined) {
        const { actor, reason } = this.#progress.abort;
        return this.#end('aborted', runAborted(actor, reason));
      }
      if (isCancellation(error)) {
        this.#cancelled = true;
        return this.#end('aborted', runCancelled());
      }
      this.#end('failed', asPhaseFailure('Upgrade', error).message);
    }
  }

  #end(outcome: UpgradeReport['outcome'], headline: string): void {
    this.#outcome = outcome;
    this.#progress.ending = true;
    this.#voice.say(outcome === 'completed' ? 'running' : 'waiting', headline);
  }

  /** One way out for every ending. Throws for a run that was cancelled or has failed, as Temporal UI shows it then. */
  async close(run: EndedRun): Promise<UpgradeReport> {
    const report = await CancellationScope.nonCancellable(() => this.#close(run));
    if (this.#cancelled) throw new CancelledFailure(report.status.headline);
    if (report.outcome === 'failed')
      throw ApplicationFailure.create({ message: report.status.headline, type: 'UpgradeFailed', nonRetryable: true, details: [report] });
    return report;
  }

  async #close({
    cluster,
    policy,
    activities,
    plan,
    freeze,
    gates,
    audit,
    wayBack,
    watched,
    unwatch,
    isForged,
  }: EndedRun): Promise<UpgradeReport> {
    const { status, asked, forecast } = this.#progress;
    const freezeProblem =
      policy === undefined || activities === undefined
        ? undefined
        : await freeze.settle(status.headline, policy.timing, () => whyStillFrozen(activities, cluster));
    this.#progress.end(this.#outcome, status.headline, new Date());
    const report = makeReport(this.#progress, { outcome: this.#outcome, gates: gates.states, freezeProblem, watched });
    await wayBack.close({ status, policy });
    await audit.close(report);
    this.#voice.report = report;
    if (activities !== undefined) {
      const changed = mergeQuestions(report, plan, asked.all);
      if (changed.length > 0) report.merges = await lookAtMerges(activities, cluster, changed);
      const also = {
        ...(asked.all.length === 0 ? {} : { asked: asked.all }),
        ...(forecast?.kind === 'made' ? { forecast } : {}),
      };
      if (!isForged) await writeRecord(activities, { cluster, report, plan, ...also });
    }
    unwatch();
    this.#voice.board();
    this.#voice.tell('report', reportOf(report, plan, asked.all));
    await this.#voice.finish();
    await condition(allHandlersFinished);
    return report;
  }
}
