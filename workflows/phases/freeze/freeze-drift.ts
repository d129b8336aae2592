/** The freeze's guard: lives as long as the freeze, repairs what GitOps reverts, paces on request, and settles it on every way out. */
import { CancellationScope, condition, isCancellation, setHandler, workflowInfo } from '@temporalio/workflow';
import { areYouThere, freezeChanged, freezeTakenOver, setDriftPace, settleFreeze } from '../../contract/messages.ts';
import { Phase } from '../base/phase.ts';
import { Heard } from '../../contract/stamp.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { isAlive, signalIfRunning } from '../../runtime/signal-if-running.ts';
import { driftNotStopped, driftStopped, freezeEnded, freezeIncomplete } from '../../messages/karpenter/freeze.ts';
import { FreezeBeginning } from './begin-freeze.ts';
import { AmiHold } from './ami-hold.ts';
import { type FreezeHow, freezeHow, FreezePatrol } from './freeze-patrol.ts';
import { NodeClassSwitches } from './node-class-switches.ts';
import { restoreBudgets } from './restore-budgets.ts';
import { guardedBy, keepFrozen, type KeptEnd, whyKeepFrozen } from './keep-frozen.ts';
import type { PhaseInput, PhaseResult } from '../../contract/phase.ts';

export async function freezeDrift(input: PhaseInput): Promise<PhaseResult> {
  const guard = new FreezeGuard(new Phase(input));
  return guard.phase.run(() => guard.live());
}

const ENDED = 'the run was cancelled or has ended';

class FreezeGuard {
  readonly phase: Phase;
  readonly #how: FreezeHow;
  readonly #patrol: FreezePatrol;
  readonly #switches: NodeClassSwitches;
  readonly #hold: AmiHold;
  #pace: { nodes: string; replyTo: string } | undefined;
  #settle: { reason: string; lift: boolean; replyTo?: string } | undefined;
  #takenOverBy: string | undefined;
  /** While the freeze is being made, which may wait for owners and people: a run that ends does not. */
  readonly #beginning = new FreezeBeginning();
  /** The freeze is being settled: nobody may let drift go on any more. */
  #ending: 'no' | 'settling' | 'restored' | 'over' = 'no';
  #controlPlaneBefore = '';

