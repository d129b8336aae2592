/** The freeze's guard: lives as long as the freeze, repairs what GitOps reverts, paces on request, and settles it on every way out. */
import { CancellationScope, condition, isCancellation, setHandler, workflowInfo } from '@temporalio/workflow';
import type { FreezeMeans } from '../../domain/freeze.ts';
import type { PhaseActivities } from '../activity-proxies.ts';
import { areYouThere, freezeChanged, freezeTakenOver, setDriftPace, settleFreeze } from '../messages.ts';
import { asPhaseFailure, paramsOf, Phase, type PhaseInput, type PhaseResult } from '../phase.ts';
import { tellIfAlive } from '../tell-workflow.ts';
import { frozenWords, revertWords } from './freeze-words.ts';
import { AmiHold } from './ami-hold.ts';
import { NodeClassSwitches } from './node-class-switches.ts';
import { restoreBudgets } from './restore-budgets.ts';
import { keepFrozen, type KeptEnd, whyKeepFrozen } from './kept-freeze.ts';

export async function freezeDrift(input: PhaseInput): Promise<PhaseResult> {
  const guard = new FreezeGuard(new Phase(input));
  return guard.phase.run(() => guard.live());
}

class FreezeGuard {
  readonly phase: Phase;
  /** For what, and by which means: where those are not budgets alone the watcher keeps them up. */
  readonly #how: { reasons: string[]; means?: FreezeMeans; guard?: string };
  readonly #switches: NodeClassSwitches;
  readonly #hold: AmiHold;
  #nodes = '0';
  #pace: { nodes: string; replyTo: string } | undefined;
  #settle: { reason: string; lift: boolean; replyTo?: string } | undefined;
  #takenOverBy: string | undefined;
  #patrolScope = new CancellationScope();
  #over = false;
  #patrolling = false;
  /** Budgets are being changed on purpose: the patrol must not take that for a revert. */
  #changing = false;
  /** A watcher that keeps the pace up: what it does has ended before anything else is done. */
  #keeping: Promise<unknown> = Promise.resolve();
  /** A reverted freeze is being put back: nothing else touches the budgets before that is over. */
  #puttingBack: Promise<void> = Promise.resolve();
  #controlPlaneBefore = '';

