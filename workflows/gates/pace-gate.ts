/** The gate before Karpenter replaces nodes faster than now: where the approvals ask for more than one vote, a command alone does not do it. */
import { rulesOf } from '../../domain/gates/approvals.ts';
import { needsQuorum } from '../../domain/gates/choices.ts';
import { mayBeFaster } from '../../domain/policy/pace.ts';
import { phaseOf } from '../../domain/core/phases.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { FreezeView } from '../../domain/run/record/status.ts';
import { gateId } from '../contract/ids.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { fasterPaceGate } from '../messages/gates.ts';
import type { GateRequest } from './gate-request.ts';

/** Does the pace wait for more people than the one who asks for it? */
export function paceNeedsGate({ approvals }: UpgradePolicy, step: string, pace: string, freeze: FreezeView): boolean {
  const quorum = rulesOf(approvals, phaseOf(step)).reduce((sum, rule) => sum + rule.quorum, 0);
  return quorum > 1 && needsQuorum('set-pace', approvals) && mayBeFaster(pace, presentPace(freeze));
}

/** As the step that rolls nodes has told last. */
const presentPace = ({ state, note }: FreezeView): string => (state === 'pacing' && note !== undefined ? note : 'freeze');

/** `title`: of the step. */
export function paceGate(
  step: { id: string; title: string },
  round: number,
  wish: { actor: Actor; pace: string; reason?: string },
  freeze: FreezeView,
): GateRequest {
  return { ...fasterPaceGate(step.title, { ...wish, present: presentPace(freeze) }), id: gateId('pace', step.id, round), step: step.id };
}
