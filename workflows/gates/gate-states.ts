/** The gates of a workflow and their states: every change is announced to approvers and told to the workflow. */
import { ApplicationFailure } from '@temporalio/common';
import type { AuditEvent } from '../../domain/gates/audit.ts';
import { rulesOf } from '../../domain/gates/approvals.ts';
import type { GateState } from '../../domain/gates/gate.ts';
import { phaseOf } from '../../domain/core/phases.ts';
import { policyUnread } from '../messages/votes.ts';
import type { Announcer } from '../reporting/announcer.ts';
import type { ApprovalContext } from './authorize.ts';
import { InTime } from './in-time.ts';
import { isEscalated } from './reminders.ts';

export interface GateContext extends ApprovalContext {
  workflowId: string;
  announcer: Announcer;
  /** Of the plan that gates are about, once there is one. */
  planHash: () => string | undefined;
  /** Told at each opening and closing, for boards and Temporal UI. */
  onChange: (state: GateState) => void;
  /** Told what people are asked, decide and are refused. */
  audit: (event: AuditEvent) => void;
}

export class GateStates {
  readonly #gates = new Map<string, GateState>();
  readonly inTime = new InTime();
  /** undefined until the policy has been read. */
  attached: GateContext | undefined;

  get all(): GateState[] {
    return [...this.#gates.values()];
  }

  find(id: string): GateState | undefined {
    return this.#gates.get(id);
  }

  /** Throws for a gate that was never opened. */
  of(id: string): GateState {
    const state = this.#gates.get(id);
    if (state === undefined) throw ApplicationFailure.nonRetryable(`reading gate ${id}: there is none`, 'Unknown');
    return state;
  }

  /** Throws before the policy has been read. */
  get context(): GateContext {
    if (this.attached === undefined) throw ApplicationFailure.nonRetryable(policyUnread(), 'DecisionRefused');
    return this.attached;
  }

  set(state: GateState): void {
    this.#gates.set(state.gate.id, state);
    this.announce(state, false);
    this.context.onChange(state);
  }

  announce(state: GateState, reminder: boolean): void {
    const { announcer, policy, workflowId, requestedBy, formerly = [] } = this.context;
    const { approvals } = policy;
    const rules = state.gate.byItself === true ? [] : rulesOf(approvals, phaseOf(state.gate.step));
    const asked = [...rules, ...(isEscalated(approvals, state.gate) ? [approvals.escalation] : [])];
    const mention = {
      users: [...new Set(asked.flatMap((each) => each?.users ?? []))],
      groups: [...new Set(asked.flatMap((each) => each?.groups ?? []))],
    };
    const askers = approvals.allowRequester ? [] : [requestedBy, ...formerly];
    const except = askers.filter(({ kind }) => kind === 'slack').map(({ id }) => id);
    announcer.say(`gate/${state.gate.id}`, {
      kind: 'gate',
      state,
      workflowId,
      revision: state.gate.revision,
      mention,
      ...(asked.length === 0 ? {} : { voters: { ...mention, except } }),
      reminder,
      ...(reminder ? { remindedAt: new Date().toISOString() } : {}),
    });
  }
}
