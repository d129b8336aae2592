/** Timing that makes tests quick: polls of a few milliseconds. */
import type { Timing } from '../../../domain/policy.ts';

export const QUICK: Timing = {
  pollMinMs: 5,
  pollMaxMs: 20,
  pollShare: 0.04,
  heartbeatTimeoutMs: 1000,
  bakeMs: 10,
  gateDeadlineMs: 1000,
  gateReminderMs: 1000,
  freezeCheckMs: 10,
  freezeReminderMs: 1000,
  controlPlaneTimeoutMs: 2000,
  nodeGroupTimeoutMs: 2000,
  addOnTimeoutMs: 200,
  askTimeoutMs: 200,
  driftBlockedAfterMs: 100,
  driftTimeoutMs: 1000,
  paceStepMs: 10,
  rolloutTimeoutMs: 1000,
  waveBakeMs: 10,
  apiWeatherMs: 500,
  boardEditMs: 10,
};
