/** Installs gates in a workflow: the update, its durable fallback, deadline, reminder, withdrawal. The rules are domain/gates/gate-rules. */
import { condition, isCancellation, setHandler } from '@temporalio/workflow';
import { ApplicationFailure } from '@temporalio/common';
import type { AuditEvent } from '../../domain/gates/audit.ts';
import { decisionText } from '../../domain/gates/identity-proof.ts';
import { needsQuorum } from '../../domain/gates/choices.ts';
import {
  type DecideGateInput,
  type Decision,
  type DecisionReply,
  type GateChoice,
  type GateDefinition,
  type GateState,
  reasonProblem,
  unproven,
} from '../../domain/gates/gate.ts';
import {
  breakGlassNow,
  dropVote,
  expireGate,
  reduceBreakGlass,
  reduceDecision,
  reduceExtension,
  seenBefore,
  validateDecision,
  withdrawGate,
} from '../../domain/gates/gate-rules.ts';
import { type ApproverRight, rulesOf } from '../../domain/gates/approvals.ts';
import { phaseOf } from '../../domain/core/phases.ts';
import type { Announcer } from '../reporting/announcer.ts';
import { type ApprovalContext, otherRun, readRight, readSender, senderIn } from './authorize.ts';
import { glassRight, glassWords } from './break-glass.ts';
import { gateAnswered, gateClosed, gateExtended, gateOpened } from '../audit/gate-events.ts';
import { isEscalated, reminderTimes } from './reminders.ts';
import { GO_BACK } from './rollback-choice.ts';
import { decideGate, type ExtendInput, extendGate, extendRequested, gateDecision } from '../contract/messages.ts';
import { setKeywords } from '../contract/search-attributes.ts';
import { REPEATED, UsedIds } from '../runtime/messages/used-ids.ts';
import { type Actor, actorName, isSamePerson } from '../../domain/gates/actor.ts';

const UNREAD = 'Whether those who voted before still may decide could not be read just now, so nothing was decided. Try again.';

export interface GateContext extends ApprovalContext {
  workflowId: string;
  announcer: Announcer;
  /** Of the plan that gates are about, once there is one. */
  planHash: () => string | undefined;
  /** Told at each opening and closing, for boards and Temporal UI. */
  onChange: (state: GateState) => void;
  /** Told what people are asked, decide and are refused, where the run keeps an audit record. */
  audit?: (event: AuditEvent) => void;
}

/** Whether it needs the gate's rules is not the opener's to say. */
export type GateOffer = Omit<GateChoice, 'needsQuorum'>;

/** What the opener decides about a gate; the rest (times, quorum, revision) comes from policy. */
export type GateRequest = Omit<GateDefinition, 'openedAt' | 'expiresAt' | 'quorum' | 'rules' | 'planHash' | 'revision' | 'choices'> & {
  choices: GateOffer[];
  deadlineMs?: number;
  /** false: nobody is reminded before the deadline. */
  reminders?: boolean;
};

export class Gatekeeper {
  readonly #gates = new Map<string, GateState>();
  /** Life of gates that were given more time, from their opening. */
  readonly #extendedMs = new Map<string, number>();
  readonly #used = new UsedIds();
  #context: GateContext | undefined;

