/** What holds where belay.yaml is silent: timing and behaviour for production. */
import type { Timing, UpgradePolicy } from '../policy.ts';
import { ROLLBACK_WINDOW_MS } from '../../facts/rollback-window.ts';
import type { WindowPolicy } from '../windows.ts';
import type { ApprovalPolicy } from '../../gates/approvals.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

export const DEFAULT_TIMING: Timing = {
  pollMinMs: 1 * second,
  pollMaxMs: 30 * second,
  pollShare: 0.04,
  heartbeatTimeoutMs: 10 * second,
  bakeMs: 10 * minute,
  gateDeadlineMs: 24 * hour,
  gateReminders: [0.5, 0.9],
  freezeCheckMs: 1 * minute,
  freezeExpiryMs: 24 * hour,
  freezeReminderMs: 24 * hour,
  controlPlaneTimeoutMs: 90 * minute,
  rollbackWindowMs: ROLLBACK_WINDOW_MS,
  autoModeRollbackMs: 12 * hour,
  nodeGroupTimeoutMs: 4 * hour,
  addOnTimeoutMs: 30 * minute,
  askTimeoutMs: 7 * 24 * hour,
  driftBlockedAfterMs: 10 * minute,
  driftNamedAfterMs: 1 * minute,
  driftTimeoutMs: 24 * hour,
  paceStepMs: 10 * minute,
  rolloutTimeoutMs: 30 * minute,
  waveBakeMs: 5 * minute,
  // Proxies keep a connection to istiod for about 30 minutes (istiod's keepaliveMaxServerConnectionAge).
  retireBakeMs: 30 * minute,
  apiTransientMs: 15 * minute,
  boardEditMs: 3 * second,
};

/** Nobody may decide until belay.yaml names somebody. */
export const DEFAULT_APPROVALS: ApprovalPolicy = {
  users: [],
  groups: [],
  quorum: 1,
  allowRequester: false,
  allowUnverifiedCli: false,
  reasonsFor: ['reject'],
};

/** Always open. */
export const DEFAULT_WINDOWS: WindowPolicy = {
  maintenance: [],
  exclusions: [],
  quietHours: [],
  outside: 'refuse',
  lastStartMs: 15 * minute,
};

export const DEFAULT_MANAGED_BY: UpgradePolicy['managedBy'] = {
  controlPlane: 'eks',
  nodeGroups: 'eks',
  addOns: 'eks',
  karpenter: 'manual',
  istio: 'manual',
};

export const DEFAULT_KARPENTER: UpgradePolicy['karpenter'] = {
  paces: ['1', '10%'],
  /** Consolidation, too, puts nodes of the new version in the place of old ones: whatever moves pods stops with drift. */
  freezeReasons: ['Drifted', 'Underutilized', 'Empty'],
  freezeBy: 'auto',
  ownerKeys: ['owner', 'team', 'app.kubernetes.io/owner', 'app.kubernetes.io/team', 'app.kubernetes.io/part-of'],
};

export const DEFAULT_NODE_GROUPS: NonNullable<UpgradePolicy['nodeGroups']> = {
  clusterAutoscaler: 'pause',
  selfManaged: 'ask',
  minHealthyPercent: 100,
};

/** Nobody's workloads are stopped unasked. */
export const DEFAULT_ROLLBACK: NonNullable<UpgradePolicy['rollback']> = { fargate: 'refuse' };

/** Logs cost what CloudWatch takes for them: nobody pays unasked. */
export const DEFAULT_CONTROL_PLANE: NonNullable<UpgradePolicy['controlPlane']> = { logging: [] };

export const DEFAULT_ISTIO: UpgradePolicy['istio'] = { moveBy: 'label', waves: [0.25, 1], gateways: 'last' };
