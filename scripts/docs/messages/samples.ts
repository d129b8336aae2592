/** What several examples are about. */
import type { Actor } from '../../../domain/gates/actor.ts';
import type { PlannedStep } from '../../../domain/plan/model/types.ts';

export const SAM: Actor = { kind: 'slack', id: 'U0SAM', name: 'Sam' };
export const RIN: Actor = { kind: 'slack', id: 'U0RIN', name: 'Rin', aws: 'arn:aws:sts::111122223333:assumed-role/oncall/rin' };

export const CONTROL_PLANE = 'Control plane 1.31 → 1.32';
export const UNDO = 'Control plane: EKS version rollback. Until: 7 days after the update. Cost: about 10 minutes.';

export const controlPlaneStep: PlannedStep = {
  id: 'control-plane@1.32',
  phase: 'control-plane',
  hop: '1.32',
  title: CONTROL_PLANE,
  why: 'Nodes may not be newer than the control plane.',
  gate: {
    title: 'Move the control plane to 1.32?',
    next: 'EKS moves the control plane to 1.32.',
    why: 'After 7 days EKS no longer rolls it back.',
  },
  expectedMs: 660_000,
  usual: { minMs: 540_000, maxMs: 840_000, count: 4, of: 'cluster' },
  rollback: { what: 'control plane', how: 'EKS version rollback', until: '7 days after the update', cost: 'about 10 minutes' },
  params: { phase: 'control-plane', from: '1.31', to: '1.32', managedBy: 'eks' },
};
