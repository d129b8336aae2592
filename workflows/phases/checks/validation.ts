/** The whole cluster at the target: the last word before the report. */
import { verdictOf } from '../../../domain/core/findings.ts';
import { findingsEvidence } from '../../reporting/finding-evidence.ts';
import { Phase } from '../base/phase.ts';
import { causesOfUnrequestedRollback } from '../../watch/unrequested-rollback.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import { defined } from '../../../domain/core/defined.ts';

export async function validation(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const { to, back } = paramsOf(input, 'validation');
    const { findings, passedCount } = await phase.activities.survey.validateCluster.executeWithOptions({ summary: `Validate at ${to}` }, [
      { ...phase.target, to, policy: input.policy, ...defined({ back }) },
    ]);
    const evidence = [findingsEvidence('Validation', findings, passedCount)];
    if (verdictOf(findings) !== 'ready')
      throw phaseFailed(
        `Validating the cluster at ${to}: ${evidence[0]?.lines[1] ?? 'a check failed'}`,
        evidence,
        causesOfUnrequestedRollback(findings),
      );
    return { summary: `${passedCount} checks passed at ${to}`, evidence };
  });
}
