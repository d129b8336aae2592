/** A managed node group whose update takes longer than `timing.nodeGroupTimeout`: EKS goes on, and people are asked whether the step does. */
import type { NodeGroupRoll } from '../../../activities/contract/eks.ts';
import { because, count, duration, utcMinute } from '../../../domain/core/text.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import { type GateText, type Note, warning } from '../note.ts';

interface SlowUpdate {
  name: string;
  updateId: string;
  to: string;
  /** How long Belay has watched it. */
  elapsedMs: number;
  /** After which time people are asked again. */
  againMs: number;
  /** ISO 8601: when `roll` was read. */
  at: string;
  roll: NodeGroupRoll | undefined;
  /** A Cluster Autoscaler is paused as long as the step waits. */
  autoscaler: boolean;
}

export const slowUpdateGate = (slow: SlowUpdate): GateText => {
  const { name, updateId, elapsedMs, againMs, autoscaler } = slow;
  const resumes = autoscaler ? ' The Cluster Autoscaler resumes with the end of this step, and may remove nodes that EKS has added.' : '';
  return {
    title: `EKS still updates node group ${name} after ${duration(elapsedMs)}: keep waiting?`,
    next: `EKS continues update ${updateId} whatever you choose: it cannot be stopped. You do not have to press anything: this gate closes when the update ends.`,
    evidence: [{ title: 'So far', lines: progressLines(slow) }],
    undo: 'Neither choice changes a node.',
    choices: [
      {
        id: 'wait',
        label: 'Wait',
        style: 'primary',
        does: `Keeps watching; asks again if the update is still running in ${duration(againMs)}.`,
      },
      {
        id: 'leave',
        label: 'Continue without it',
        needsReason: true,
        does: `The upgrade no longer waits for node group ${name}; validation names it, with who decided so, and accepts it.${resumes}`,
      },
    ],
  };
};

function progressLines({ to, roll, at, name }: SlowUpdate): GateEvidence['lines'] {
  const { newCount = 0, oldCount = 0, held = [], issues = [], unseen } = roll ?? {};
  const asOf = `As of ${utcMinute(at)}`;
  const isRead = newCount + oldCount > 0 || unseen === undefined;
  return [
    isRead
      ? `${asOf}: ${newCount} of ${count(newCount + oldCount, 'node')} of ${name} at ${to}, ${oldCount} to go`
      : `${asOf}: UNKNOWN how many nodes of ${name} are at ${to}`,
    ...(unseen === undefined ? [] : [`UNKNOWN what holds the nodes${because(unseen)}`]),
    ...issues.map((issue) => `EKS reports ${issue}`),
    ...held.map((reason) => `Held now: ${reason}`),
    // EKS user guide, "Understand each phase of node updates".
    'EKS fails the update by itself (PodEvictionFailure) once a node is not drained within 15 minutes, unless the update is forced',
  ];
}

/** Why that gate closes by itself. */
export const slowUpdateEnded = (name: string, how: 'Successful' | 'failed' | 'unwatched'): string =>
  ({
    Successful: `EKS has updated node group ${name}`,
    failed: `the update of node group ${name} has ended without success`,
    unwatched: `the update of node group ${name} can no longer be watched`,
  })[how];

export const stillUpdating = (name: string, elapsedMs: number): string =>
  `EKS still updates node group ${name} after ${duration(elapsedMs)}; Belay keeps watching.`;

/** People have left it to EKS, or the run is aborted. */
export const updateLeft = (name: string, updateId: string): Note =>
  warning(`EKS continues update ${updateId} of node group ${name}; this run no longer watches it. The next run adopts it.`);

/** For the step's result. */
export const updatesLeft = (names: readonly string[]): string => `EKS continues to update ${names.join(', ')}, as decided`;
