/** Events as runs tell them, for tests of what sends them. */
import type { RunEvent } from '../../../domain/run/events/event.ts';

export const UPGRADE = { workflowId: 'eks-upgrade/111122223333/eu-west-1/prod', runId: 'run-1' };

const COMMON = {
  cluster: { name: 'prod', account: '111122223333', region: 'eu-west-1', environment: 'production' },
  run: { ...UPGRADE, from: '1.33', to: '1.34', requestedBy: { id: 'U1', name: 'Ada', kind: 'slack' as const } },
};

export const STARTED: RunEvent = { key: 'upgrade/started', type: 'upgrade.started', at: '2026-11-02T09:00:00.000Z', data: COMMON };

const GATE = 'before:control-plane@1.34#1';

export const OPENED: RunEvent = {
  key: `gate/${GATE}/opened`,
  type: 'gate.opened',
  at: '2026-11-02T09:05:00.000Z',
  subject: GATE,
  data: {
    ...COMMON,
    gate: {
      id: GATE,
      step: 'control-plane@1.34',
      title: 'Move the control plane to 1.34?',
      next: 'EKS moves the control plane.',
      undo: 'For seven days EKS can move it back.',
      evidence: [{ title: 'Pre-checks', verdict: 'clear', lines: ['12 checks passed'] }],
      choices: [
        { id: 'approve', label: 'Approve', does: 'Moves it.', needsReason: false },
        { id: 'reject', label: 'Reject', does: 'Stops.', needsReason: true },
      ],
      quorum: 1,
      approvers: { users: ['U2'], groups: [] },
      openedAt: '2026-11-02T09:05:00.000Z',
      expiresAt: '2026-11-03T09:05:00.000Z',
      byItself: false,
      command: `belay decide prod '${GATE}' CHOICE --reason "…"`,
    },
  },
};