  constructor(phase: Phase) {
    this.phase = phase;
    this.#switches = new NodeClassSwitches(phase);
    this.#hold = new AmiHold(phase);
    this.#how = freezeHow(phase.input);
    this.#patrol = new FreezePatrol(phase, this.#how);
    const heard = new Heard();
    setHandler(
      setDriftPace,
      heard.only(setDriftPace, (pace) => void (this.#pace = pace)),
    );
    setHandler(
      settleFreeze,
      heard.only(settleFreeze, (settle) => {
        this.#settle = settle;
        this.#beginning.callOff();
      }),
    );
    setHandler(areYouThere, () => undefined);
    setHandler(
      freezeTakenOver,
      heard.only(freezeTakenOver, ({ by }) => void (this.#takenOverBy = by)),
    );
  }

  async live(): Promise<PhaseResult> {
    const { phase } = this;
    try {
      const before = (controlPlane: string): void => void (this.#controlPlaneBefore = controlPlane);
      const parts = { how: this.#how, patrol: this.#patrol, switches: this.#switches, hold: this.#hold, before };
      await this.#beginning.run(phase, parts);
    } catch (error) {
      if (phase.isAborting || !isCancellation(error)) {
        await CancellationScope.nonCancellable(() => this.#undoHalf());
        throw error;
      }
      this.#settle ??= { reason: ENDED, lift: false };
      return CancellationScope.nonCancellable(() => this.#end());
    }
    this.#patrol.start();
    try {
      await this.#obey();
    } catch (error) {
      // The run hears it only by this guard's end: its next guard adopts the freeze, and settles it with the run.
      if (phase.isAborting) throw await this.#patrol.end().then(() => error);
      // A cancellation, or something unforeseen: either way the cluster decides whether the freeze may go.
      this.#settle ??= { reason: ENDED, lift: false };
      return CancellationScope.nonCancellable(() => this.#endUnasked());
    }
    return CancellationScope.nonCancellable(() => this.#end());
  }

  /** Of a run that goes on, it has to know: nobody guards its freeze any more. */
  async #endUnasked(): Promise<PhaseResult> {
    const result = await this.#end();
    const { parent } = workflowInfo();
    return parent !== undefined && (await isAlive(parent.workflowId, parent.runId)) ? { ...result, unasked: true } : result;
  }

  /** Frozen halfway: put back what was changed, unless that would set nodes rolling that an earlier freeze has held. */
  async #undoHalf(): Promise<void> {
    const keepWhy = await this.#whyKeep();
    if (this.#patrol.replaced !== undefined) return;
    if (keepWhy === undefined) return void (await this.#restore('the freeze could not be put in place', 'lifted'));
    this.phase.tell({ freeze: { state: 'kept', note: keepWhy } });
    this.phase.announcer.note(freezeIncomplete(keepWhy));
  }

  /** Waits for commands; returns when the freeze is to be settled. */
  async #obey(): Promise<void> {
    const isOver = (): boolean => this.#settle !== undefined || this.#takenOverBy !== undefined || this.#patrol.replaced !== undefined;
    while (!isOver()) {
      await condition(() => this.#pace !== undefined || isOver());
      const pace = this.#pace;
      this.#pace = undefined;
      if (pace !== undefined) await this.#applyPace(pace.nodes, pace.replyTo);
    }
  }

  /** A pace that cannot be set is an answer, not the end of the guard: without it nobody would hold the budgets. */
  async #applyPace(nodes: string, replyTo: string): Promise<void> {
    const problem = await this.#patrol.set(nodes);
    // A pace is told by the step that asked for it.
    if (nodes === '0' && problem === undefined) this.phase.tell({ freeze: { state: 'frozen', note: nodes } });
    await this.#reply(replyTo, { nodes, problem });
  }

  async #end(): Promise<PhaseResult> {
    const settle = this.#settle;
    if (this.#patrol.replaced !== undefined) return await this.#forget(this.#patrol.replaced);
    if (this.#takenOverBy !== undefined || settle === undefined) return this.#leave(guardedBy(this.#takenOverBy ?? 'another run'));
    this.#ending = 'settling';
    void this.#answerPaces();
    if (settle.lift) return await this.#lift(settle.reason, true, settle.replyTo);
    // First of all, before anything is read or said: nodes go on being replaced meanwhile.
    const wasStopped = this.#patrol.isStopped;
    if (!wasStopped && !(await this.#stopDrift(settle.replyTo))) return await this.#released();
    const keepWhy = await this.#whyKeep();
    if (this.#patrol.replaced !== undefined) return await this.#forget(this.#patrol.replaced);
    if (keepWhy === undefined) return await this.#lift(settle.reason, false, settle.replyTo);
    // Budgets that others have edited a moment ago are not kept by saying so.
    if (wasStopped && !(await this.#stopDrift(settle.replyTo))) return await this.#released();
    return this.#keep(keepWhy, settle.replyTo);
  }

  async #whyKeep(): Promise<string | undefined> {
    try {
      return await whyKeepFrozen(this.phase, this.#controlPlaneBefore);
    } catch (error) {
      this.#patrol.forget(messageOf(error));
      return undefined;
    }
  }

  /** False: it could not be stopped before somebody else took the freeze over, or wants it lifted. */
  async #stopDrift(replyTo: string | undefined): Promise<boolean> {
    const { phase } = this;
    const problem = await this.#patrol.stop();
    if (problem === undefined) return true;
    if (this.#patrol.replaced !== undefined) return false;
    phase.tell({ freeze: { state: 'not-restored', note: `drift could not be stopped: ${problem}` } });
    phase.announcer.note(driftNotStopped(problem));
    await this.#reply(replyTo, { settled: true, kept: true, problem });
    if (!(await this.#patrol.recovered(() => this.#releasedBy() !== undefined))) return false;
    phase.announcer.note(driftStopped());
    return true;
  }

  /** The cluster that was frozen is gone: on the one that bears its name now nothing is changed. */
  async #forget(why: string): Promise<PhaseResult> {
    const { phase } = this;
    phase.tell({ freeze: { state: 'lifted', note: why } });
    phase.announcer.note(freezeEnded(why));
    const replyTo = this.#settle?.replyTo ?? this.#pace?.replyTo;
    await this.#reply(replyTo, { settled: true, kept: false });
    return this.#leave(why);
  }

  async #released(): Promise<PhaseResult> {
    const { replaced } = this.#patrol;
    if (replaced !== undefined) return await this.#forget(replaced);
    const by = this.#releasedBy();
    if (by?.kind === 'restore') return await this.#lift(by.why, true, undefined);
    return this.#leave(guardedBy(by?.kind === 'taken-over' ? by.by : 'another run'));
  }

  /** Steps that are being stopped ask for 0 while the freeze is settled: they are told what is so. Nobody may go faster any more. */
  async #answerPaces(): Promise<void> {
    for (;;) {
      await condition(() => this.#pace !== undefined || this.#ending === 'over');
      const pace = this.#pace;
      this.#pace = undefined;
      if (pace === undefined) return;
      const { nodes, replyTo } = pace;
      if (nodes !== '0') await this.#reply(replyTo, { nodes, problem: 'the freeze is being settled, so nothing may be replaced any more' });
      else await this.#answerStop(replyTo);
    }
  }

  /** The way out has begun with stopping drift: whoever asks for it waits for that, or for the end of the freeze. */
  async #answerStop(replyTo: string): Promise<void> {
    await condition(() => this.#patrol.isStopped || this.#patrol.problem !== undefined || this.#ending !== 'settling');
    if (this.#ending === 'settling') await this.#reply(replyTo, { nodes: '0', problem: this.#patrol.problem });
    else await this.#reply(replyTo, { settled: true, kept: false });
  }

  async #lift(reason: string, isAsked: boolean, replyTo: string | undefined): Promise<PhaseResult> {
    const summary = await this.#restore(reason, isAsked ? 'rolled' : 'lifted');
    await this.#reply(replyTo, { settled: true, kept: false });
    return this.#leave(summary);
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
    this.#ending = 'restored';
    await this.#patrol.end();
    return await restoreBudgets(phase, reason);
  }

  /** Says that it stays, and waits until people choose otherwise. */
  async #keep(why: string, replyTo: string | undefined): Promise<PhaseResult> {
    this.phase.tell({ freeze: { state: 'kept', note: `${why}${this.#hold.words === '' ? '' : `.${this.#hold.words}`}` } });
    await this.#reply(replyTo, { settled: true, kept: true, problem: why });
    const end = await keepFrozen(this.phase, why, () => this.#releasedBy());
    if (end.kind === 'gone') return await this.#forget(end.why);
    return this.#leave(end.kind === 'restore' ? await this.#restore(end.why, end.rolls ? 'lifted' : 'held', end.rolls) : guardedBy(end.by));
  }

  #releasedBy(): KeptEnd | undefined {
    if (this.#patrol.replaced !== undefined) return { kind: 'gone', why: this.#patrol.replaced };
    if (this.#takenOverBy !== undefined) return { kind: 'taken-over', by: this.#takenOverBy };
    return this.#settle?.lift === true ? { kind: 'restore', why: this.#settle.reason, rolls: true } : undefined;
  }

  #leave(summary: string): PhaseResult {
    this.#ending = 'over';
    this.#patrol.leave();
    return { summary };
  }

  async #reply(to: string | undefined, message: { nodes?: string; settled?: boolean; kept?: boolean; problem?: string }): Promise<void> {
    if (to !== undefined) await signalIfRunning(to, freezeChanged, message);
  }
}
