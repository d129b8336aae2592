/** How a phase ends badly. */
import { ApplicationFailure } from '@temporalio/common';
import type { FailureCause } from '../../domain/run/failure-causes.ts';
import type { GateEvidence } from '../../domain/gates/gate.ts';

/** A phase that ended badly: people decide at a gate of the parent, among what `causes` offer. */
export function phaseFailed(message: string, evidence: GateEvidence[] = [], causes: FailureCause[] = []): ApplicationFailure {
  return ApplicationFailure.create({ message, type: 'PhaseFailed', nonRetryable: true, details: [evidence, causes] });
}
