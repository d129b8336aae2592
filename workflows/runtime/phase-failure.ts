/** How a phase ends badly. */
import { ApplicationFailure } from '@temporalio/workflow';
import type { FailureCause } from '../../domain/run/failure-causes.ts';
import type { GateEvidence } from '../../domain/gates/gate.ts';
import { messageOf, rootCause } from './root-cause.ts';

/** A phase that ended badly: people decide at a gate of the parent, among what `causes` offer. */
export function phaseFailed(message: string, evidence: GateEvidence[] = [], causes: FailureCause[] = []): ApplicationFailure {
  return ApplicationFailure.create({ message, type: 'PhaseFailed', nonRetryable: true, details: [evidence, causes] });
}

/** Why a phase failed. */
export function causesOf({ details }: ApplicationFailure): FailureCause[] {
  const causes: unknown = details?.[1];
  return Array.isArray(causes) ? causes.filter(isCause) : [];
}

/** The cluster is another one by now: nothing that was planned or approved is about it. */
export const isReplaced = (error: unknown): boolean => {
  const root = rootCause(error);
  return (
    root instanceof ApplicationFailure && (root.type === 'ClusterReplaced' || causesOf(root).some(({ code }) => code === 'ClusterReplaced'))
  );
};

export function isCause(item: unknown): item is FailureCause {
  return typeof item === 'object' && item !== null && 'scope' in item && 'code' in item;
}

/** Whatever went wrong, as one sentence for the failure gate. `of`: what Belay was about to change. */
export function asPhaseFailure(title: string, error: unknown, of: Pick<FailureCause, 'resource' | 'own'> = {}): ApplicationFailure {
  const root = rootCause(error);
  if (root instanceof ApplicationFailure && root.type === 'PhaseFailed') return root;
  const message = messageOf(root);
  const type = root instanceof ApplicationFailure ? (root.type ?? 'Unknown') : 'Unknown';
  return ApplicationFailure.create({
    message: `${title}: ${message}`,
    type: 'PhaseFailed',
    nonRetryable: true,
    details: [[{ title: type, lines: [message] }], [{ scope: 'belay', code: type, ...of }]],
  });
}
