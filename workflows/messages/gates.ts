/** Gates between the steps of a run: before a step, before a faster pace, and after a change that no step requested. */
import { type Actor, actorName } from '../../domain/gates/actor.ts';
import type { GateEvidence } from '../../domain/gates/gate.ts';
import { about, because } from '../../domain/core/text.ts';
import { usualRange } from '../../domain/plan/model/usual.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import { AUTOMATIC, paceText } from '../../domain/policy/pace.ts';
import { causeOf, differenceLines, headline, putBackLines } from '../../domain/run/side-effects/text.ts';
import type { SideEffect } from '../../domain/run/side-effects/side-effect.ts';
import { CHOICES } from './choices.ts';
import { alarm, type GateText, info, type Note, warning } from './note.ts';

type Offer = GateText['choices'][number];

/** Headline of the run while a gate is open. */
export const waitingForDecision = (about: string): string => `Waiting for a decision: ${about}`;

/** Why a run stopped at a gate that expired. `after`: what it was about. */
export const nobodyDecided = (gate: string, after?: string): string =>
  `Nobody decided at ${gate} in time${after === undefined ? '' : ` (${after})`}`;

export const nobodyApproved = (gate: string, step: string): string => `Nobody decided at ${gate} in time, so ${step} did not start`;

export const stepRejected = (step: string, by: Actor | undefined): string =>
  `${step} was rejected${by === undefined ? '' : ` by ${actorName(by)}`}`;

/** `evidence`: what the steps before have learnt. `keepsFreeze`: a control plane has moved, so that stopping does not lift the freeze. */
export function approveStepGate(
  step: Pick<PlannedStep, 'phase' | 'title' | 'gate' | 'expectedMs' | 'usual'>,
  { evidence, undo, keepsFreeze }: { evidence: GateEvidence[]; undo: string; keepsFreeze: boolean },
): GateText {
  return {
    title: step.gate?.title ?? `${step.title}?`,
    next: [step.gate?.next ?? step.title, ...takes(step)].join(' '),
    evidence,
    undo,
    choices: [approve(step), keepsFreeze ? rejectAndKeepFrozen() : CHOICES.reject],
  };
}

/** The plan of a way back says it itself. Of other steps only what was learnt is worth a sentence. */
function takes({ phase, expectedMs, usual }: Pick<PlannedStep, 'phase' | 'expectedMs' | 'usual'>): string[] {
  if (phase === 'control-plane-back') return [];
  if (usual !== undefined) return [`It ${usualRange(expectedMs, usual).replace(/^usually/, 'usually takes')}.`];
  return phase === 'control-plane' ? [`It takes ${about(expectedMs)}.`] : [];
}

/** Why a cluster went back is what everybody asks afterwards. */
function approve({ phase, gate }: Pick<PlannedStep, 'phase' | 'gate'>): Offer {
  return phase === 'rollback-checks' || gate?.reason === true ? { ...CHOICES.approve, needsReason: true } : CHOICES.approve;
}

const rejectAndKeepFrozen = (): Offer => ({
  ...CHOICES.reject,
  does: 'Stops the upgrade here. The freeze stays while nodes lag behind the control plane; you are asked what to do with it.',
});

/** `present`: the pace now. `step`: the title of the one that rolls nodes. */
export function fasterPaceGate(
  step: string,
  { pace, present, actor, reason }: { pace: string; present: string; actor: Actor; reason?: string },
): GateText {
  const does = pace === AUTOMATIC ? 'The plan sets the pace again.' : `Karpenter replaces ${paceText(pace)}.`;
  return {
    title: `${step}: ${pace === AUTOMATIC ? 'return the pace to the plan' : `pace ${pace}`}?`,
    next: does,
    evidence: [{ title: 'Request', lines: [`By ${actorName(actor)}${because(reason)}`, `Now Karpenter replaces ${paceText(present)}`] }],
    undo: 'Any approver can slow it down or freeze it again at any time. Nodes that are already replaced stay replaced.',
    choices: [
      { id: 'set-pace', label: 'Set this pace', style: 'primary', does },
      { ...CHOICES.reject, does: 'Leaves the pace as it is.' },
    ],
  };
}

export function unrequestedChangeGate(effects: readonly SideEffect[]): GateText {
  return {
    title: `Something else changed: ${effects.map(headline).join('; ')}`.slice(0, 140),
    next: 'The step continues with these fields as they are now. Belay does not restore them.',
    evidence: [
      { title: 'Before → now', lines: differenceLines(effects) },
      { title: 'Likely cause', lines: causeOf(effects) },
      { title: 'To restore it', lines: putBackLines(effects) },
    ],
    undo: 'What the step itself has changed stays.',
    choices: [
      { id: 'look-again', label: 'Look again', style: 'primary', does: 'Reads these fields again and continues once they are as before.' },
      {
        id: 'accept-change',
        label: 'Continue',
        style: 'danger',
        needsReason: true,
        does: 'Continues with the changed fields. Belay restores none of them.',
      },
      CHOICES.abort,
    ],
  };
}

/** Told where nobody can be asked: by a guard, or while the run is being stopped. */
export const unrequestedChange = (effects: readonly SideEffect[]): Note =>
  alarm(`ALARM: changed, although the step did not request it:\n${[...differenceLines(effects), ...putBackLines(effects)].join('\n')}`);

export const changeRestored = (what: string): Note => info(`${what}: restored.`);

export const changeAccepted = (what: string): Note => warning(`${what}: changed; Continue was chosen.`);

/** Reason of an abort. */
export const changedUnrequested = (what: string): string => `${what} changed, although the step did not request it`;

export const changeUndecided = (what: string): string => `${changedUnrequested(what)}, and nobody decided in time`;
