/** What the opener of a gate decides about it, and the gate that comes of it: times, quorum and rules come from the policy. */
import { type ApprovalPolicy, rulesOf } from '../../domain/gates/approvals.ts';
import { needsQuorum } from '../../domain/gates/choices.ts';
import type { GateChoice, GateDefinition } from '../../domain/gates/gate.ts';
import { phaseOf } from '../../domain/core/phases.ts';
import { GO_BACK } from '../messages/choices.ts';

/** Whether it needs the gate's rules is not the opener's to say. */
export type GateOffer = Omit<GateChoice, 'needsQuorum'>;

export type GateRequest = Omit<GateDefinition, 'openedAt' | 'expiresAt' | 'quorum' | 'rules' | 'planHash' | 'revision' | 'choices'> & {
  choices: GateOffer[];
  /** Of a gate that asks anew under the same id: beyond all revisions that decisions before may have named. Absent: the first. */
  revision?: number;
  /** Instead of the policy's. */
  deadlineMs?: number;
  /** false: nobody is reminded before the deadline. */
  reminders?: boolean;
};

export function gateOf(
  { deadlineMs: _deadline, reminders: _reminders, ...request }: GateRequest,
  { approvals, planHash, openedAtMs, deadlineMs }: { approvals: ApprovalPolicy; planHash?: string; openedAtMs: number; deadlineMs: number },
): GateDefinition {
  const rules = rulesOf(approvals, phaseOf(request.step)).map(({ name, quorum }) => ({ name, quorum }));
  return {
    ...request,
    choices: request.choices.map((choice) => ({
      ...choice,
      needsQuorum: needsQuorum(choice.id, approvals),
      ...(approvals.reasonsFor?.includes(kindOf(choice.id)) === true ? { needsReason: true } : {}),
    })),
    quorum: rules.reduce((sum, { quorum }) => sum + quorum, 0),
    rules,
    planHash,
    revision: request.revision ?? 1,
    openedAt: new Date(openedAtMs).toISOString(),
    expiresAt: new Date(openedAtMs + deadlineMs).toISOString(),
  };
}

/** An abort that goes back is an abort. */
const kindOf = (choice: string): string => (choice === GO_BACK ? 'abort' : choice);
