/** The run's watch of the cluster's own state: one activity from the first step that is watched to the end, which ends only with news. */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { GateEvidence } from '../../domain/gates/gate.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { openTroubles, type TroubleNews, type TroubleState, WATCHED_PHASES } from '../../domain/health/cluster-trouble.ts';
import type { PhaseActivities } from '../runtime/activity-proxies.ts';
import {
  clusterUnwatched,
  newProblems,
  newsLimitReached,
  notSeen,
  openProblems,
  problemsResolved,
  watchEnded,
} from '../messages/cluster-watch.ts';
import { messageOf } from '../runtime/root-cause.ts';
import type { RunAudit } from '../reporting/audit/run-audit.ts';
import type { RunNotifier } from '../reporting/run-notifier.ts';

/** A cluster that has more to say, says the same again and again; a history has its limits. */
const MAX_NEWS = 40;
/** A report has to stay small. */
const MAX_RECORDED = 100;

interface TroubleWatchDeps {
  policy: UpgradePolicy;
  activities: PhaseActivities;
  voice: Pick<RunNotifier, 'note'>;
  audit: Pick<RunAudit, 'note'>;
}

export class ClusterWatch {
  readonly #deps: TroubleWatchDeps;
  readonly #said: NonNullable<UpgradeReport['watched']> = [];
  #scope: CancellationScope | undefined;
  #state: TroubleState | undefined;
  /** What is said of it once nobody looks any more. */
  #blind: string | undefined;
  /** The step that runs, or the last one that did. */
  #during = '';

  constructor(deps: TroubleWatchDeps) {
    this.#deps = deps;
  }

  /** For the record of the run. */
  get said(): NonNullable<UpgradeReport['watched']> {
    return this.#said;
  }

  /** Looks from the first step on that may bring trouble: what was there before it is not said. */
  begin({ phase, title }: PlannedStep): void {
    this.#during = title;
    if (this.#scope !== undefined || !WATCHED_PHASES.includes(phase)) return;
    this.#scope = new CancellationScope();
    void this.#scope
      .run(() => this.#keepLooking())
      .catch((error: unknown) => {
        if (!isCancellation(error)) this.#goBlind(messageOf(error));
      });
  }

  end(): void {
    this.#scope?.cancel();
  }

  /** One line, of what is not over now. */
  get worst(): string | undefined {
    return this.#problems[0];
  }

  get #problems(): string[] {
    const open = this.#state === undefined ? [] : openTroubles(this.#state);
    return [...(this.#blind === undefined ? [] : [this.#blind]), ...open];
  }

  /** What is not over, for the next gate. */
  evidence(): GateEvidence[] {
    const problems = this.#problems;
    return problems.length === 0 ? [] : [{ ...openProblems(problems), verdict: 'attention' }];
  }

  async #keepLooking(): Promise<void> {
    const { activities, policy } = this.#deps;
    const { cluster, timing } = policy;
    for (let told = 0; told < MAX_NEWS; told += 1) {
      const { state, news } = await activities.watch.watchCluster.executeWithOptions({ summary: `Watch the state of ${cluster.name}` }, [
        { cluster, timing, ...(this.#state === undefined ? {} : { state: this.#state }) },
      ]);
      this.#state = state;
      this.#tell(news);
    }
    this.#goBlind(newsLimitReached(MAX_NEWS));
  }

  #tell({ fresh, solved, unseen }: TroubleNews): void {
    const { voice } = this.#deps;
    const bad = [...fresh, ...unseen.map(notSeen)];
    if (bad.length > 0) voice.note(newProblems(this.#during, bad));
    if (solved.length > 0) voice.note(problemsResolved(solved));
    for (const what of [...bad, ...solved.map((title) => `Resolved: ${title}`)]) this.#record(what);
  }

  #goBlind(why: string): void {
    this.#blind = watchEnded(why);
    this.#deps.voice.note(clusterUnwatched(this.#blind));
    this.#record(this.#blind);
  }

  #record(what: string): void {
    if (this.#said.length >= MAX_RECORDED) return;
    const at = new Date().toISOString();
    this.#said.push({ at, what });
    this.#deps.audit.note({ id: `watch/${this.#said.length}`, at, kind: 'watch', what });
  }
}
