/** When people are reminded of a gate, and when others are asked as well. */
import { type ApprovalPolicy, isEscalatedAt } from '../../domain/gates/approvals.ts';
import type { GateDefinition } from '../../domain/gates/gate.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';

/** In milliseconds from the opening; an escalation is a reminder, too. */
export function reminderTimes({ timing, approvals: { escalation } }: UpgradePolicy, deadlineMs: number): number[] {
  const shares = new Set([...timing.gateReminders, ...(escalation === undefined ? [] : [escalation.after])]);
  return [...shares].toSorted((a, b) => a - b).map((share) => share * deadlineMs);
}

export function isEscalated(approvals: ApprovalPolicy, gate: GateDefinition): boolean {
  return isEscalatedAt(approvals, gate, Date.now());
}
