/** The control plane back to the minor that it came from: looked at twice, then moved as on the way up. */
import { CancellationScope } from '@temporalio/workflow';
import { stops } from '../../../domain/core/findings.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import type { StepId } from '../../../domain/core/phases.ts';
import type { StepParams } from '../../../domain/plan/model/step-params.ts';
import { count } from '../../../domain/core/text.ts';
import { findingsEvidence } from '../../reporting/finding-evidence.ts';
import { rollingBackWithNodes } from '../../messages/eks/auto-mode-back.ts';
import { applyControlPlaneBack, rollbackStarted, rollingBack } from '../../messages/eks/control-plane.ts';
import { Phase } from '../base/phase.ts';
import { watchAutoModeBack } from './auto-mode-back.ts';
import { adoptTerraforms, endedBadly, readEksClock, watchControlPlane } from './eks-update.ts';
import { withFargateStopped } from './fargate-stop.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { StartedUpdate } from '../../../activities/contract/eks.ts';
import { defined } from '../../../domain/core/defined.ts';

export async function rollbackChecks(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const { to } = paramsOf(input, 'rollback-checks');
    const evidence = await check(phase, to, input.later);
    return { summary: `EKS can roll back to ${to}`, evidence: [evidence] };
  });
}

export async function controlPlaneBack(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const params = paramsOf(input, 'control-plane-back');
    const { to, fargate } = params;
    if (fargate === undefined) return await goBack(phase, params);
    // What is about to be stopped stands in nobody's way yet.
    await check(phase, to, [input.step.id]);
    return await withFargateStopped(phase, { to, planned: fargate, expectedMs: input.step.expectedMs }, () => goBack(phase, params));
  });
}

async function goBack(phase: Phase, params: Extract<StepParams, { phase: 'control-plane-back' }>): Promise<PhaseResult> {
  const { from, to, managedBy, autoMode } = params;
  // What was planned away is gone by now, or the control plane stays where it is.
  await check(phase, to);
  const notBefore = await readEksClock(phase);
  const started = await (managedBy === 'terraform'
    ? foreign(phase, from, to, notBefore)
    : own(phase, to, notBefore, autoMode?.timeoutMinutes));
  const { updateId, adopted } = started;
  if (updateId === undefined) return { summary: `The control plane is at ${to} already` };
  phase.now((autoMode === undefined ? rollingBack : rollingBackWithNodes)({ updateId, from, to }));
  phase.announcer.note(rollbackStarted({ updateId, from, to, adopted }));
  const outcome = await (autoMode === undefined
    ? watchControlPlane(phase, updateId, to)
    : watchAutoModeBack(phase, { updateId, from, to, autoMode }));
  if (outcome.status !== 'Successful') throw endedBadly(`EKS update ${updateId} back to ${to}`, outcome);
  return {
    summary: `Control plane back at ${to} (update ${updateId})`,
    evidence: [{ title: 'Control plane', lines: [`EKS update ${updateId} successful`] }],
  };
}

async function check(phase: Phase, to: string, later: StepId[] = []): Promise<GateEvidence> {
  const { findings, passedCount } = await phase.activities.survey.checkWayBack.executeWithOptions(
    { summary: `Check the rollback to ${to}` },
    [{ ...phase.target, to, policy: phase.input.policy, later }],
  );
  const evidence = findingsEvidence(`Rollback to ${to}`, findings, passedCount);
  const blocking = findings.filter(stops);
  const [first] = blocking;
  if (first !== undefined)
    throw phaseFailed(`Rollback to ${to}: ${count(blocking.length, 'condition')} not met. ${first.message}`, [evidence]);
  return evidence;
}

/** Look, adopt or start. An abort between sending and recording must not lose the update, so it is not cancellable. */
function own(phase: Phase, to: string, notBefore: string, nodesTimeoutMinutes: number | undefined): Promise<StartedUpdate> {
  return CancellationScope.nonCancellable(() =>
    phase.activities.quick.startControlPlaneUpdate.executeWithOptions({ summary: `Start or adopt the rollback to ${to}` }, [
      {
        cluster: phase.cluster,
        to,
        token: phase.token('UpdateClusterVersion', phase.cluster.name),
        notBefore,
        back: true,
        ...defined({ nodesTimeoutMinutes }),
      },
    ]),
  );
}

function foreign(phase: Phase, from: string, to: string, notBefore: string): Promise<StartedUpdate> {
  phase.ask(applyControlPlaneBack(phase.cluster.name, { from, to }));
  return adoptTerraforms(phase, { to, notBefore, update: 'a rollback' });
}
