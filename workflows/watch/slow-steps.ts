/** Says once when a step is slower than usual, and once when it looks stuck: only where earlier upgrades say what is usual. */
import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';
import { lateAfterMs } from '../../domain/run/durations/late.ts';
import { waitedMs } from '../../domain/run/durations/waits.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { GateState } from '../../domain/gates/gate.ts';
import { gateStep } from '../contract/ids.ts';
import { maybeStuck, slowerThanUsual } from '../messages/cluster-watch.ts';
import type { Note } from '../messages/note.ts';
import type { RunNotifier } from '../reporting/run-notifier.ts';
import type { UpgradeProgress } from '../reporting/progress.ts';
import type { Late } from '../../domain/run/record/status.ts';

export class SlowSteps {
  readonly #progress: UpgradeProgress;
  readonly #voice: Pick<RunNotifier, 'note' | 'board'>;
  /** A Retry says nothing twice. */
  readonly #said = new Set<string>();

  constructor(progress: UpgradeProgress, voice: Pick<RunNotifier, 'note' | 'board'>) {
    this.#progress = progress;
    this.#voice = voice;
  }

  /** Until `work` ends. Without anything to compare with there is no timer, and no event in the history. */
  async during<T>(step: PlannedStep, { cluster, timing }: UpgradePolicy, work: () => Promise<T>): Promise<T> {
    const { usual } = step;
    if (usual === undefined) return await work();
    const limits = lateAfterMs(step.expectedMs, usual, timing.pollMaxMs);
    const scope = new CancellationScope();
    const watching = scope
      .run(() =>
        this.#watch(step, limits, (late, workedMs) =>
          late === 'slower' ? slowerThanUsual(step, workedMs) : maybeStuck(step, workedMs, cluster),
        ),
      )
      .catch((error: unknown) => {
        if (!isCancellation(error)) throw error;
      });
    try {
      return await work();
    } finally {
      scope.cancel();
      await watching;
    }
  }

  async #watch(step: PlannedStep, limits: Record<Late, number>, words: (late: Late, workedMs: number) => Note): Promise<void> {
    const fromMs = Date.now();
    for (const late of ['slower', 'stuck'] as const) {
      const workedMs = await this.#until(step, fromMs, limits[late]);
      // It is not the step that is slow where others have been asked to make the change.
      if (this.#progress.asked.all.some((asked) => asked.step === step.id)) return;
      this.#progress.late(step.id, late);
      const key = `${late} ${step.id}`;
      if (!this.#said.has(key)) this.#voice.note(words(late, workedMs));
      this.#said.add(key);
      this.#voice.board();
    }
  }

  /** Resolves once the step has worked for so long; waiting at its gates is not work. */
  async #until({ id, title }: PlannedStep, fromMs: number, limitMs: number): Promise<number> {
    for (;;) {
      await condition(() => this.#progress.status.gates.every((gate) => gateStep(gate.id) !== id));
      const toMs = Date.now();
      const { childGates, ownGates } = this.#progress;
      const gates = [...childGates, ...ownGates.filter(isHeld)].filter(({ gate }) => gate.step === id);
      const workedMs = toMs - fromMs - waitedMs(gates, { fromMs, toMs });
      if (workedMs >= limitMs) return workedMs;
      await sleep(limitMs - workedMs, { summary: `Until ${title} is slower than usual` });
    }
  }
}

/** The run's own gates beside a step: at one of a health check the roll is held, or the step has ended and waits; others let it go on meanwhile. */
const isHeld = ({ gate }: GateState): boolean => gate.id.startsWith('health:');
