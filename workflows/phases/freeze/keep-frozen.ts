/** A freeze that stays because nodes lag behind the control plane: said every day, until people choose or somebody takes it over. */
import { condition } from '@temporalio/workflow';
import { parseStepId } from '../../../domain/core/phases.ts';
import { gateId } from '../../contract/ids.ts';
import { freezeKept, keepFreezeGate } from '../../messages/karpenter/freeze.ts';
import { amisHeld, amisNotHeld } from '../../messages/karpenter/node-classes.ts';
import type { Phase } from '../base/phase.ts';
import { paramsOf } from '../../contract/phase.ts';
import { asPhaseFailure, isReplaced } from '../../runtime/phase-failure.ts';
import type { GateRequest } from '../../gates/gate-request.ts';
import { agree, count } from '../../../domain/core/text.ts';
import { nodesNotAt } from '../../../domain/facts/version-skew.ts';

/** Throws where the cluster is another one. Once the control plane has moved and nodes lag behind it, lifting would replace every node unasked. Unknown counts as lagging. */
export async function whyKeepFrozen(phase: Phase, controlPlaneBefore: string): Promise<string | undefined> {
  try {
    const skew = await phase.activities.survey.readSkew.executeWithOptions({ summary: 'Does any node lag behind the control plane?' }, [
      { cluster: phase.cluster },
    ]);
    if (skew.updating) return `the control plane is being updated from ${controlPlaneBefore}`;
    const lagging = nodesNotAt(skew.controlPlane, skew);
    // A freeze that was kept by an earlier run stands for a control plane that moved then.
    const { frozenBefore = [], back } = paramsOf(phase.input, 'freeze-drift');
    if (back !== undefined && skew.controlPlane !== controlPlaneBefore)
      return `the control plane has just gone back to ${skew.controlPlane}, and Karpenter may take it for ${controlPlaneBefore} for some minutes yet`;
    // On a way back nodes move first.
    const moved = back !== undefined || skew.controlPlane !== controlPlaneBefore || frozenBefore.length > 0;
    if (!moved || lagging.count === 0) return undefined;
    return `the control plane is at ${skew.controlPlane} and ${count(lagging.count, 'node')} ${agree(lagging.count, 'is', 'are')} ${back === undefined ? 'still ' : ''}at ${lagging.byMinor.map(([minor]) => minor).join(', ')}`;
  } catch (error) {
    if (isReplaced(error)) throw error;
    return `it cannot be read whether nodes lag behind the control plane (${asPhaseFailure('reading versions', error).message})`;
  }
}

/** How the keeping ends: the budgets are to be restored (`rolls`: and nodes replaced), or another run's guard has the freeze now. */
export type KeptEnd =
  | { kind: 'restore'; why: string; rolls: boolean }
  | { kind: 'taken-over'; by: string }
  /** The cluster is another one. */
  | { kind: 'gone'; why: string };

export const guardedBy = (guard: string): string => `${guard} guards the freeze from now on`;

/** `released`: somebody else ends the keeping. */
export async function keepFrozen(phase: Phase, why: string, released: () => KeptEnd | undefined): Promise<KeptEnd> {
  phase.announcer.note(freezeKept(why));
  for (let round = 1; ; round += 1) {
    phase.now(`Freeze kept: ${why}. Waiting for a decision.`);
    const askedAtMs = Date.now();
    const state = await phase.gates.ask(keptGate(phase, round, why), () => withdrawal(released()));
    const choice = state.kind === 'decided' ? state.decision.choice : undefined;
    phase.now(choice === undefined || choice === 'keep-frozen' ? `Freeze kept: ${why}. Belay asks again tomorrow.` : `Chosen: ${choice}.`);
    if (choice === 'lift-and-roll') return { kind: 'restore', why: 'Lift and roll was chosen', rolls: true };
    if (choice === 'hold-amis' && (await holdAmis(phase))) return { kind: 'restore', why: 'Hold the AMIs was chosen', rolls: false };
    const restMs = askedAtMs + phase.timing.freezeReminderMs - Date.now();
    if (released() === undefined && restMs > 0)
      await condition(() => released() !== undefined, restMs, { summary: 'Say it again tomorrow' });
    const end = released();
    if (end !== undefined) return end;
  }
}

function withdrawal(end: KeptEnd | undefined): string | undefined {
  return end?.kind === 'taken-over' ? 'another run has taken the freeze over' : end?.why;
}

function keptGate(phase: Phase, round: number, why: string): GateRequest {
  const { step } = phase.input;
  const back = paramsOf(phase.input, 'freeze-drift').back !== undefined;
  const version = back ? "the control plane's version" : parseStepId(step.id).minor;
  return {
    ...keepFreezeGate({ cluster: phase.cluster.name, why, version, back }),
    id: gateId('kept', step.id, (phase.input.round - 1) * 100 + round),
    step: step.id,
    deadlineMs: phase.timing.freezeReminderMs,
    // It is asked again every day: that is reminder enough.
    reminders: false,
  };
}

async function holdAmis(phase: Phase): Promise<boolean> {
  const { cluster } = phase;
  let problem: string;
  try {
    const result = await phase.activities.quick.holdAmis.executeWithOptions({ summary: 'Pin EC2NodeClasses to the images in use' }, [
      { cluster },
    ]);
    if (result.refused.length === 0) {
      phase.announcer.note(amisHeld(result.held));
      return true;
    }
    problem = result.refused.map((r) => `${r.nodeClass}: ${r.why}`).join('; ');
    const back = await phase.activities.owed.releaseAmis.executeWithOptions({ summary: 'Take the pins back' }, [{ cluster }]);
    if (back.failed.length > 0) problem += `; NOT undone: ${back.failed.map((f) => `${f.nodeClass}: ${f.why}`).join('; ')}`;
  } catch (error) {
    problem = asPhaseFailure('pinning', error).message;
  }
  phase.announcer.note(amisNotHeld(problem));
  return false;
}
