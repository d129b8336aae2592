/** Looks, before each step after a control plane's and after each that failed, whether somebody takes the control plane back: no step is right after that. */
import { ApplicationFailure } from '@temporalio/common';
import { isCancellation } from '@temporalio/workflow';
import type { UnrequestedRollback } from '../../domain/run/unrequested-rollback.ts';
import type { FailureCause } from '../../domain/run/failure-causes.ts';
import type { Finding } from '../../domain/core/findings.ts';
import type { GateEvidence } from '../../domain/gates/gate.ts';
import type { PhaseId } from '../../domain/core/phases.ts';
import type { PlannedStep, UpgradePlan } from '../../domain/plan/model/types.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import { phaseActivities } from '../runtime/activity-proxies.ts';
import { notBegunBecauseOfRollback, rollbackEvidenceTitle, unrequestedRollbackLines } from '../messages/rollback-window.ts';
import { messageOf, rootCause } from '../runtime/root-cause.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { causesOf, phaseFailed } from '../runtime/phase-failure.ts';

const CAUSE: FailureCause = { scope: 'belay', code: 'GoingBack' };

/** They verify the control plane themselves, and more. */
const LOOK_THEMSELVES: readonly PhaseId[] = ['bake', 'validation'];

/** What a failed verification of the control plane means where that goes back. */
export function causesOfUnrequestedRollback(findings: readonly Finding[]): FailureCause[] {
  return findings.some(({ code, status }) => code === 'EKS105' && status === 'fail') ? [CAUSE] : [];
}

function saysSo(error: unknown): boolean {
  const root = rootCause(error);
  return root instanceof ApplicationFailure && causesOf(root).some(({ code }) => code === CAUSE.code);
}

export class RollbackCheck {
  readonly #cluster: ClusterRef;
  readonly #policy: UpgradePolicy;
  readonly #plan: UpgradePlan;

  constructor(of: { cluster: ClusterRef; policy: UpgradePolicy; plan: UpgradePlan }) {
    this.#cluster = of.cluster;
    this.#policy = of.policy;
    this.#plan = of.plan;
  }

  /** For the gate before the step: whoever approves knows of it. */
  async evidence(step: PlannedStep): Promise<GateEvidence[]> {
    const at = this.#movedTo(step);
    if (at === undefined) return [];
    try {
      const descent = await this.#look(at);
      return descent === undefined ? [] : [{ title: rollbackEvidenceTitle('FAILED'), lines: this.#words(descent), verdict: 'attention' }];
    } catch (error) {
      if (isCancellation(error)) throw error;
      return [{ title: rollbackEvidenceTitle('UNKNOWN'), lines: [messageOf(error)], verdict: 'unknown' }];
    }
  }

  /** Throws where the step would begin on a control plane that goes back. */
  async before(step: PlannedStep): Promise<void> {
    const at = this.#movedTo(step);
    if (at === undefined || LOOK_THEMSELVES.includes(step.phase)) return;
    const descent = await this.#look(at);
    if (descent !== undefined) throw this.#failure(notBegunBecauseOfRollback(step.title), descent);
  }

  /** What people should know first of a step that has failed: that, or else its own failure. */
  async behind(step: PlannedStep, error: unknown): Promise<unknown> {
    const at = this.#movedTo(step);
    if (at === undefined || saysSo(error)) return error;
    try {
      const descent = await this.#look(at);
      return descent === undefined ? error : this.#failure(messageOf(error).replace(/\.$/, ''), descent);
    } catch {
      return error;
    }
  }

  #failure(what: string, descent: UnrequestedRollback): Error {
    const [said = '', ...more] = this.#words(descent);
    const message = what.includes(said) ? what : `${what}: ${said}`;
    return phaseFailed(message, [{ title: 'Who asked', lines: more }], [CAUSE]);
  }

  #words(descent: UnrequestedRollback): string[] {
    return unrequestedRollbackLines(descent, this.#cluster.region);
  }

  async #look(at: string): Promise<UnrequestedRollback | undefined> {
    const { quick } = phaseActivities(this.#policy.timing);
    const found = await quick.findUnrequestedRollback.executeWithOptions({ summary: `Does the control plane stay at ${at}?` }, [
      { cluster: this.#cluster, at },
    ]);
    return found.descent;
  }

  /** Where this run has brought the control plane before the step. */
  #movedTo({ id }: PlannedStep): string | undefined {
    const before = this.#plan.steps.slice(
      0,
      this.#plan.steps.findIndex((step) => step.id === id),
    );
    const moves = before.flatMap(({ params }) => (params.phase === 'control-plane' ? [params.to] : []));
    return moves.at(-1);
  }
}
