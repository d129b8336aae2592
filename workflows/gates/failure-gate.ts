/** The gate after a step has failed: what happened, what it means, and what people may choose; and the one before anything is forced. */
import type { ApplicationFailure } from '@temporalio/common';
import { choicesFor, type FailureCause, helpedBy, knownCauses, type RetryMode } from '../../domain/run/failure-causes.ts';
import type { GateChoice, GateEvidence, GateState } from '../../domain/gates/gate.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import { gateId } from '../contract/ids.ts';
import { undoText } from '../reporting/plan-evidence.ts';
import type { FailureChoice } from '../../domain/tables/failure-advice.ts';
import { CHOICES } from './choices.ts';
import { causesOf } from '../runtime/phase-failure.ts';
import type { GateRequest } from './gate-request.ts';

/** `mode`: how to run the step again; undefined where people chose something else, or nobody did. */
export interface FailureDecision {
  state: Exclude<GateState, { kind: 'open' }>;
  mode?: RetryMode;
}

/** `back`: as goBackChoices says. `seen`: what else is not well in the cluster. */
export async function decideFailure(
  gates: Pick<Gatekeeper, 'ask'>,
  step: PlannedStep,
  round: number,
  failure: ApplicationFailure,
  { back, seen }: { back: GateChoice[]; seen: GateEvidence[] },
): Promise<FailureDecision> {
  const causes = causesOf(failure);
  const request = failureGate(step, round, failure, causes);
  const evidence = [...request.evidence, ...seen];
  const state = await gates.ask({ ...request, evidence, choices: [...request.choices, ...back] });
  switch (choiceAt(state)) {
    case 'retry':
      return { state, mode: {} };
    case 'overwrite':
      return { state, mode: { overwrite: helpedBy('overwrite', causes) } };
    case 'ask-force': {
      const force = helpedBy('force', causes);
      const forced = await gates.ask(forceGate(step, round, failure, force));
      const choice = choiceAt(forced);
      if (choice === 'force') return { state: forced, mode: { force } };
      return { state: forced, ...(choice === 'retry' ? { mode: {} } : {}) };
    }
    default:
      return { state };
  }
}

const choiceAt = (state: GateState): string | undefined => (state.kind === 'decided' ? state.decision.choice : undefined);

function failureGate(step: PlannedStep, round: number, failure: ApplicationFailure, causes: FailureCause[]): GateRequest {
  const choices = choicesFor(causes)
    // A skipped control plane would leave the rest of the hop without a meaning.
    .filter((choice) => choice !== 'skip' || !['control-plane', 'control-plane-back'].includes(step.phase))
    .map((choice) => choiceOf(choice, step, causes));
  return {
    id: gateId('failed', step.id, round),
    step: step.id,
    title: `${step.title} failed`,
    next: `${choices[0]?.label ?? 'Retry'} runs the step again; what is already done is not repeated.`,
    evidence: [{ title: 'What happened', lines: [failure.message] }, ...meaning(failure.message, causes), ...evidenceOf(failure)].slice(
      0,
      6,
    ),
    undo: undoText(step),
    choices,
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
function choiceOf(choice: FailureChoice, step: PlannedStep, causes: readonly FailureCause[]): GateChoice {
  const names = helpedBy(choice, causes).join(', ');
  switch (choice) {
    case 'retry':
      return CHOICES.retry;
    case 'fixed':
      return {
        ...CHOICES.retry,
        label: 'Fixed: go on',
        does: 'Runs the step again once you have mended what is named; what is done already is not done twice.',
      };
    case 'preserve':
      return { ...CHOICES.retry, label: 'Preserve', does: `Updates ${names} again and keeps what others changed in it.` };
    case 'overwrite':
      return {
        id: 'overwrite',
        label: 'Overwrite',
        style: 'danger',
        needsReason: true,
        does: `Updates ${names} again and puts EKS's defaults in the place of what others changed in it. That cannot be brought back from here.`,
      };
    case 'force':
      return { id: 'ask-force', label: 'Retry with force', does: `Asks once more before ${names} is forced; nothing is done yet.` };
    case 'skip':
      return skipChoice(step);
    case 'abort':
      return CHOICES.abort;
  }
}

/** What force does is said where it is decided, and nowhere else is it done. */
function forceGate(step: PlannedStep, round: number, failure: ApplicationFailure, names: readonly string[]): GateRequest {
  const what = names.join(', ');
  const does =
    step.phase === 'control-plane'
      ? `Sends UpdateClusterVersion with force: EKS moves ${what} although its upgrade insights show issues.`
      : `Sends UpdateNodegroupVersion with force for ${what}: pods that cannot be evicted are killed with their nodes, whatever their disruption budgets say.`;
  return {
    id: gateId('force', step.id, round),
    step: step.id,
    title: `Force ${what}?`,
    next: does,
    evidence: [{ title: 'Why without force it failed', lines: [failure.message] }],
    undo:
      step.phase === 'control-plane'
        ? undoText(step)
        : 'Nothing of it: pods that are killed have not ended by themselves, and services below their budgets may be interrupted.',
    choices: [
      { id: 'force', label: 'Force', style: 'danger', needsReason: true, does },
      { ...CHOICES.retry, label: 'Retry without force' },
      CHOICES.abort,
    ],
  };
}

/** What going on without the step means, where it means more than that. */
function skipChoice(step: PlannedStep): GateChoice {
  if (step.phase !== 'freeze-drift') return CHOICES.skip;
  return {
    ...CHOICES.skip,
    style: 'danger',
    does: 'Continues without a freeze: Karpenter replaces its nodes as soon as it sees the new version, before EKS reports the control plane done.',
  };
}

/** The evidence that a failed phase attached. */
function evidenceOf(failure: ApplicationFailure): GateEvidence[] {
  const details = failure.details?.[0];
  if (!Array.isArray(details)) return [];
  return details.filter((item): item is GateEvidence => typeof item === 'object' && item !== null && 'title' in item && 'lines' in item);
}
