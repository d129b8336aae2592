/** Installs gates in a workflow: the update, its durable fallback, deadline, reminder, withdrawal. The rules are domain/gate-reducer. */
import { condition, isCancellation, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import { ApplicationFailure, defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { AuditEvent } from '../domain/audit.ts';
import type { DecideGateInput, Decision, DecisionReply, GateDefinition, GateState } from '../domain/gate.ts';
import { expireGate, reduceDecision, validateDecision, withdrawGate } from '../domain/gate-reducer.ts';
import { rulesOf } from '../domain/approvals.ts';
import { phaseOf } from '../domain/phases.ts';
import type { ApprovalPolicy, UpgradePolicy } from '../domain/policy.ts';
import type { Announcer } from './announcer.ts';
import { gateAnswered, gateClosed, gateOpened } from './gate-audit.ts';
import { type ApprovalContext, readRight } from './approver-right.ts';
import { decideGate, gateDecision } from './messages.ts';

const waitingFor = defineSearchAttributeKey('BelayWaitingFor', SearchAttributeType.KEYWORD);

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

/** What the opener decides about a gate; the rest (times, quorum, revision) comes from policy. */
export type GateRequest = Omit<GateDefinition, 'openedAt' | 'expiresAt' | 'quorum' | 'rules' | 'planHash' | 'revision'> & {
  deadlineMs?: number;
  /** false: nobody is reminded before the deadline. */
  reminders?: boolean;
};

export class Gatekeeper {
  readonly #gates = new Map<string, GateState>();
  #context: GateContext | undefined;

  /** Before the first await of a workflow; `attach` follows when the policy is known. */
  install(): void {
    setHandler(decideGate, (input) => this.#decide(input), { validator: (input) => this.#validate(input) });
    setHandler(gateDecision, async (input) => {
      const why = validateDecision(this.#gates.get(input.gateId), input);
      if (why === undefined) await this.#decide(input);
    });
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
      quorum: rules.reduce((sum, { quorum }) => sum + quorum, 0),
      rules,
      planHash: context.planHash(),
      revision: 1,
      openedAt: new Date(openedAtMs).toISOString(),
      expiresAt: new Date(openedAtMs + deadlineMs).toISOString(),
    };
    this.#set({ kind: 'open', gate, votes: [], refused: [] });
    context.audit?.(gateOpened(gate));
    upsertSearchAttributes([{ key: waitingFor, value: gate.id }]);
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
      upsertSearchAttributes([{ key: waitingFor, value: null }]);
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
    const left = [...reminders];
    for (;;) {
      const leftMs = openedAtMs + deadlineMs - Date.now();
      if (leftMs <= 0) break;
      const nextMs = openedAtMs + (left.shift() ?? deadlineMs) - Date.now();
      const waitMs = Math.max(1, Math.min(leftMs, nextMs));
      if (await condition(closed, waitMs, { summary: waitMs === leftMs ? `Deadline of ${id}` : `Reminder for ${id}` })) break;
      if (openedAtMs + deadlineMs - Date.now() > 0) this.#announce(this.#state(id), true);
    }
    const why = until();
    const now = new Date().toISOString();
    if (why !== undefined) this.#set(withdrawGate(this.#state(id), now, why));
    else if (this.#state(id).kind === 'open') this.#set(expireGate(this.#state(id), now));
  }

  #validate(input: DecideGateInput): void {
    const why = validateDecision(this.#gates.get(input.gateId), input);
    if (why !== undefined) throw ApplicationFailure.nonRetryable(why, 'DecisionRefused');
  }

  async #decide(input: DecideGateInput): Promise<DecisionReply> {
    const context = this.#require();
    const decision: Decision = { ...input, at: new Date().toISOString() };
    const { gate } = this.#state(input.gateId);
    const right = await readRight(context, input.actor, 'Who may decide could not be read just now, so nothing was decided. Try again.', {
      phase: phaseOf(gate.step),
      escalated: isEscalated(context.policy.approvals, gate),
    });
    // The gate may have closed while membership was read: the reducer looks again.
    const { state, reply } = reduceDecision(this.#state(input.gateId), decision, right);
    if (state !== this.#gates.get(input.gateId)) this.#set(state);
    context.audit?.(gateAnswered(gate, decision, reply));
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
    const asked = [...rulesOf(approvals, phaseOf(state.gate.step)), ...(isEscalated(approvals, state.gate) ? [approvals.escalation] : [])];
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

/** In milliseconds from the opening; an escalation is a reminder, too. */
function reminderTimes(
  { timing: { gateReminders, gateReminderMs }, approvals: { escalation } }: UpgradePolicy,
  deadlineMs: number,
): number[] {
  if (gateReminders !== undefined) {
    const shares = new Set([...gateReminders, ...(escalation === undefined ? [] : [escalation.after])]);
    return [...shares].toSorted((a, b) => a - b).map((share) => share * deadlineMs);
  }
  // As runs did that were recorded with an interval: each reminder waits twice as long as the one before.
  const times: number[] = [];
  for (let step = gateReminderMs ?? deadlineMs, at = step; at < deadlineMs; at += step *= 2) times.push(at);
  return times;
}

function isEscalated({ escalation }: ApprovalPolicy, { openedAt, expiresAt }: GateDefinition): boolean {
  if (escalation === undefined) return false;
  const openedAtMs = Date.parse(openedAt);
  return Date.now() >= openedAtMs + escalation.after * (Date.parse(expiresAt) - openedAtMs);
}

/** Choices that recur. */
export const CHOICES = {
  approve: { id: 'approve', label: 'Approve', style: 'primary', needsQuorum: true, does: 'Goes on with what the gate describes.' },
  reject: {
    id: 'reject',
    label: 'Reject',
    style: 'danger',
    does: 'Stops the upgrade before this step. What was changed for the run is restored.',
  },
  retry: {
    id: 'retry',
    label: 'Retry',
    style: 'primary',
    does: 'Runs the step again from its beginning; what is done already is found and not done twice.',
  },
  skip: { id: 'skip', label: 'Skip', needsReason: true, does: 'Goes on without this step.' },
  abort: { id: 'abort', label: 'Abort', style: 'danger', does: 'Ends the upgrade here. What was changed for the run is restored.' },
} as const satisfies Record<string, GateDefinition['choices'][number]>;
