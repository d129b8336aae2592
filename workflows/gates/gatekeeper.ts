/** Asks at gates and takes decisions: opening, voting, more time, withdrawal. The rules are domain/gates/gate-rules, the deadline is gate-clock. */
import { condition, isCancellation, setHandler, workflowInfo } from '@temporalio/workflow';
import { ApplicationFailure } from '@temporalio/common';
import { decisionText } from '../../domain/gates/identity-proof.ts';
import {
  type DecideGateInput,
  type Decision,
  type DecisionReply,
  type GateDefinition,
  type GateState,
  reasonProblem,
  unproven,
} from '../../domain/gates/gate.ts';
import {
  openGate,
  reduceBreakGlass,
  reduceDecision,
  reduceExtension,
  seenBefore,
  validateDecision,
  withdrawGate,
} from '../../domain/gates/gate-rules.ts';
import { phaseOf } from '../../domain/core/phases.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { otherRun, pressOf, readRight, readSender, senderIn } from './authorize.ts';
import { glassRight } from './break-glass.ts';
import { dropVotesOf, readVotesAgain } from './earlier-votes.ts';
import { GateClock } from './gate-clock.ts';
import { type GateRequest, gateOf } from './gate-request.ts';
import { type GateContext, GateStates } from './gate-states.ts';
import { forArrival } from './in-time.ts';
import { gateAnswered, gateClosed, gateExtended, gateOpened } from '../reporting/audit/gate-events.ts';
import { approversUnread, breakGlass, lateDecisionRefused, moreTimeGiven, noSuchGate, runStops } from '../messages/votes.ts';
import { isEscalated, reminderTimes } from './reminders.ts';
import { decideGate, type ExtendInput, extendGate, extendRequested, gateDecision, openGates } from '../contract/messages.ts';
import { setKeywords } from '../contract/search-attributes.ts';
import { defined } from '../../domain/core/defined.ts';
import { REPEATED, UsedIds } from '../runtime/messages/used-ids.ts';

export class Gatekeeper {
  readonly #states = new GateStates();
  readonly #clock = new GateClock(this.#states);
  readonly #used: UsedIds;
  /** Id of a gate. */
  #shown: string | null = null;

  /** `used`: where another run goes on from this one, or has gone before it. */
  constructor(used = new UsedIds()) {
    this.#used = used;
  }

