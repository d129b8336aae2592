/** The version that a run has left its control plane at, as its record says. */
import { parseStepId } from '../../core/phases.ts';
import type { StepView, UpgradeReport } from './status.ts';

const MOVES = ['control-plane', 'control-plane-back'];

/** "1.34"; undefined where the record cannot say: a step that moves the control plane was begun and did not end well, or nothing was planned. */
export function versionAfter({ status }: Pick<UpgradeReport, 'status'>): string | undefined {
  let version = status.from;
  for (const step of status.steps) {
    const minor = movedTo(step);
    if (minor === undefined || step.startedAt === undefined) continue;
    // EKS may have gone on with it after the run had ended.
    version = step.state === 'completed' ? minor : undefined;
  }
  return version;
}

function movedTo({ id }: StepView): string | undefined {
  try {
    const { phase, minor } = parseStepId(id);
    return MOVES.includes(phase) ? minor : undefined;
  } catch {
    return undefined;
  }
}
