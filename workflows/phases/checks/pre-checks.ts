/** Is the cluster fit for the next minor? Reads only. A failed required check, or one that cannot see, needs a human. */
import { stops, verdictOf } from '../../../domain/core/findings.ts';
import { count } from '../../../domain/core/text.ts';
import { findingsEvidence } from '../../reporting/finding-evidence.ts';
import { Phase } from '../base/phase.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import { defined } from '../../../domain/core/defined.ts';

export async function preChecks(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const { from, to, spared } = paramsOf(input, 'pre-checks');
    const { findings, passedCount } = await phase.activities.survey.runPreChecks.executeWithOptions(
      { summary: `Check readiness ${from} → ${to}` },
      [
        {
          ...phase.target,
          from,
          to,
          policy: input.policy,
          later: input.later,
          moving: input.moving,
          switching: input.switching,
          ...defined({ spared }),
        },
      ],
    );
    const seen = findingsEvidence('Pre-checks', findings, passedCount);
    const evidence = [seen];
    const verdict = verdictOf(findings);
    const blocking = findings.filter(stops);
    if (verdict === 'required-findings') {
      throw phaseFailed(`Pre-checks for ${to}: ${count(blocking.length, 'required finding')} to resolve`, evidence);
    }
    if (verdict === 'unknowns-only') {
      throw phaseFailed(`Pre-checks for ${to}: ${count(blocking.length, 'required check')} cannot see what must be known`, evidence);
    }
    // What could not be seen is no recommendation.
    const [counts = `${count(passedCount, 'check')} passed`] = seen.lines;
    return { summary: counts, evidence };
  });
}