  /** Before the first await of a workflow; `attach` follows when the policy is known. */
  install(): void {
    setHandler(decideGate, (input) => this.#decide(input), { validator: (input) => this.#validate(input) });
    setHandler(gateDecision, async (input) => {
      const why = this.#whyNot(input);
      if (why === undefined) await this.#decide(input);
      else this.#tooLate(input, why);
    });
    setHandler(extendGate, (input) => this.#extend(input));
    setHandler(extendRequested, async (input) => void (this.#gates.has(input.gateId) && (await this.#extend(input))));
  }

  attach(context: GateContext): void {
    this.#context = context;
  }

  get states(): GateState[] {
    return [...this.#gates.values()];
  }

  get open(): GateDefinition[] {
    return this.states.filter((state) => state.kind === 'open').map((state) => state.gate);
  }

  /**
   * Opens a gate and waits for its outcome: decided, expired (never a yes), or withdrawn when `until` becomes true first.
   * A cancellation withdraws the gate and is thrown on.
   */
  async ask(request: GateRequest, until: () => string | undefined = () => undefined): Promise<Exclude<GateState, { kind: 'open' }>> {
    const context = this.#require();
    const { timing, approvals } = context.policy;
    const openedAtMs = Date.now();
    const deadlineMs = request.deadlineMs ?? timing.gateDeadlineMs;
    const { deadlineMs: _deadline, reminders = true, ...rest } = request;
    const rules = rulesOf(approvals, phaseOf(request.step)).map(({ name, quorum }) => ({ name, quorum }));
    const gate: GateDefinition = {
      ...rest,
      choices: rest.choices.map((choice) => ({
        ...choice,
        needsQuorum: needsQuorum(choice.id, approvals),
        ...(approvals.reasonsFor?.includes(kindOf(choice.id)) === true ? { needsReason: true } : {}),
      })),
      quorum: rules.reduce((sum, { quorum }) => sum + quorum, 0),
      rules,
      planHash: context.planHash(),
      revision: 1,
      openedAt: new Date(openedAtMs).toISOString(),
      expiresAt: new Date(openedAtMs + deadlineMs).toISOString(),
    };
    this.#set({ kind: 'open', gate, votes: [], refused: [] });
    context.audit?.(gateOpened(gate));
    setKeywords(context.policy, { BelayWaitingFor: gate.id });
    try {
      await this.#wait(gate.id, { openedAtMs, deadlineMs, reminders: reminders ? reminderTimes(context.policy, deadlineMs) : [] }, until);
    } catch (error) {
      if (isCancellation(error)) {
        const withdrawn = withdrawGate(this.#state(gate.id), new Date().toISOString(), 'the run is being stopped');
        this.#set(withdrawn);
        if (withdrawn.kind !== 'open') context.audit?.(gateClosed(withdrawn));
      }
      throw error;
    } finally {
      setKeywords(context.policy, { BelayWaitingFor: null });
    }
    const state = this.#state(gate.id);
    if (state.kind !== 'open') context.audit?.(gateClosed(state));
    if (state.kind === 'open') throw ApplicationFailure.nonRetryable(`closing gate ${gate.id}: it is still open`, 'Unknown');
    return state;
  }

  async #wait(
    id: string,
    { openedAtMs, deadlineMs, reminders }: { openedAtMs: number; deadlineMs: number; reminders: readonly number[] },
    until: () => string | undefined,
  ): Promise<void> {
    const closed = (): boolean => this.#state(id).kind !== 'open' || until() !== undefined;
    let left = [...reminders];
    let lifeMs = deadlineMs;
    for (;;) {
      const leftMs = openedAtMs + lifeMs - Date.now();
      if (leftMs <= 0) break;
      const nextMs = openedAtMs + (left[0] ?? lifeMs) - Date.now();
      const glassAt = this.#state(id).gate.glass?.at;
      const glassMs = glassAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(glassAt) - Date.now();
      if (glassMs <= 0 && this.#breakGlass(id)) break;
      const waitMs = Math.max(1, Math.min(leftMs, nextMs, glassMs > 0 ? glassMs : leftMs));
      const extendedMs = (): number => this.#extendedMs.get(id) ?? deadlineMs;
      const isOtherGlass = (): boolean => this.#state(id).gate.glass?.at !== glassAt;
      const woken = await condition(() => closed() || extendedMs() !== lifeMs || isOtherGlass(), waitMs, {
        summary: waitMs === leftMs ? `Deadline of ${id}` : waitMs === glassMs ? `Break-glass at ${id}` : `Reminder for ${id}`,
      });
      if (woken && closed()) break;
      if (extendedMs() !== lifeMs) {
        lifeMs = extendedMs();
        const goneMs = Date.now() - openedAtMs;
        left = reminders.length === 0 ? [] : reminderTimes(this.#require().policy, lifeMs).filter((atMs) => atMs > goneMs);
      } else if (left[0] !== undefined && Date.now() - openedAtMs >= left[0]) {
        left.shift();
        if (openedAtMs + lifeMs - Date.now() > 0) this.#announce(this.#state(id), true);
      }
    }
    const why = until();
    const now = new Date().toISOString();
    if (why !== undefined) this.#set(withdrawGate(this.#state(id), now, why));
    else if (this.#state(id).kind === 'open') this.#set(expireGate(this.#state(id), now));
  }

  /** The delay is over, and nobody has rejected it. */
  #breakGlass(id: string): boolean {
    const before = this.#state(id);
    const state = breakGlassNow(before, Date.now());
    if (state === before || state.kind !== 'decided') return false;
    this.#set(state);
    this.#require().announcer.note(glassWords(state, state.decision), { level: 'alarm', broadcast: true });
    return true;
  }

  #validate(input: DecideGateInput): void {
    const why = this.#whyNot(input);
    if (why !== undefined) throw ApplicationFailure.nonRetryable(why, 'DecisionRefused');
  }

  #whyNot(input: DecideGateInput): string | undefined {
    return otherRun(input) ?? validateDecision(this.#gates.get(input.gateId), input);
  }

  /** A decision that waited for a worker has nobody left to answer: what it was refused is recorded, and said in the thread where it is of this run. */
  #tooLate(input: DecideGateInput, why: string): void {
    const { gateId: gate, decisionId, choice, reason, proof } = input;
    const actor = unproven(input.actor);
    const [id, at] = [`vote/${decisionId}/late`, new Date().toISOString()];
    this.#context?.audit?.({ id, at, kind: 'refused', what: `${choice} was refused: ${why}`, actor, gate, choice, reason });
    if (proof !== undefined && otherRun(input) === undefined)
      this.#context?.announcer.note(`"${choice}" by ${actorName(actor)} arrived late and was refused: ${why}`, { level: 'warning' });
  }

  async #decide(input: DecideGateInput): Promise<DecisionReply> {
    const context = this.#require();
    const decidedAt = new Date().toISOString();
    const { proof, ...said } = input;
    const { gate } = this.#state(input.gateId);
    if (this.#used.has('decide', said.decisionId)) return this.#repeated(said, decidedAt);
    const right = await readRight(context, input.actor, 'Who may decide could not be read just now, so nothing was decided. Try again.', {
      phase: phaseOf(gate.step),
      escalated: isEscalated(context.policy.approvals, gate),
      claim: { proof, words: decisionText(context.workflowId, said) },
      ...(said.breakGlass === true ? { as: 'break-glass' as const } : {}),
    });
    const decision: Decision = { ...said, actor: senderIn(right, said.actor), at: decidedAt };
    const isNew = proof === undefined || right.person === undefined || this.#used.take('decide', said.decisionId);
    if (!isNew) return this.#repeated(said, decidedAt);
    const unread = said.breakGlass === true ? undefined : await this.#voteAgain(decision, right);
    // The gate may have closed while membership was read: the reducer looks again.
    const before = this.#state(input.gateId);
    const { state, reply } =
      said.breakGlass === true
        ? reduceBreakGlass(before, decision, { ...glassRight(right), delayMs: context.policy.approvals.breakGlass?.delayMs })
        : reduceDecision(before, decision, unread === undefined ? right : { allowed: false, why: unread });
    if (state !== before) this.#set(state);
    if (said.breakGlass === true && state.votes !== before.votes)
      context.announcer.note(glassWords(state, decision), { level: 'alarm', broadcast: true });
    context.audit?.(gateAnswered(gate, decision, reply, right));
    return reply;
  }

  /**
   * Votes age: where this decision would close the gate with the help of earlier ones, their givers' rights are read again, and what no longer counts is
   * dropped. Why nothing can be decided now, where that cannot be read.
   */
  async #voteAgain(decision: Decision, right: ApproverRight): Promise<string | undefined> {
    const context = this.#require();
    const before = this.#state(decision.gateId);
    const { state } = reduceDecision(before, decision, right);
    if (before.kind !== 'open' || state.kind !== 'decided') return undefined;
    const { gate } = before;
    const helping = before.votes.filter(
      ({ choice, actor, breakGlass }) => choice === decision.choice && breakGlass !== true && !isSamePerson(actor, decision.actor),
    );
    for (const vote of helping) {
      const now = await readRight(context, vote.actor, UNREAD, {
        as: 'voter',
        claim: { words: '' },
        phase: phaseOf(gate.step),
        escalated: isEscalated(context.policy.approvals, gate),
      });
      if (now.unread === true || now.why === UNREAD) return UNREAD;
      if (!now.allowed) this.#drop(gate.id, vote, now.why);
    }
    return undefined;
  }

  #drop(gateId: string, vote: Decision, why: string): void {
    const state = this.#state(gateId);
    const dropped = dropVote(state, vote);
    if (dropped === state) return;
    const { announcer, audit } = this.#require();
    this.#set(dropped);
    const reply = { accepted: false, message: `the vote of ${actorName(vote.actor)} no longer counts: ${why}` };
    audit?.(gateAnswered(state.gate, { ...vote, at: new Date().toISOString() }, reply, { allowed: false, why }));
    announcer.note(`The vote of ${actorName(vote.actor)} at "${state.gate.title}" no longer counts: ${why}`, { level: 'warning' });
  }

  /** Whoever asks for the run from now on has no vote at its gates. */
  dropVotesOf(person: Actor): void {
    if (this.#context?.policy.approvals.allowRequester !== false) return;
    for (const { kind, votes, gate } of this.states)
      for (const vote of kind === 'open' ? votes : [])
        if (isSamePerson(vote.actor, person)) this.#drop(gate.id, vote, 'the upgrade was handed over to them.');
  }

  /** Answered as the first time where the gate still knows it, and counted no second time: a vote that was withdrawn stays so. */
  #repeated(input: Omit<DecideGateInput, 'proof'>, at: string): DecisionReply {
    const state = this.#state(input.gateId);
    const known = seenBefore(state, input.decisionId);
    const reply = known ?? { accepted: false, message: REPEATED };
    if (known === undefined)
      this.#require().audit?.(
        gateAnswered(state.gate, { ...input, actor: unproven(input.actor), at }, reply, { allowed: false, why: REPEATED }),
      );
    return reply;
  }

  /** More time for an open gate; whoever may decide at it may, and whoever asked for the run. */
  async #extend(input: ExtendInput): Promise<DecisionReply> {
    const context = this.#require();
    const { gateId, byMs, reason } = input;
    const tooLong = reasonProblem(reason);
    if (tooLong !== undefined) return { accepted: false, message: tooLong };
    const about = { gate: gateId, what: { byMs }, requesterToo: true };
    const { actor, refused } = await readSender({ ...context, used: this.#used }, 'extend', input, about);
    const state = this.#gates.get(gateId);
    if (state === undefined) return { accepted: false, message: `There is no gate ${gateId} here; it may belong to an earlier run.` };
    const extension = { actor, byMs, reason, at: new Date().toISOString() };
    const { state: after, reply } =
      refused === undefined ? reduceExtension(state, extension) : { state, reply: { accepted: false, message: refused } };
    context.audit?.(gateExtended(state.gate, extension, reply));
    if (after === state) return reply;
    const { openedAt, expiresAt, title } = after.gate;
    this.#extendedMs.set(gateId, Date.parse(expiresAt) - Date.parse(openedAt));
    this.#set(after);
    const why = reason === undefined ? '' : `: ${reason}`;
    context.announcer.note(`${actorName(actor)} gives "${title}" more time, until ${expiresAt}${why}`);
    return reply;
  }

  #set(state: GateState): void {
    this.#gates.set(state.gate.id, state);
    this.#announce(state, false);
    this.#require().onChange(state);
  }

  #announce(state: GateState, reminder: boolean): void {
    const context = this.#require();
    const { approvals } = context.policy;
    const rules = state.gate.byItself === true ? [] : rulesOf(approvals, phaseOf(state.gate.step));
    const asked = [...rules, ...(isEscalated(approvals, state.gate) ? [approvals.escalation] : [])];
    const mention = {
      users: [...new Set(asked.flatMap((each) => each?.users ?? []))],
      groups: [...new Set(asked.flatMap((each) => each?.groups ?? []))],
    };
    context.announcer.say(`gate/${state.gate.id}`, {
      kind: 'gate',
      state,
      workflowId: context.workflowId,
      revision: state.gate.revision,
      mention,
      reminder,
    });
  }

  #state(id: string): GateState {
    const state = this.#gates.get(id);
    if (state === undefined) throw ApplicationFailure.nonRetryable(`reading gate ${id}: there is none`, 'Unknown');
    return state;
  }

  #require(): GateContext {
    if (this.#context === undefined)
      throw ApplicationFailure.nonRetryable('The run has not read its policy yet; try again in a moment.', 'DecisionRefused');
    return this.#context;
  }
}

/** An abort that goes back is an abort. */
const kindOf = (choice: string): string => (choice === GO_BACK ? 'abort' : choice);
