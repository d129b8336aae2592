/** When people are reminded of a gate, and when others are asked as well. */
import { type ApprovalPolicy, isEscalatedAt } from '../../domain/gates/approvals.ts';
import type { GateDefinition } from '../../domain/gates/gate.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';

/** In milliseconds from the opening; an escalation is a reminder, too. */
export function reminderTimes(
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

export function isEscalated(approvals: ApprovalPolicy, gate: GateDefinition): boolean {
  return isEscalatedAt(approvals, gate, Date.now());
}
