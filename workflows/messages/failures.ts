/** A step has failed: what happened, what it means, and how to run it again; and the question before anything is forced. */
import type { PhaseId } from '../../domain/core/phases.ts';
import type { GateEvidence } from '../../domain/gates/gate.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import { type FailureCause, helpedBy, knownCauses } from '../../domain/run/failure-causes.ts';
import type { FailureChoice } from '../../domain/tables/failure-advice.ts';
import { CHOICES } from './choices.ts';
import type { GateText } from './note.ts';

type Step = Pick<PlannedStep, 'phase' | 'title'>;

/** Headline of the run while it waits. */
export const stepFailed = (step: string, problem: string): string => `${step} failed: ${problem}`;

/** `seen`: the failure's own evidence. `offered`: the suggested one first. */
export function stepFailedGate(
  step: Step,
  of: { problem: string; causes: readonly FailureCause[]; seen: GateEvidence[]; offered: readonly FailureChoice[]; undo: string },
): GateText {
  const choices = of.offered.map((choice) => choiceOf(choice, step, of.causes));
  return {
    title: `${step.title} failed`,
    next: `${choices[0]?.label ?? 'Retry'} runs the step again; what is already done is not repeated.`,
    evidence: [{ title: 'What happened', lines: [of.problem] }, ...meaning(of.problem, of.causes), ...of.seen].slice(0, 6),
    undo: of.undo,
    choices,
  };
}

/** `names`: of node groups, or the cluster. */
export function forceGate(step: Step, { names, problem, undo }: { names: readonly string[]; problem: string; undo: string }): GateText {
  const what = names.join(', ');
  const isControlPlane = step.phase === 'control-plane';
  const does = isControlPlane
    ? `Sends UpdateClusterVersion with force: EKS moves ${what} although its upgrade insights show issues.`
    : `Sends UpdateNodegroupVersion with force for ${what}: pods that cannot be evicted are killed with their nodes, whatever their PodDisruptionBudgets say.`;
  return {
    title: `Force ${what}?`,
    next: does,
    evidence: [{ title: 'Why it failed without force', lines: [problem] }],
    undo: isControlPlane
      ? undo
      : 'Nothing: killed pods do not shut down cleanly, and services below their PodDisruptionBudgets may be interrupted.',
    choices: [
      { id: 'force', label: 'Force', style: 'danger', needsReason: true, does },
      { ...CHOICES.retry, label: 'Retry without force' },
      CHOICES.abort,
    ],
  };
}

/** The table's sentence, unless it has just been said, and its suggestion. */
function meaning(said: string, causes: readonly FailureCause[]): GateEvidence[] {
  const lines = knownCauses(causes).map(({ code, resource, advice: { says, suggestion } }) => {
    const what = resource === undefined ? code : `${code} on ${resource.name}`;
    return `${what}: ${said.includes(says) ? '' : `${says} `}${suggestion}`;
  });
  return lines.length === 0 ? [] : [{ title: 'What to do', lines: [...new Set(lines)].slice(0, 5) }];
}

/** Ways to run the step again as it was have one id, whatever they are called: `retry`. */
function choiceOf(choice: FailureChoice, step: Step, causes: readonly FailureCause[]): GateText['choices'][number] {
  const names = helpedBy(choice, causes).join(', ');
  switch (choice) {
    case 'retry':
      return CHOICES.retry;
    case 'fixed':
      return {
        ...CHOICES.retry,
        label: 'Fixed: continue',
        does: 'Runs the step again, once you have fixed the cause; what is already done is not repeated.',
      };
    case 'preserve':
      return { ...CHOICES.retry, label: 'Preserve', does: `Updates ${names} again and keeps what others changed in it.` };
    case 'overwrite':
      return {
        id: 'overwrite',
        label: 'Overwrite',
        style: 'danger',
        needsReason: true,
        does: `Updates ${names} again and replaces what others changed in it with EKS's defaults. Belay cannot restore that.`,
      };
    case 'force':
      return { id: 'ask-force', label: 'Retry with force', does: `Asks once more before ${names} is forced; nothing is done yet.` };
    case 'skip':
      return skip(step);
    case 'abort':
      return CHOICES.abort;
  }
}

/** What such a step moves may stay where it is: run/skipped-step.ts. */
const LEAVES_BEHIND: ReadonlySet<string> = new Set<PhaseId>([
  'karpenter-migration',
  'karpenter-controller',
  'istio',
  'add-ons-bridge',
  'node-groups',
  'other-nodes',
  'karpenter-drift',
  'add-ons-target',
  'add-ons-back',
]);

/** Skipping the freeze means more than to continue without the step. */
function skip({ phase }: Step): GateText['choices'][number] {
  if (LEAVES_BEHIND.has(phase))
    return {
      ...CHOICES.skip,
      does: 'Continues without this step; validation names what stays at its old version, with who skipped it, and accepts it.',
    };
  if (phase !== 'freeze-drift') return CHOICES.skip;
  return {
    ...CHOICES.skip,
    style: 'danger',
    does: 'Continues without a freeze: Karpenter replaces its nodes as soon as it sees the new version, before EKS reports the control plane done.',
  };
}
