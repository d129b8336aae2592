/** `timing:` in belay.yaml: names without units in the file, milliseconds in the code. */
import { z } from 'zod';
import type { ExpectedDurations, Timing } from '../../policy.ts';
import { duration } from '../base/fields.ts';

const RIGHT_TIMES = 'write a list of shares between 0 and 1, such as [0.5, 0.9]';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const RIGHT_SHARE = 'write a share between 0 and 0.5, such as 0.04';

export const timingSchema = z.strictObject({
  pollMin: duration('Shortest time between polls while waiting').optional(),
  pollMax: duration('Longest time between polls').optional(),
  pollShare: z
    .number({ error: RIGHT_SHARE })
    .gt(0, { error: RIGHT_SHARE })
    .max(0.5, { error: RIGHT_SHARE })
    .describe('Poll interval as a share of the time elapsed: how late a step’s end may be noticed')
    .optional(),
  heartbeatTimeout: duration('An activity restarts when its worker is silent for this long').optional(),
  bake: duration('Watching time between the control plane’s move and the nodes’').optional(),
  gateDeadline: duration('Time until a gate expires, which stops and never approves').optional(),
  gateReminders: z
    .array(z.number({ error: RIGHT_TIMES }).gt(0, { error: RIGHT_TIMES }).lt(1, { error: RIGHT_TIMES }), { error: RIGHT_TIMES })
    .describe("Shares of a gate's time at which approvers are reminded; [] for never")
    .optional(),
  freezeCheck: duration('How often the guard checks the freeze').optional(),
  freezeExpiry: duration('When a self-expiring freeze (karpenter.freezeBy) ends; its guard renews it at half-time')
    .refine((ms) => ms >= MINUTE_MS * 10, { error: 'write at least "10m": it has to be renewed in time' })
    .optional(),
  freezeReminder: duration('How often a kept freeze is reported').optional(),
  controlPlaneTimeout: duration('Update of the control plane after which you are asked whether to keep waiting').optional(),
  rollbackWindow: duration('Length of EKS’s seven-day rollback window; its reminders scale with it').optional(),
  autoModeRollback: duration('In a rollback, how long EKS tries to roll back Auto Mode nodes before the control plane; sent as is')
    .refine((ms) => ms >= 2 * HOUR_MS && ms <= 7 * 24 * HOUR_MS, { error: 'write from "2h" to "7d": EKS takes nothing else' })
    .optional(),
  nodeGroupTimeout: duration(
    'Update of one node group after which you are asked whether to keep waiting; longest instance refresh',
  ).optional(),
  addOnTimeout: duration(
    'Update of one add-on after which you are asked whether to keep waiting; longest wait until it is healthy',
  ).optional(),
  askTimeout: duration('Longest wait for someone else’s merge, GitOps sync or Terraform apply').optional(),
  driftBlockedAfter: duration(
    'A drifted node not replaced, or a refreshed instance without a Ready node, for this long counts as blocked',
  ).optional(),
  driftNamedAfter: duration('Likewise, if the blocker cannot resolve itself').optional(),
  driftTimeout: duration('Longest replacement of all Karpenter nodes').optional(),
  paceStep: duration('Watching time at each pace of Karpenter drift').optional(),
  rolloutTimeout: duration('Longest rollout of one workload').optional(),
  waveBake: duration('Watching time after each wave of Istio or of Karpenter nodes').optional(),
  retireBake: duration('Watching time after the last Istio wave, before the old revision retires').optional(),
  apiTransient: duration('How long the API server may drop connections during the control-plane step').optional(),
  boardEdit: duration('Delay to coalesce edits of the board message').optional(),
  expected: z
    .strictObject({
      controlPlane: duration('Update of the control plane by one minor').optional(),
      nodeGroup: duration('Update of the node groups, in parallel').optional(),
      karpenterNode: duration('Replacement of one node by Karpenter').optional(),
      addOn: duration('Update of one add-on').optional(),
      rollout: duration("Merge and rollout of Karpenter's or Istio's new version").optional(),
      istioWave: duration('Restart of one wave of namespaces').optional(),
      checks: duration('Pre-checks or validation').optional(),
    })
    .describe(
      'How long things usually take here: shown beside the elapsed time, never waited for. What is not written is learnt from the records of earlier upgrades; only then is a step said to be slower than usual',
    )
    .optional(),
});

export type TimingInput = z.output<typeof timingSchema>;

/** `over` where it says something, `base` elsewhere. */
export function mergeTiming(base: Timing, over: TimingInput | undefined): Timing {
  if (over === undefined) return base;
  return {
    pollMinMs: over.pollMin ?? base.pollMinMs,
    pollMaxMs: over.pollMax ?? base.pollMaxMs,
    pollShare: over.pollShare ?? base.pollShare,
    heartbeatTimeoutMs: over.heartbeatTimeout ?? base.heartbeatTimeoutMs,
    bakeMs: over.bake ?? base.bakeMs,
    gateDeadlineMs: over.gateDeadline ?? base.gateDeadlineMs,
    gateReminders: over.gateReminders ?? base.gateReminders,
    freezeCheckMs: over.freezeCheck ?? base.freezeCheckMs,
    freezeExpiryMs: over.freezeExpiry ?? base.freezeExpiryMs,
    freezeReminderMs: over.freezeReminder ?? base.freezeReminderMs,
    controlPlaneTimeoutMs: over.controlPlaneTimeout ?? base.controlPlaneTimeoutMs,
    rollbackWindowMs: over.rollbackWindow ?? base.rollbackWindowMs,
    autoModeRollbackMs: over.autoModeRollback ?? base.autoModeRollbackMs,
    nodeGroupTimeoutMs: over.nodeGroupTimeout ?? base.nodeGroupTimeoutMs,
    addOnTimeoutMs: over.addOnTimeout ?? base.addOnTimeoutMs,
    askTimeoutMs: over.askTimeout ?? base.askTimeoutMs,
    driftBlockedAfterMs: over.driftBlockedAfter ?? base.driftBlockedAfterMs,
    driftNamedAfterMs: over.driftNamedAfter ?? base.driftNamedAfterMs,
    driftTimeoutMs: over.driftTimeout ?? base.driftTimeoutMs,
    paceStepMs: over.paceStep ?? base.paceStepMs,
    rolloutTimeoutMs: over.rolloutTimeout ?? base.rolloutTimeoutMs,
    waveBakeMs: over.waveBake ?? base.waveBakeMs,
    retireBakeMs: over.retireBake ?? base.retireBakeMs,
    apiTransientMs: over.apiTransient ?? base.apiTransientMs,
    boardEditMs: over.boardEdit ?? base.boardEditMs,
    ...(over.expected === undefined ? {} : { expected: { ...base.expected, ...expectedOf(over.expected) } }),
  };
}

function expectedOf(input: NonNullable<TimingInput['expected']>): Partial<ExpectedDurations> {
  const { controlPlane, nodeGroup, karpenterNode, addOn, rollout, istioWave, checks } = input;
  const named: Record<keyof ExpectedDurations, number | undefined> = {
    controlPlaneMs: controlPlane,
    nodeGroupMs: nodeGroup,
    karpenterNodeMs: karpenterNode,
    addOnMs: addOn,
    rolloutMs: rollout,
    istioWaveMs: istioWave,
    checksMs: checks,
  };
  return Object.fromEntries(Object.entries(named).filter(([, durationMs]) => durationMs !== undefined));
}