  constructor(phase: Phase) {
    this.phase = phase;
    this.#switches = new NodeClassSwitches(phase);
    this.#hold = new AmiHold(phase);
    const reasons = phase.input.policy.karpenter.freezeReasons;
    const { means } = paramsOf(phase.input, 'freeze-drift');
    this.#how = means === undefined ? { reasons } : { reasons, means, guard: workflowInfo().workflowId };
    setHandler(setDriftPace, (pace) => void (this.#pace = pace));
    setHandler(settleFreeze, (settle) => void (this.#settle = settle));
    setHandler(areYouThere, () => undefined);
    setHandler(freezeTakenOver, ({ by }) => void (this.#takenOverBy = by));
  }

  async live(): Promise<PhaseResult> {
    const { phase } = this;
    try {
      await this.#freeze();
    } catch (error) {
      if (!isCancellation(error)) {
        await CancellationScope.nonCancellable(() => this.#undoHalf());
        throw asPhaseFailure(phase.input.step.title, error);
      }
      this.#settle = { reason: 'the run was cancelled or has ended', lift: false };
      return CancellationScope.nonCancellable(() => this.#end());
    }
    this.#startPatrol();
    try {
      await this.#obey();
    } catch {
      // A cancellation, or something unforeseen: either way the cluster decides whether the freeze may go.
      this.#settle = { reason: 'the run was cancelled or has ended', lift: false };
    }
    return CancellationScope.nonCancellable(() => this.#end());
  }

  /** Frozen halfway: put back what was changed, unless that would set nodes rolling that an earlier freeze has held. */
  async #undoHalf(): Promise<void> {
    const keepWhy = await whyKeepFrozen(this.phase, this.#controlPlaneBefore);
    if (keepWhy === undefined) return void (await this.#restore('the freeze could not be put in place', 'lifted'));
    this.phase.tell({ freeze: { state: 'kept', note: keepWhy } });
    this.phase.announcer.note(`NodePools that are frozen stay so, because ${keepWhy}. Retry freezes the others.`, {
      level: 'warning',
      broadcast: true,
    });
  }

  async #freeze(): Promise<void> {
    const { phase } = this;
    const skew = await phase.activities.survey.readSkew.executeWithOptions({ summary: 'Read versions before the freeze' }, [
      { cluster: phase.cluster },
    ]);
    this.#controlPlaneBefore = skew.controlPlane;
    const guard = workflowInfo().workflowId;
    // Cut off in the middle, some pools would be frozen with nobody to know: so it is finished, then settled.
    const frozen = await CancellationScope.nonCancellable(() =>
      phase.activities.quick.freezeDrift.executeWithOptions({ summary: 'Freeze drift on every NodePool' }, [
        { cluster: phase.cluster, guard, ...this.#how },
      ]),
    );
    for (const previous of frozen.previousGuards) {
      if (previous !== guard) await tellIfAlive(previous, freezeTakenOver, { by: guard });
    }
    const pools = frozen.pools.join(', ');
    if (this.#switches.any || this.#hold.any) {
      // Owners may take their time, and the freeze has to stand meanwhile.
      this.#startPatrol();
      await this.#hold.make();
      await this.#switches.make();
    }
    phase.tell({ state: 'completed', freeze: { state: 'frozen', note: pools }, note: `Frozen: ${pools}` });
    const { means } = this.#how;
    phase.announcer.note(
      means === undefined
        ? `Drift is frozen on NodePools ${pools}. Belay guards it every minute and restores the budgets exactly.`
        : frozenWords(frozen.pools, means),
    );
  }

  /** Waits for commands; returns when the freeze is to be settled. */
  async #obey(): Promise<void> {
    while (this.#settle === undefined && this.#takenOverBy === undefined) {
      await condition(() => this.#pace !== undefined || this.#settle !== undefined || this.#takenOverBy !== undefined);
      const pace = this.#pace;
      this.#pace = undefined;
      if (pace !== undefined) await this.#applyPace(pace.nodes, pace.replyTo);
    }
  }

  /** A pace that cannot be set is an answer, not the end of the guard: without it nobody would hold the budgets. */
  async #applyPace(nodes: string, replyTo: string): Promise<void> {
    const { phase } = this;
    this.#changing = true;
    await this.#endWatch();
    this.#nodes = nodes;
    let problem: string | undefined;
    try {
      const state = await CancellationScope.nonCancellable(() =>
        phase.activities.quick.setDriftPace.executeWithOptions({ summary: `Let drift replace ${nodes} nodes at a time` }, [
          { cluster: phase.cluster, nodes, ...this.#how },
        ]),
      );
      if (!state.intact) problem = `budgets of ${state.reverted.join(', ') || 'some NodePools'} do not say so`;
    } catch (error) {
      problem = asPhaseFailure('setting the budgets', error).message;
    }
    this.#changing = false;
    // A pace is told by the step that asked for it.
    if (nodes === '0') phase.tell({ freeze: { state: 'frozen', note: nodes } });
    await this.#reply(replyTo, { nodes, problem });
  }

  get #watcher(): PhaseActivities['watch'] {
    const { activities } = this.phase;
    return this.#how.means === undefined ? activities.watch : activities.keep;
  }

  #startPatrol(): void {
    if (this.#patrolling) return;
    this.#patrolling = true;
    void CancellationScope.nonCancellable(() => this.#patrol());
  }

  /** Looks all the time whether somebody reverted the freeze; repairs it and says so. */
  async #patrol(): Promise<void> {
    const { phase } = this;
    while (!this.#over) {
      await condition(() => !this.#changing || this.#over);
      if (this.#over) return;
      this.#patrolScope = new CancellationScope({ cancellable: true });
      try {
        const watch = this.#patrolScope.run(() =>
          this.#watcher.watchFreeze.executeWithOptions({ summary: `Guard: drift budget stays at ${this.#nodes}` }, [
            { ...phase.target, nodes: this.#nodes, ...this.#how },
          ]),
        );
        if (this.#how.means !== undefined) this.#keeping = watch.catch(() => undefined);
        const seen = await watch;
        if (this.#over || seen.intact) continue;
        phase.announcer.note(revertWords(seen), { level: 'alarm', broadcast: true });
        // What runs cannot be called back: whoever changes the budgets next waits for its end.
        const putBack = this.#putBack();
        this.#puttingBack = putBack.catch(() => undefined);
        await putBack;
      } catch (error) {
        // A watcher whose worker died while it was called back ends by its time-out.
        if (!isCancellation(error) && !this.#patrolScope.consideredCancelled) {
          phase.announcer.note(`The guard cannot look at the NodePools: ${asPhaseFailure('guarding', error).message}`, { level: 'alarm' });
          await condition(() => this.#over, phase.timing.freezeCheckMs, { summary: 'The guard looks again' });
        }
      }
    }
  }

  async #endWatch(): Promise<void> {
    this.#patrolScope.cancel();
    if (this.#how.means !== undefined) await this.#keeping;
    await this.#puttingBack;
  }

  async #putBack(): Promise<void> {
    const { phase } = this;
    await phase.activities.quick.freezeDrift.executeWithOptions({ summary: 'Put the freeze back' }, [
      { cluster: phase.cluster, guard: workflowInfo().workflowId, ...this.#how },
    ]);
    if (this.#nodes !== '0') {
      await phase.activities.quick.setDriftPace.executeWithOptions({ summary: 'Put the pace back' }, [
        { cluster: phase.cluster, nodes: this.#nodes, ...this.#how },
      ]);
    }
  }

  async #end(): Promise<PhaseResult> {
    const settle = this.#settle;
    if (this.#takenOverBy !== undefined || settle === undefined) return this.#leave(guardedBy(this.#takenOverBy ?? 'another run'));
    const keepWhy = settle.lift ? undefined : await whyKeepFrozen(this.phase, this.#controlPlaneBefore);
    if (keepWhy === undefined) {
      const summary = await this.#restore(settle.reason, settle.lift ? 'rolled' : 'lifted');
      await this.#reply(settle.replyTo, { settled: true, kept: false });
      return this.#leave(summary);
    }
    return this.#keep(keepWhy, settle.replyTo);
  }

  /** `held`: people chose that AMIs stay pinned. Where nodes have rolled, or are to, NodePools keep the classes that they were pointed at. */
  async #restore(reason: string, how: 'rolled' | 'lifted' | 'held', rolls = how === 'rolled'): Promise<string> {
    const { phase } = this;
    if (this.#hold.any) await this.#hold.settle(how);
    const inTheWay = this.#switches.any ? await this.#switches.settle(rolls) : undefined;
    if (inTheWay !== undefined) {
      phase.tell({ freeze: { state: 'not-restored', note: inTheWay } });
      return `budgets not restored: ${inTheWay}`;
    }
    this.#over = true;
    await this.#endWatch();
    return await restoreBudgets(phase, reason);
  }

  /** Says that it stays, and waits until people choose otherwise. */
  async #keep(why: string, replyTo: string | undefined): Promise<PhaseResult> {
    this.phase.tell({ freeze: { state: 'kept', note: `${why}${this.#hold.words === '' ? '' : `.${this.#hold.words}`}` } });
    await this.#reply(replyTo, { settled: true, kept: true, problem: why });
    const end = await keepFrozen(this.phase, why, () => this.#released());
    return this.#leave(end.kind === 'restore' ? await this.#restore(end.why, end.rolls ? 'lifted' : 'held', end.rolls) : guardedBy(end.by));
  }

  #released(): KeptEnd | undefined {
    if (this.#takenOverBy !== undefined) return { kind: 'taken-over', by: this.#takenOverBy };
    return this.#settle?.lift === true ? { kind: 'restore', why: this.#settle.reason, rolls: true } : undefined;
  }

  #leave(summary: string): PhaseResult {
    this.#over = true;
    this.#patrolScope.cancel();
    return { summary };
  }

  async #reply(to: string | undefined, message: { nodes?: string; settled?: boolean; kept?: boolean; problem?: string }): Promise<void> {
    if (to !== undefined) await tellIfAlive(to, freezeChanged, message);
  }
}

const guardedBy = (guard: string): string => `${guard} guards the freeze from now on`;
