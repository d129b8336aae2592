/** The run's own account of itself: the steps' states, open gates, freeze, pause. Plain data and rules; the workflow only feeds it. */
import { type Ask, AskedChanges } from '../../domain/run/record/change-requests.ts';
import type { Usual } from '../../domain/plan/model/usual.ts';
import type { DecisionReply, GateState } from '../../domain/gates/gate.ts';
import { openGate } from '../../domain/gates/gate-rules.ts';
import type { PlanForecast } from '../../domain/plan/forecast/quoted.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import { isWorkedBeside, waitedMs } from '../../domain/run/durations/waits.ts';
import type { Late, StepState, StepView, UpgradeReport, UpgradeState, UpgradeStatus } from '../../domain/run/record/status.ts';
import type { ChildProgress, ControlInput, UpgradeInput } from '../contract/messages.ts';
import {
  abortAccepted,
  alreadyPaused,
  alreadyTheirs,
  handedOver,
  notPaused,
  pauseAccepted,
  resumed,
  upgradeOver,
} from '../messages/commands.ts';
import { planning } from '../messages/run.ts';
import { stepWorkflowId } from '../contract/ids.ts';
import { type Actor, isSamePerson } from '../../domain/gates/actor.ts';

export class UpgradeProgress {
  readonly status: UpgradeStatus;
  /** Set by abort: who and why. */
  abort: ControlInput | undefined;
  /** Closed gates of the steps' own workflows. */
  readonly childGates: GateState[] = [];
  /** Closed gates of the run itself. */
  readonly ownGates: GateState[] = [];
  /** The story is over; what is left is to restore, to record and to tell. */
  ending = false;
  rollbackPoint: UpgradeReport['rollbackPoint'];
  /** What the first gate said; absent where none was made. */
  forecast: PlanForecast | undefined;
  readonly notRestored: { what: string; why: string }[] = [];
  readonly asked = new AskedChanges();
  readonly #usual = new Map<string, Usual>();
  /** Told of each state that a step comes to. */
  onStep: ((step: string, state: StepState, note: string | undefined) => void) | undefined;

  constructor(input: UpgradeInput, workflow: { workflowId: string; runId: string; startedAt: Date }) {
    this.status = {
      workflowId: workflow.workflowId,
      runId: workflow.runId,
      cluster: input.cluster,
      to: input.target,
      state: 'planning',
      headline: planning(),
      requestedBy: input.requestedBy,
      startedAt: workflow.startedAt.toISOString(),
      steps: [],
      gates: [],
      freeze: { state: 'none' },
      pauseRequested: false,
      revision: 1,
      ...(input.campaign === undefined ? {} : { campaign: { name: input.campaign.name, ring: input.campaign.ring } }),
    };
  }

  usePlan(plan: UpgradePlan, forecast?: PlanForecast): void {
    this.forecast = forecast;
    this.status.from = plan.from;
    this.status.to = plan.to;
    this.status.planHash = plan.hash;
    if (plan.undoes !== undefined) this.status.undoes = plan.undoes.step;
    this.status.steps = plan.steps.map((step) => ({ id: step.id, title: step.title, state: 'planned', expectedMs: step.expectedMs }));
    for (const { id, usual } of plan.steps) if (usual !== undefined) this.#usual.set(id, usual);
    this.#changed();
  }

  say(state: UpgradeState, headline: string): void {
    this.status.state = state;
    this.status.headline = headline;
    this.#changed();
  }

  end(state: UpgradeState, headline: string, at: Date): void {
    this.status.endedAt = at.toISOString();
    this.status.pauseRequested = false;
    this.say(state, headline);
  }

  step(id: string, state: StepState, at: Date, note?: string, held?: StepView['held']): void {
    const view = this.#view(id);
    if (view === undefined) return;
    view.state = state;
    if (note !== undefined) view.note = note;
    if (held !== undefined) view.held = held;
    if (state === 'running') view.startedAt ??= at.toISOString();
    this.#compare(view);
    if (state === 'completed' || state === 'skipped' || state === 'failed' || state === 'aborted') view.endedAt = at.toISOString();
    else delete view.endedAt;
    this.onStep?.(id, state, note);
    this.#changed();
  }

  /** The step takes longer than it usually does. */
  late(id: string, late: Late): void {
    const view = this.#view(id);
    if (view === undefined) return;
    view.late = late;
    this.#changed();
  }

