/** Verify the control plane, then watch for a while before nodes may move: until they do, going back is cheap. */
import { sleep } from '@temporalio/workflow';
import { verdictOf } from '../../../domain/core/findings.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import { bakeAtGate } from '../base/bake-gate.ts';
import { findingsEvidence } from '../../reporting/finding-evidence.ts';
import { undoText } from '../../reporting/plan-evidence.ts';
import { Phase } from '../base/phase.ts';
import { causesOfUnrequestedRollback } from '../../watch/unrequested-rollback.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

export async function bake(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const { to, bakeMs, gate } = paramsOf(input, 'bake');
    const before = await verify(phase, to, 'right after the update');
    const bakeOver = (): Promise<void> => sleep(bakeMs, { summary: `Bake at ${to}` });
    // No gate if it is too short for anybody to decide in.
    const isEarly =
      gate === true
        ? await bakeAtGate(phase, {
            baked: { after: 'control-plane', to },
            bakeMs,
            watch: bakeOver,
            seen: before,
            undo: undoText(input.step),
          })
        : await unasked(bakeOver);
    const end = isEarly ? ', which was ended early' : '';
    const evidence = await verify(phase, to, 'after the bake');
    return { summary: `Control plane verified at ${to}, before and after the bake${end}`, evidence: [evidence] };
  });
}

async function unasked(bakeOver: () => Promise<void>): Promise<false> {
  await bakeOver();
  return false;
}

async function verify(phase: Phase, to: string, when: string): Promise<GateEvidence> {
  const { findings, passedCount } = await phase.activities.survey.verifyControlPlane.executeWithOptions(
    { summary: `Verify ${to} ${when}` },
    [{ ...phase.target, to }],
  );
  const evidence = findingsEvidence(`Control plane ${when}`, findings, passedCount);
  if (verdictOf(findings) !== 'ready')
    throw phaseFailed(
      `Verifying the control plane at ${to} ${when}: ${evidence.lines[1] ?? 'a check failed'}`,
      [evidence],
      causesOfUnrequestedRollback(findings),
    );
  return evidence;
}