  /**
   * Before the first await of a workflow; `attach` follows when the policy is known. `left`: the gate that the run before has left open, which `reopen`
   * brings back with it: what is decided there until then waits.
   */
  install(left?: string): void {
    const isEarly = ({ gateId }: DecideGateInput): boolean => gateId === left && this.#states.attached === undefined;
    const attached = async (): Promise<void> => await condition(() => this.#states.attached !== undefined);
    setHandler(
      decideGate,
      async (input) => {
        if (isEarly(input)) {
          await attached();
          this.#validate(input);
        }
        return await this.#decide(input);
      },
      {
        validator: (input) => {
          if (!isEarly(input)) this.#validate(input);
        },
      },
    );
    setHandler(gateDecision, async (input) => {
      if (isEarly(input)) await attached();
      const why = this.#whyNot(input);
      if (why === undefined) await this.#decide(input);
      else this.#tooLate(input, why);
    });
    setHandler(openGates, () => this.#openStates.map((state) => ({ workflowId: workflowInfo().workflowId, ...openGate(state) })));
    setHandler(extendGate, (input) => this.#extend(input));
    setHandler(extendRequested, async (input) => void (this.#states.find(input.gateId) !== undefined && (await this.#extend(input))));
  }

  attach(context: GateContext): void {
    this.#states.attached = context;
  }

  /** A gate that the run before has left open: people decide at it from now on, and `ask` takes it up. After `attach`. */
  reopen(state: GateState): void {
    this.#states.set(state);
  }

  get states(): GateState[] {
    return this.#states.all;
  }

  get open(): GateDefinition[] {
    return this.#openStates.map(({ gate }) => gate);
  }

  get #openStates(): Extract<GateState, { kind: 'open' }>[] {
    return this.states.filter((state) => state.kind === 'open');
  }

  /** Whoever asks for the run from now on has no vote at its gates. */
  dropVotesOf(person: Actor): void {
    dropVotesOf(this.#states, person);
  }

  /**
   * Opens a gate and waits for its outcome: decided, expired (never a yes), or withdrawn when `until` becomes true first.
   * A cancellation withdraws the gate and is thrown on. `carried`: it was opened, and voted at, in the run before; it may be decided by now.
   */
  async ask(
    request: GateRequest,
    until: () => string | undefined = () => undefined,
    carried?: GateState,
  ): Promise<Exclude<GateState, { kind: 'open' }>> {
    const states = this.#states;
    const { policy, audit, planHash } = states.context;
    const openedAtMs = carried === undefined ? Date.now() : Date.parse(carried.gate.openedAt);
    const deadlineMs =
      carried === undefined ? (request.deadlineMs ?? policy.timing.gateDeadlineMs) : Date.parse(carried.gate.expiresAt) - openedAtMs;
    const gate = carried?.gate ?? gateOf(request, { approvals: policy.approvals, planHash: planHash(), openedAtMs, deadlineMs });
    states.set(carried ?? { kind: 'open', gate, votes: [], refused: [] });
    if (carried === undefined) audit(gateOpened(gate));
    this.#show();
    try {
      const reminders = request.reminders === false ? [] : reminderTimes(policy, deadlineMs);
      await this.#clock.wait(gate.id, { openedAtMs, deadlineMs, reminders }, until);
    } catch (error) {
      if (isCancellation(error)) {
        const withdrawn = withdrawGate(states.of(gate.id), new Date().toISOString(), runStops());
        states.set(withdrawn);
        if (withdrawn.kind !== 'open') audit(gateClosed(withdrawn));
      }
      throw error;
    } finally {
      this.#show(gate.id);
    }
    const state = states.of(gate.id);
    if (state.kind === 'open') throw ApplicationFailure.nonRetryable(`closing gate ${gate.id}: it is still open`, 'Unknown');
    audit(gateClosed(state));
    return state;
  }

  /** By which gate the workflow is found in Temporal: one that somebody has to decide at, the oldest first. `ended`: not this one. */
  #show(ended?: string): void {
    const open = this.open.filter(({ id }) => id !== ended);
    const shown = (open.find(({ byItself }) => byItself !== true) ?? open[0])?.id ?? null;
    if (shown === this.#shown) return;
    this.#shown = shown;
    setKeywords(this.#states.context.policy, { BelayWaitingFor: shown });
  }

  #validate(input: DecideGateInput): void {
    const why = this.#whyNot(input);
    if (why !== undefined) throw ApplicationFailure.nonRetryable(why, 'DecisionRefused');
  }

  #whyNot(input: DecideGateInput): string | undefined {
    return otherRun(input) ?? validateDecision(this.#states.find(input.gateId), input);
  }

  /** A decision that waited for a worker has nobody left to answer: what it was refused is recorded, and said in the thread where it is of this run. */
  #tooLate(input: DecideGateInput, why: string): void {
    const { gateId: gate, decisionId, choice, reason, proof } = input;
    const actor = unproven(input.actor);
    const [id, at] = [`vote/${decisionId}/late`, new Date().toISOString()];
    const context = this.#states.attached;
    context?.audit({ id, at, kind: 'refused', what: `${choice} was refused: ${why}`, actor, gate, choice, reason });
    if (proof !== undefined && otherRun(input) === undefined) context?.announcer.note(lateDecisionRefused(choice, actor, why));
  }

  async #decide(input: DecideGateInput): Promise<DecisionReply> {
    const { context, inTime } = this.#states;
    const decidedAt = new Date().toISOString();
    const { proof, ...said } = input;
    const { gate } = this.#states.of(input.gateId);
    if (this.#used.has('decide', said.decisionId)) return this.#repeated(said, decidedAt);
    const arrival = inTime.begin(gate, input);
    try {
      const right = await readRight(context, input.actor, approversUnread(), {
        phase: phaseOf(gate.step),
        escalated: isEscalated(context.policy.approvals, gate),
        claim: { proof, words: decisionText(context.workflowId, said) },
        ...(said.breakGlass === true ? { as: 'break-glass' as const } : defined({ press: pressOf(said) })),
      });
      const decision: Decision = { ...said, actor: senderIn(right, said.actor), at: decidedAt };
      const isNew = proof === undefined || right.person === undefined || this.#used.take('decide', said.decisionId);
      if (!isNew) return this.#repeated(said, decidedAt);
      const unread = said.breakGlass === true ? undefined : await readVotesAgain(this.#states, decision, right, pressOf(said));
      // The gate may have closed while membership was read: the reducer looks again.
      const before = forArrival(this.#states.of(input.gateId), arrival);
      const { state, reply } =
        said.breakGlass === true
          ? reduceBreakGlass(before, decision, { ...glassRight(right), delayMs: context.policy.approvals.breakGlass?.delayMs })
          : reduceDecision(before, decision, unread === undefined ? right : { allowed: false, why: unread });
      if (state !== before) this.#states.set(state);
      if (said.breakGlass === true && state.votes !== before.votes) context.announcer.note(breakGlass(state, decision));
      context.audit(gateAnswered(gate, decision, reply, right));
      return reply;
    } finally {
      inTime.end(arrival);
    }
  }

  /** Answered as the first time where the gate still knows it, and counted no second time: a vote that was withdrawn stays so. */
  #repeated(input: Omit<DecideGateInput, 'proof'>, at: string): DecisionReply {
    const state = this.#states.of(input.gateId);
    const known = seenBefore(state, input.decisionId);
    if (known !== undefined) return known;
    const reply = { accepted: false, message: REPEATED };
    const said = { ...input, actor: unproven(input.actor), at };
    this.#states.context.audit(gateAnswered(state.gate, said, reply, { allowed: false, why: REPEATED }));
    return reply;
  }

  /** More time for an open gate; whoever may decide at it may, and whoever asked for the run. */
  async #extend(input: ExtendInput): Promise<DecisionReply> {
    const { context, inTime } = this.#states;
    const { gateId, byMs, reason } = input;
    const tooLong = reasonProblem(reason);
    if (tooLong !== undefined) return { accepted: false, message: tooLong };
    const about = { gate: gateId, what: { byMs }, requesterToo: true };
    const known = this.#states.find(gateId);
    const arrival = known === undefined ? undefined : inTime.begin(known.gate, input);
    try {
      const { actor, refused, ask } = await readSender({ ...context, used: this.#used }, 'extend', input, about);
      const found = this.#states.find(gateId);
      if (found === undefined) return { accepted: false, message: noSuchGate(gateId) };
      const state = arrival === undefined ? found : forArrival(found, arrival);
      const extension = { actor, byMs, reason, at: new Date().toISOString() };
      const { state: after, reply } =
        refused === undefined
          ? reduceExtension(state, extension)
          : { state, reply: { accepted: false, message: refused, ...defined({ ask }) } };
      context.audit(gateExtended(state.gate, extension, reply));
      if (after === state) return reply;
      const { openedAt, expiresAt, title } = after.gate;
      this.#clock.extend(gateId, Date.parse(expiresAt) - Date.parse(openedAt));
      this.#states.set(after);
      context.announcer.note(moreTimeGiven(actor, title, expiresAt, reason));
      return reply;
    } finally {
      if (arrival !== undefined) inTime.end(arrival);
    }
  }
}
