/** The control plane: its version, up and back, and its logs. */
import { count } from '../../../domain/core/text.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import { CHOICES, goAnyway } from '../choices.ts';
import { type ChangeRequest, type GateText, info, type Note } from '../note.ts';

interface Move {
  from: string;
  to: string;
}

interface StartedMove extends Move {
  updateId: string;
  /** Somebody else, or an earlier round, had started it. */
  adopted: boolean;
}

const began = (adopted: boolean): string => (adopted ? 'was already running and is adopted' : 'has started');

export const controlPlaneUpdateStarted = ({ from, to, updateId, adopted }: StartedMove): Note =>
  info(`Control plane ${from} → ${to}: EKS update \`${updateId}\` ${began(adopted)}.`);

export const controlPlaneUpdating = ({ from, to, updateId, adopted }: StartedMove): string =>
  `EKS update \`${updateId}\` (${adopted ? 'adopted' : 'started'}) moves the control plane ${from} → ${to}. It cannot be stopped.`;

/** `closesAt`: "2026-05-08 10:00 UTC". */
export const rollbackOpen = (from: string, closesAt: string): string =>
  `EKS can roll it back to ${from} until ${closesAt}, once no node is newer`;

export const applyControlPlane = (cluster: string, { from, to }: Move): ChangeRequest =>
  terraform(
    cluster,
    { from, to },
    '. Belay adopts the update as soon as EKS lists it and continues even if the apply hangs or its log is lost.',
  );

export const applyControlPlaneBack = (cluster: string, { from, to }: Move): ChangeRequest =>
  terraform(
    cluster,
    { from, to },
    `: EKS treats it as a version rollback. Belay adopts the update as soon as EKS lists it. Hold every other apply of this cluster until then: one that still says "${from}" upgrades it again afterwards.`,
  );

const terraform = (cluster: string, { from, to }: Move, effect: string): ChangeRequest => ({
  ask: { component: 'control-plane', name: cluster, version: to, managedBy: 'terraform' },
  text: `Please apply the Terraform change \`version = "${to}"\` (now ${from}) for cluster ${cluster}${effect}`,
});

export const rollbackStarted = ({ from, to, updateId, adopted }: StartedMove): Note =>
  info(`Control plane rollback ${from} → ${to}: EKS update \`${updateId}\` ${began(adopted)}.`);

export const rollingBack = ({ from, to, updateId }: Omit<StartedMove, 'adopted'>): string =>
  `EKS update \`${updateId}\` rolls the control plane back ${from} → ${to}. It cannot be stopped.`;

/** Right before the control plane goes back to `to`. `seen`: what is not known, and why. */
export function unknownBackGate(
  to: string,
  { unknownCount, seen, undo }: { unknownCount: number; seen: GateEvidence; undo: string },
): GateText {
  const what = `${count(unknownCount, 'condition')} could not be checked`;
  return {
    title: `Roll the control plane back to ${to} although ${what}?`,
    next: `Go anyway starts the rollback to ${to} as it was approved. EKS makes checks of its own and may refuse it.`,
    evidence: [seen],
    undo,
    choices: [goAnyway(what), CHOICES.lookAgain, CHOICES.abort],
  };
}

export const enableLogs = (cluster: string, types: readonly string[]): ChangeRequest => ({
  ask: { component: 'control-plane-logs', name: cluster, version: types.join(', '), managedBy: 'terraform' },
  text: `Please add ${types.join(', ')} to \`enabled_cluster_log_types\` of cluster ${cluster} and apply it. Belay continues once these logs are enabled.`,
});

export const enablingLogs = ({ updateId, adopted }: Pick<StartedMove, 'updateId' | 'adopted'>): string =>
  `EKS update \`${updateId}\` (${adopted ? 'adopted' : 'started'}) enables control-plane logs.`;
