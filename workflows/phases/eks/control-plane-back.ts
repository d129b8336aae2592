/** The control plane back to the minor that it came from: looked at twice, then moved as on the way up. */
import type { ApplicationFailure } from '@temporalio/common';
import { CancellationScope } from '@temporalio/workflow';
import { type Finding, stops } from '../../../domain/core/findings.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import type { StepId } from '../../../domain/core/phases.ts';
import type { StepParams } from '../../../domain/plan/model/step-params.ts';
import { count } from '../../../domain/core/text.ts';
import { gateId } from '../../contract/ids.ts';
import { findingsEvidence } from '../../reporting/finding-evidence.ts';
import { undoText } from '../../reporting/plan-evidence.ts';
import { rollingBackWithNodes } from '../../messages/eks/auto-mode-back.ts';
import { applyControlPlaneBack, rollbackStarted, rollingBack, unknownBackGate } from '../../messages/eks/control-plane.ts';
import { fargateStaysStopped } from '../../messages/eks/slow-update.ts';
import { Phase } from '../base/phase.ts';
import { watchAutoModeBack } from './auto-mode-back.ts';
import { adoptTerraforms, endedBadly, readEksClock } from './eks-update.ts';
import { withFargateStopped } from './fargate-stop.ts';
import { watchControlPlane } from './watch-control-plane.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { StartedUpdate } from '../../../activities/contract/eks.ts';
import { defined } from '../../../domain/core/defined.ts';

export async function rollbackChecks(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const { to } = paramsOf(input, 'rollback-checks');
    const { evidence, blocking } = await lookBack(phase, to, input.later);
    if (blocking.length > 0) throw notMet(to, blocking, evidence);
    return { summary: `EKS can roll back to ${to}`, evidence: [evidence] };
  });
}

export async function controlPlaneBack(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const params = paramsOf(input, 'control-plane-back');
    const { to, fargate } = params;
    const conditions = new BackConditions(phase, to);
    if (fargate === undefined) return await goBack(phase, params, conditions);
    // What is about to be stopped stands in nobody's way yet.
    await conditions.agree([input.step.id]);
    const planned = { to, planned: fargate, expectedMs: input.step.expectedMs };
    return await withFargateStopped(phase, planned, () => goBack(phase, params, conditions));
  });
}

async function goBack(
  phase: Phase,
  params: Extract<StepParams, { phase: 'control-plane-back' }>,
  conditions: BackConditions,
): Promise<PhaseResult> {
  const { from, to, managedBy, autoMode, fargate } = params;
  // What was planned away is gone by now, or the control plane stays where it is.
  await conditions.agree();
  const notBefore = await readEksClock(phase);
  const started = await (managedBy === 'terraform'
    ? foreign(phase, from, to, notBefore)
    : own(phase, to, notBefore, autoMode?.timeoutMinutes));
  const { updateId, adopted } = started;
  if (updateId === undefined) return { summary: `The control plane is at ${to} already` };
  phase.now((autoMode === undefined ? rollingBack : rollingBackWithNodes)({ updateId, from, to }));
  phase.announcer.note(rollbackStarted({ updateId, from, to, adopted }));
  const outcome = await (autoMode === undefined
    ? watchControlPlane(phase, updateId, to, fargate === undefined ? [] : [fargateStaysStopped()])
    : watchAutoModeBack(phase, { updateId, from, to, autoMode }));
  if (outcome.status !== 'Successful') throw endedBadly(`EKS update ${updateId} back to ${to}`, outcome);
  return {
    summary: `Control plane back at ${to} (update ${updateId})`,
    evidence: [{ title: 'Control plane', lines: [`EKS update ${updateId} successful`] }],
  };
}

interface Looked {
  evidence: GateEvidence;
  passedCount: number;
  /** What is not met, or not known. */
  blocking: Finding[];
}

async function lookBack(phase: Phase, to: string, later: StepId[] = []): Promise<Looked> {
  const { findings, passedCount } = await phase.activities.survey.checkWayBack.executeWithOptions(
    { summary: `Check the rollback to ${to}` },
    [{ ...phase.target, to, policy: phase.input.policy, later }],
  );
  return {
    evidence: findingsEvidence(`Rollback to ${to}`, findings, passedCount),
    passedCount,
    blocking: findings.filter(stops),
  };
}

function notMet(to: string, blocking: readonly Finding[], evidence: GateEvidence): ApplicationFailure {
  const failed = blocking.filter(isNotMet);
  const [first] = [...failed, ...blocking];
  const end = failed.length > 0 ? 'not met' : 'could not be checked';
  return phaseFailed(`Rollback to ${to}: ${count(blocking.length, 'condition')} ${end}. ${first?.message ?? ''}`, [evidence]);
}

const isNotMet = ({ status }: Finding): boolean => status === 'fail';

/** Right before the control plane moves: what is not met stops it, and what is not known is for people to accept. */
class BackConditions {
  readonly #phase: Phase;
  readonly #to: string;
  /** Workloads may be DOWN by the second look: nobody is asked about the same again. */
  readonly #accepted = new Set<string>();
  #askedCount = 0;

  constructor(phase: Phase, to: string) {
    this.#phase = phase;
    this.#to = to;
  }

  /** `later`: steps that deal with some of it. */
  async agree(later?: StepId[]): Promise<void> {
    for (;;) {
      const { evidence, passedCount, blocking } = await lookBack(this.#phase, this.#to, later);
      if (blocking.some(isNotMet)) throw notMet(this.#to, blocking, evidence);
      const unknown = blocking.filter(({ message }) => !this.#accepted.has(message));
      if (unknown.length === 0 || (await this.#ask(unknown, passedCount)) === 'go-anyway') return;
    }
  }

  async #ask(unknown: readonly Finding[], passedCount: number): Promise<string> {
    const { step, round } = this.#phase.input;
    this.#askedCount += 1;
    const state = await this.#phase.gates.ask({
      ...unknownBackGate(this.#to, {
        unknownCount: unknown.length,
        seen: findingsEvidence(`Rollback to ${this.#to}`, unknown, passedCount),
        undo: undoText(step),
      }),
      id: gateId('change', step.id, (round - 1) * 100 + this.#askedCount, 'unknown'),
      step: step.id,
    });
    const problem = `Rollback to ${this.#to}: ${count(unknown.length, 'condition')} could not be checked`;
    if (state.kind !== 'decided') throw phaseFailed(`${problem}, and nobody decided in time; nothing was started`);
    const { choice } = state.decision;
    if (choice === 'abort') return this.#phase.abort(state.decision, problem);
    if (choice === 'go-anyway') for (const { message } of unknown) this.#accepted.add(message);
    return choice;
  }
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
  return adoptTerraforms(phase, { from, to, notBefore, update: 'a rollback' });
}
