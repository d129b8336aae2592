/** The whole cluster at the target: the last word before the report. */
import { verdictOf } from '../../../domain/core/findings.ts';
import { findingsEvidence } from '../../reporting/finding-evidence.ts';
import { Phase } from '../base/phase.ts';
import { causesOfUnrequestedRollback } from '../../watch/unrequested-rollback.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import { defined } from '../../../domain/core/defined.ts';
import { count } from '../../../domain/core/text.ts';

export async function validation(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const { to, back } = paramsOf(input, 'validation');
    const { findings, passedCount } = await phase.activities.survey.validateCluster.executeWithOptions({ summary: `Validate at ${to}` }, [
      { ...phase.target, to, policy: input.policy, ...defined({ back, skipped: input.skipped }) },
    ]);
    const seen = findingsEvidence('Validation', findings, passedCount);
    const evidence = [seen];
    if (verdictOf(findings) !== 'ready')
      throw phaseFailed(
        `Validating the cluster at ${to}: ${seen.lines[1] ?? 'a check failed'}`,
        evidence,
        causesOfUnrequestedRollback(findings),
      );
    const acceptedCount = findings.filter(({ accepted }) => accepted !== undefined).length;
    const but = acceptedCount === 0 ? '' : `, ${acceptedCount} accepted`;
    return { summary: `${count(passedCount, 'check')} passed at ${to}${but}`, evidence };
  });
}
