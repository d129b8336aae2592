/** Findings in the words of a gate. */
import type { Finding } from '../domain/findings.ts';
import type { GateEvidence } from '../domain/gate.ts';
import { count } from '../domain/words.ts';

/** Findings as evidence: failures first, then what cannot be seen. */
export function findingsEvidence(title: string, findings: readonly Finding[], passedCount: number): GateEvidence {
  const failed = findings.filter((f) => f.status === 'fail');
  const unknown = findings.filter((f) => f.status === 'unknown');
  const advice = failed.filter((f) => f.severity !== 'required').length;
  const counts = [
    `${passedCount} checks passed`,
    ...(failed.length > advice ? [`${failed.length - advice} failed`] : []),
    ...(unknown.length > 0 ? [`${unknown.length} could not see`] : []),
    ...(advice > 0 ? [count(advice, 'recommendation')] : []),
  ];
  return { title, lines: [counts.join(', '), ...[...failed, ...unknown].slice(0, 12).map(findingLine)] };
}

/** A recommendation is its message; resources that the message names already are not said twice. */
function findingLine(f: Finding): string {
  const mark = f.status === 'unknown' ? `UNKNOWN ${f.title}: ` : f.severity === 'required' ? `FAILED ${f.title}: ` : '';
  const fresh = f.resources.filter((resource) => !f.message.includes(resource.slice(resource.lastIndexOf('/') + 1)));
  const more = f.resourceCount > 3 ? ` and ${f.resourceCount - 3} more` : '';
  const shown = fresh.length === 0 ? '' : ` (${fresh.slice(0, 3).join(', ')}${more})`;
  return `${mark}${f.message}${shown} [${f.code}]`;
}
