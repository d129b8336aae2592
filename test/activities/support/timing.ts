/** Timing that makes tests quick: polls of a few milliseconds. What must not run out on a slow machine has half a minute; a test in which it does sets its own. */
import type { Timing } from '../../../domain/policy/policy.ts';

export const QUICK: Timing = {
  pollMinMs: 5,
  pollMaxMs: 20,
  pollShare: 0.04,
  heartbeatTimeoutMs: 1000,
  bakeMs: 10,
  gateDeadlineMs: 1000,
  gateReminders: [],
  rollbackWindowMs: 1000,
  autoModeRollbackMs: 30_000,
  retireBakeMs: 0,
  freezeCheckMs: 10,
  freezeReminderMs: 1000,
  controlPlaneTimeoutMs: 30_000,
  nodeGroupTimeoutMs: 30_000,
  addOnTimeoutMs: 30_000,
  askTimeoutMs: 30_000,
  driftBlockedAfterMs: 100,
  driftTimeoutMs: 30_000,
  paceStepMs: 10,
  rolloutTimeoutMs: 30_000,
  waveBakeMs: 10,
  apiTransientMs: 30_000,
  boardEditMs: 10,
};
