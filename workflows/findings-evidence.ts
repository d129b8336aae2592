/** Findings in the words of a gate. */
import type { Finding } from '../domain/findings.ts';
import type { GateEvidence } from '../domain/gate.ts';
import { count } from '../domain/words.ts';

/** Findings as evidence: failures first, then what cannot be seen, then what people live with. */
export function findingsEvidence(title: string, findings: readonly Finding[], passedCount: number): GateEvidence {
  const open = findings.filter((f) => f.waived === undefined);
  const failed = open.filter((f) => f.status === 'fail');
  const unknown = open.filter((f) => f.status === 'unknown');
  const waived = findings.filter((f) => f.waived !== undefined);
  const advice = failed.filter((f) => f.severity !== 'required').length;
  const counts = [
    `${passedCount} checks passed`,
    ...(failed.length > advice ? [`${failed.length - advice} failed`] : []),
    ...(unknown.length > 0 ? [`${unknown.length} could not see`] : []),
    ...(advice > 0 ? [count(advice, 'recommendation')] : []),
    ...(waived.length > 0 ? [`${waived.length} waived`] : []),
  ];
  return { title, lines: [counts.join(', '), ...[...failed, ...unknown, ...waived].slice(0, 12).map(findingLine)] };
}

/** A recommendation is its message; resources that the message names already are not said twice. */
function findingLine(f: Finding): string {
  const fresh = f.resources.filter((resource) => !f.message.includes(nameIn(resource)));
  const more = f.resourceCount > 3 ? ` and ${f.resourceCount - 3} more` : '';
  const shown = fresh.length === 0 ? '' : ` (${fresh.slice(0, 3).join(', ')}${more})`;
  const waived = f.waived === undefined ? '' : ` Waived by ${f.waived.by} until ${f.waived.until}: ${f.waived.reason}`;
  return `${markOf(f)}${f.message}${shown} [${f.code}]${waived}${remedyOf(f)}`;
}

/** Of what stops the step: the rest is advice, and `belay check` has its remedies. */
function remedyOf({ status, severity, waived, remediation }: Finding): string {
  return status === 'fail' && severity === 'required' && waived === undefined && remediation !== undefined ? ` Remedy: ${remediation}` : '';
}

function markOf({ title, status, severity, waived }: Finding): string {
  if (waived !== undefined) return 'WAIVED ';
  if (status === 'unknown') return `UNKNOWN ${title}: `;
  return severity === 'required' ? `FAILED ${title}: ` : '';
}

/** Without its namespace, and without what is said of it in brackets. */
function nameIn(resource: string): string {
  const [name = resource] = resource.split(' (');
  return name.slice(name.lastIndexOf('/') + 1);
}
