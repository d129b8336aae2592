/** A managed node group whose update takes longer than `timing.nodeGroupTimeout`: how far it is, and what holds it. */
import type { NodeGroupRoll } from '../../../activities/contract/eks.ts';
import { because, capital, count, utcMinute } from '../../../domain/core/text.ts';

interface SlowGroup {
  name: string;
  to: string;
  /** ISO 8601: when `roll` was read. */
  at: string;
  roll: NodeGroupRoll | undefined;
}

export function slowGroupLines({ to, roll, at, name }: SlowGroup): string[] {
  const { newCount = 0, oldCount = 0, held = [], issues = [], unseen } = roll ?? {};
  const asOf = `As of ${utcMinute(at)}`;
  const isRead = newCount + oldCount > 0 || unseen === undefined;
  return [
    isRead
      ? `${asOf}: ${newCount} of ${count(newCount + oldCount, 'node')} of ${name} at ${to}, ${oldCount} to go`
      : `${asOf}: UNKNOWN how many nodes of ${name} are at ${to}`,
    ...(unseen === undefined ? [] : [`UNKNOWN what holds the nodes${because(unseen)}`]),
    ...issues.map((issue) => `EKS reports ${issue}`),
    ...held.map(capital),
    // EKS user guide, "Understand each phase of node updates".
    'EKS fails the update by itself (PodEvictionFailure) once a node is not drained within 15 minutes, unless the update is forced',
  ];
}

/** A Cluster Autoscaler is paused as long as the step waits. */
export const autoscalerResumesWithStep = (): string =>
  ' The Cluster Autoscaler resumes when this step ends, and may remove nodes that EKS has added.';
