/** A healthy run, gate and plan; a test changes one thing. */
import type { GateDefinition, GateState } from '../../domain/gates/gate.ts';
import type { PaceView } from '../../domain/run/notifications.ts';
import type { RingMessage } from '../../domain/run/campaign/ring-message.ts';
import { OFFERED_PACES } from '../../domain/policy/pace.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';

export const CLUSTER = { name: 'staging', account: '111122223333', region: 'eu-west-1' };
export const WORKFLOW_ID = 'eks-upgrade/111122223333/eu-west-1/staging';
export const RUN_ID = '0198c0de-0000-7000-8000-000000000001';
export const UPGRADE = { workflowId: WORKFLOW_ID, runId: RUN_ID };
export const CHECK_RUN = { workflowId: 'eks-check/111122223333/eu-west-1/staging', runId: '0198c0de-0000-7000-8000-000000000009' };
export const FORECAST_RUN = { workflowId: 'eks-forecast/111122223333/eu-west-1/staging', runId: '0198c0de-0000-7000-8000-00000000000f' };
export const NOW_MS = Date.parse('2026-03-03T12:10:00Z');

export function status(change: Partial<UpgradeStatus> = {}): UpgradeStatus {
  return {
    workflowId: WORKFLOW_ID,
    runId: RUN_ID,
    cluster: CLUSTER,
    from: '1.31',
    to: '1.32',
    state: 'running',
    headline: 'The control plane moves to 1.32',
    requestedBy: { kind: 'slack', id: 'U0ALEX', name: 'alex' },
    startedAt: '2026-03-03T12:00:00Z',
    steps: [
      {
        id: 'pre-checks@1.32',
        title: 'Pre-checks',
        state: 'completed',
        startedAt: '2026-03-03T12:00:00Z',
        endedAt: '2026-03-03T12:02:00Z',
        expectedMs: 60_000,
      },
      {
        id: 'control-plane@1.32',
        title: 'Control plane to 1.32',
        state: 'running',
        startedAt: '2026-03-03T12:07:00Z',
        expectedMs: 600_000,
        note: 'EKS says InProgress',
      },
      { id: 'node-groups@1.32', title: 'Node groups', state: 'planned', expectedMs: 1_500_000 },
    ],
    gates: [],
    freeze: { state: 'frozen', note: '2 node pools' },
    pauseRequested: false,
    revision: 7,
    ...change,
  };
}

export function gate(change: Partial<GateDefinition> = {}): GateDefinition {
  return {
    id: 'before:control-plane@1.32#1',
    step: 'control-plane@1.32',
    title: 'Move the control plane to 1.32?',
    next: 'EKS moves the control plane; this takes about ten minutes.',
    evidence: [{ title: 'Pre-checks', lines: ['**12** passed', '- 1 warning: <b> & co'] }],
    undo: 'Within 7 days the control plane can be rolled back.',
    choices: [
      { id: 'approve', label: 'Approve', style: 'primary', needsQuorum: true, does: 'Starts the update.' },
      { id: 'reject', label: 'Reject', style: 'danger', does: 'Stops before the step.' },
      { id: 'skip', label: 'Skip', needsReason: true, does: 'Continues without the step.' },
    ],
    quorum: 1,
    revision: 1,
    openedAt: '2026-03-03T12:05:00Z',
    expiresAt: '2026-03-04T12:05:00Z',
    ...change,
  };
}

export function open(change: Partial<GateDefinition> = {}): GateState {
  return { kind: 'open', gate: gate(change), votes: [], refused: [] };
}

export function decided(): GateState {
  const decision = {
    decisionId: 'before:control-plane@1.32#1:U0SAM:1',
    gateId: 'before:control-plane@1.32#1',
    choice: 'approve',
    actor: { kind: 'slack' as const, id: 'U0SAM', name: 'sam' },
    reason: 'looks good <!channel>',
    at: '2026-03-03T12:06:00Z',
  };
  return { kind: 'decided', gate: gate(), votes: [decision], decision };
}

export function plan(change: Partial<UpgradePlan> = {}): UpgradePlan {
  return {
    cluster: CLUSTER,
    from: '1.31',
    to: '1.32',
    hops: ['1.32'],
    strategy: 'every-hop',
    strategies: [
      { strategy: 'every-hop', possible: true, nodeReplacementCount: 33, hopCount: 1 },
      { strategy: 'once-at-the-end', possible: false, why: 'one hop only', nodeReplacementCount: 33, hopCount: 1 },
    ],
    steps: [
      {
        id: 'control-plane@1.32',
        phase: 'control-plane',
        hop: '1.32',
        title: 'Control plane to 1.32',
        why: 'The target is one minor away.',
        gate: { next: 'EKS moves the control plane.', why: 'It cannot be stopped once begun.' },
        expectedMs: 600_000,
        rollback: { what: 'Control plane', how: 'EKS version rollback', until: '7 days after', cost: 'ten minutes' },
        params: { phase: 'control-plane', from: '1.31', to: '1.32', managedBy: 'eks' },
      },
    ],
    findings: [],
    expectedMs: 3_600_000,
    hash: 'abcdef0123456789',
    ...change,
  };
}

export function pace(change: Partial<PaceView> = {}): PaceView {
  return {
    workflowId: WORKFLOW_ID,
    step: 'karpenter-drift@1.32',
    title: 'Karpenter nodes → 1.32',
    pace: '1',
    plan: ['1', '10%'],
    offered: [...OFFERED_PACES],
    replacedCount: 4,
    remainingCount: 26,
    revision: 4,
    ...change,
  };
}

/** Of a campaign's ring that runs. */
export const RING: RingMessage = {
  name: 'dev',
  state: 'running',
  line: '0/2 done · 2 running',
  doneCount: 0,
  clusterCount: 2,
  needs: [],
  moreCount: 0,
  campaign: 'to-1-34',
  target: '1.34',
  place: 1,
  ofCount: 2,
  attempt: 1,
  parallel: 2,
  soak: '24 h',
  startedAt: '2026-03-03T12:00:00Z',
  listed: false,
};
