/** What a start or a step asks of change windows. */
import type { PhaseId } from '../../core/phases.ts';
import type { PlannedStep, UpgradePlan } from './types.ts';
import { needsWindow } from '../../policy/windows.ts';

/** What is asked about a step, or about a part of one. */
export interface WindowQuestion {
  phases: PhaseId[];
  /** How long a window has to stay open, in milliseconds. */
  needMs: number;
}

/**
 * What has to fit into a window when a step begins. The freeze is for the control plane's move, so both have to; steps that go in waves
 * are asked about again before each of them.
 */
export function questionOf(step: PlannedStep, { steps }: Pick<UpgradePlan, 'steps'>): WindowQuestion {
  const { phase, params, expectedMs } = step;
  const inWaves = params.phase === 'istio' || (params.phase === 'karpenter-drift' && params.waves !== undefined);
  const moves = phase === 'freeze-drift' ? steps.find((other) => other.phase === 'control-plane' && other.hop === step.hop) : undefined;
  return { phases: [phase], needMs: inWaves ? 0 : expectedMs + (moves?.expectedMs ?? 0) };
}

/** About a whole plan before it starts: its first step that changes something has to fit, and no exclusion may stop any of them. undefined: it changes nothing. */
export function questionOfStart(plan: Pick<UpgradePlan, 'steps'>): WindowQuestion | undefined {
  const changing = plan.steps.filter(({ phase }) => needsWindow(phase));
  const [first] = changing;
  if (first === undefined) return undefined;
  return { phases: [...new Set(changing.map(({ phase }) => phase))], needMs: questionOf(first, plan).needMs };
}