  /** What is usual stands beside the step under way alone: a status is sent often. */
  #compare(view: StepView): void {
    const usual = this.#usual.get(view.id);
    if (usual !== undefined && view.state === 'running') view.usual = usual;
    if (view.state === 'running' || view.state === 'waiting') return;
    delete view.usual;
    delete view.late;
  }

  gate(state: GateState): void {
    const { workflowId } = this.status;
    this.status.gates = this.status.gates.filter((known) => known.id !== state.gate.id);
    if (state.kind === 'open') this.status.gates.push({ workflowId, ...openGate(state) });
    else this.#close(this.ownGates, state);
    this.#changed();
  }

  /** A child's signal. The state of a finished step is the parent's to say, so late signals change only its note. */
  child(progress: ChildProgress, at: Date): void {
    const owner = stepWorkflowId(this.status.workflowId, progress.step);
    const view = this.#view(progress.step);
    if (view !== undefined && (view.state === 'running' || view.state === 'waiting')) {
      if (progress.state === 'running' || progress.state === 'waiting') view.state = progress.state;
    }
    if (view !== undefined && progress.note !== undefined) view.note = progress.note;
    if (view !== undefined && progress.rolled !== undefined) view.rolled = progress.rolled;
    const opened = progress.gateOpened;
    if (opened !== undefined)
      this.status.gates = [...this.status.gates.filter(({ id }) => id !== opened.id), { workflowId: owner, ...opened }];
    const closed = progress.gateClosed;
    if (closed !== undefined) {
      this.status.gates = this.status.gates.filter((gate) => gate.id !== closed.gate.id);
      this.#close(this.childGates, closed);
    }
    if (progress.freeze !== undefined) this.status.freeze = progress.freeze;
    for (const { ask, text } of askedIn(progress)) this.asked.add({ ...ask, text, step: progress.step, at: at.toISOString() });
    if (progress.notRestored !== undefined) this.notRestored.push(progress.notRestored);
    this.#changed();
  }

  #close(gates: GateState[], state: GateState): void {
    gates.push(state);
    const view = this.#view(state.gate.step);
    if (view?.startedAt === undefined) return;
    const own = [...this.childGates, ...this.ownGates].filter(({ gate }) => gate.step === view.id && !isWorkedBeside(gate.id));
    // All of them are closed.
    const ms = waitedMs(own, { fromMs: Date.parse(view.startedAt), toMs: Number.POSITIVE_INFINITY });
    if (ms > 0) view.waitedMs = ms;
  }

  /** `why`: one sentence; undefined: it waits for none any more. */
  waitForWorker(why: string | undefined): void {
    if (why === undefined) delete this.status.waitsForWorker;
    else this.status.waitsForWorker = why;
    this.#changed();
  }

  /** The control plane is to be rolled back once this run has ended. */
  wantBack(actor: Actor): void {
    this.status.goBack = actor;
    this.#changed();
  }

  requestPause(actor: Actor): DecisionReply {
    if (this.#over) return this.#overReply();
    if (this.status.pauseRequested) return { accepted: true, message: alreadyPaused() };
    this.status.pauseRequested = true;
    this.#changed();
    const { steps } = this.status;
    const running = steps.find((step) => step.state === 'running' || step.state === 'waiting');
    const next = steps.find((step) => step.state === 'planned');
    return { accepted: true, message: pauseAccepted(actor, { running: running?.title, next: next?.title }) };
  }

  requestResume(actor: Actor): DecisionReply {
    if (!this.status.pauseRequested) return { accepted: false, message: notPaused() };
    this.status.pauseRequested = false;
    this.#changed();
    return { accepted: true, message: resumed(actor) };
  }

  /** `to` asks for the run from now on; nothing is told to anybody here. */
  handOver(actor: Actor, to: Actor): { reply: DecisionReply; changed: boolean } {
    const { requestedBy, formerly = [] } = this.status;
    if (this.#over) return { reply: this.#overReply(), changed: false };
    if (isSamePerson(requestedBy, to)) return { reply: { accepted: true, message: alreadyTheirs(to) }, changed: false };
    this.status.requestedBy = to;
    this.status.formerly = [...formerly.filter((asker) => !isSamePerson(asker, to)), requestedBy];
    this.#changed();
    return { reply: { accepted: true, message: handedOver(to, actor) }, changed: true };
  }

  requestAbort(input: ControlInput): DecisionReply {
    if (this.#over) return this.#overReply();
    if (this.abort === undefined) this.abort = input;
    this.#changed();
    return { accepted: true, message: abortAccepted() };
  }

  get #over(): boolean {
    return this.ending || this.status.endedAt !== undefined;
  }

  #overReply(): DecisionReply {
    return { accepted: false, message: upgradeOver(this.status.headline, this.status.endedAt === undefined) };
  }

  #view(id: string): StepView | undefined {
    return this.status.steps.find((step) => step.id === id);
  }

  #changed(): void {
    this.status.revision += 1;
  }
}

/** In the notes that it tells people, or by themselves where there is nobody to tell. */
function askedIn({ say = [], asked = [] }: ChildProgress): { ask: Ask; text: string }[] {
  const told = say.flatMap(({ notification }) =>
    notification.kind === 'note' && notification.ask !== undefined ? [{ ask: notification.ask, text: notification.text }] : [],
  );
  return [...told, ...asked];
}
