/** Findings in the words of a gate. */
import { type Finding, stops } from '../../domain/core/findings.ts';
import type { GateEvidence } from '../../domain/gates/gate.ts';
import { count } from '../../domain/core/text.ts';

/** Of what weighs in a decision, and of all together: a gate is read on a phone. */
const WEIGHTY = 12;
const ALL = 6;

/** Findings as evidence: what stops the step first, then what cannot be seen, then what people live with; advice where there is room. */
export function findingsEvidence(title: string, findings: readonly Finding[], passedCount: number): GateEvidence {
  const open = findings.filter((f) => f.waived === undefined && f.accepted === undefined);
  const failed = open.filter((f) => f.status === 'fail');
  const unknown = open.filter((f) => f.status === 'unknown');
  const waived = findings.filter((f) => f.waived !== undefined);
  const accepted = findings.filter((f) => f.accepted !== undefined);
  const advice = failed.filter((f) => f.severity !== 'required');
  const stopping = failed.filter((f) => f.severity === 'required');
  const counts = [
    `${count(passedCount, 'check')} passed`,
    ...(stopping.length > 0 ? [`${stopping.length} failed`] : []),
    ...(unknown.length > 0 ? [`${unknown.length} unknown`] : []),
    ...(advice.length > 0 ? [count(advice.length, 'recommendation')] : []),
    ...(waived.length > 0 ? [`${waived.length} waived`] : []),
    ...(accepted.length > 0 ? [`${accepted.length} accepted`] : []),
  ];
  const weighty = [...stopping, ...unknown, ...waived, ...accepted];
  const shown = [...weighty.slice(0, WEIGHTY), ...advice.slice(0, Math.max(0, ALL - weighty.length))];
  const left = weighty.length + advice.length - shown.length;
  const more = left > 0 ? [`${left} more: belay check shows them`] : [];
  const verdict =
    stopping.length + waived.length + accepted.length > 0
      ? 'attention'
      : unknown.length > 0
        ? 'unknown'
        : advice.length > 0
          ? 'advice'
          : 'clear';
  return { title, lines: [counts.join(', '), ...shown.map(findingLine), ...more], verdict };
}

/** A recommendation is its message; resources that the message names already are not said twice. */
function findingLine(f: Finding): string {
  const fresh = f.resources.filter((resource) => !f.message.includes(nameIn(resource)));
  const more = f.resourceCount > 3 ? ` and ${f.resourceCount - 3} more` : '';
  const shown = fresh.length === 0 ? '' : ` (${fresh.slice(0, 3).join(', ')}${more})`;
  const waived = f.waived === undefined ? '' : ` Waived by ${f.waived.by} until ${f.waived.until}: ${f.waived.reason}`;
  return `${markOf(f)}${f.message}${shown} [${f.code}]${waived}${skippedBy(f)}${remedyOf(f)}`;
}

function skippedBy({ accepted }: Finding): string {
  if (accepted === undefined) return '';
  const { what, by, reason } = accepted;
  return ` ${what} skipped by ${by}${reason === '' ? '' : `: ${reason}`}`;
}

/** Of what stops the step: the rest is advice, and `belay check` has its remedies. */
function remedyOf(f: Finding): string {
  const { status, remediation } = f;
  return status === 'fail' && stops(f) && remediation !== undefined ? ` Remedy: ${remediation}` : '';
}

function markOf({ title, status, severity, waived, accepted }: Finding): string {
  if (accepted !== undefined) return 'ACCEPTED ';
  if (waived !== undefined) return 'WAIVED ';
  if (status === 'unknown') return `UNKNOWN ${title}: `;
  return severity === 'required' ? `FAILED ${title}: ` : '';
}

/** Without its namespace, and without what is said of it in brackets. Of an ARN such as addon/CLUSTER/NAME/ID the name alone. */
function nameIn(resource: string): string {
  const [name = resource] = resource.split(' (');
  const ofArn = name.startsWith('arn:') ? name.split('/')[2] : undefined;
  if (ofArn !== undefined) return ofArn;
  return name.slice(name.lastIndexOf('/') + 1);
}
