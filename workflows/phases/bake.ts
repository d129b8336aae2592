/** Verify the control plane, then watch for a while before nodes may move: until they do, going back is cheap. */
import { sleep } from '@temporalio/workflow';
import { verdictOf } from '../../domain/findings.ts';
import type { GateEvidence } from '../../domain/gate.ts';
import { bakeAtGate } from '../bake-gate.ts';
import { findingsEvidence } from '../findings-evidence.ts';
import { paramsOf, Phase, phaseFailed, type PhaseInput, type PhaseResult } from '../phase.ts';
import { causesOfDescent } from '../stays-up.ts';

export async function bake(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const { to, bakeMs, gate } = paramsOf(input, 'bake');
    const before = await verify(phase, to, 'right after the update');
    const end = gate === true ? await bakeAtGate(phase, { to, bakeMs }, before) : await bakeAlone(to, bakeMs);
    const evidence = await verify(phase, to, 'after the bake');
    return { summary: `Control plane verified at ${to}, before and after the bake${end}`, evidence: [evidence] };
  });
}

/** Too short for anybody to decide in, or planned before a bake had a gate. */
async function bakeAlone(to: string, bakeMs: number): Promise<''> {
  await sleep(bakeMs, { summary: `Bake at ${to}` });
  return '';
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
      causesOfDescent(findings),
    );
  return evidence;
}
