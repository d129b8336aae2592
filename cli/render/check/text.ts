/** The readiness report for a terminal: a summary first, then what is open, worst first; what passes is a count. */
import pc from 'picocolors';
import { areaCounts, placeOf, standingOf } from './shared.ts';
import type { CheckFinding } from '../../../domain/readiness/check.ts';
import type { JudgedFinding } from '../../../domain/readiness/waivers.ts';
import type { ReadinessDiff, ReadinessReport } from '../../../domain/readiness/report.ts';
import { count } from '../../../domain/words.ts';
import { heading, table } from '../words.ts';

const NAMED = 5;

const VERDICTS: Record<ReadinessReport['verdict'], (target: string) => string> = {
  ready: (target) => pc.green(`Ready for ${target}.`),
  'required-findings': (target) => pc.red(`Not ready for ${target}: what is required comes first.`),
  'unknowns-only': (target) => pc.yellow(`Ready for ${target} as far as could be seen; what is unknown needs a human.`),
};

export function renderCheckText(report: ReadinessReport, diff?: ReadinessDiff): string {
  const { cluster, from, target, counts, findings, expiredWaivers } = report;
  const lines = [
    heading(`${cluster.name} (${cluster.account}, ${cluster.region}): ${from} → ${target}`),
    `${count(counts.required, 'required finding')}, ${counts.recommended} recommended, ${counts.unknown} unknown, ${counts.waived} waived, ${counts.passed} passed`,
    '',
    table(
      ['AREA', 'REQUIRED', 'RECOMMENDED', 'UNKNOWN', 'WAIVED', 'PASSED'],
      areaCounts(findings).map(({ area, required, recommended, unknown, waived, passed }) => [
        area,
        ...[required, recommended, unknown, waived, passed].map(String),
      ]),
    ),
    ...section('Required', pc.red('✗'), standing(findings, 'required')),
    ...section('Unknown', pc.yellow('?'), standing(findings, 'unknown')),
    ...section('Recommended', pc.yellow('!'), standing(findings, 'recommended')),
    ...section('Waived', pc.dim('–'), standing(findings, 'waived')),
    ...expiredWaivers.map(({ check, resource, by, until }) =>
      pc.yellow(`The waiver of ${check}${resource === undefined ? '' : ` for ${resource}`} by ${by} ended on ${until}.`),
    ),
    ...(diff === undefined ? [] : renderDiff(diff)),
    '',
    VERDICTS[report.verdict](target),
  ];
  return lines.join('\n');
}

const standing = (findings: readonly JudgedFinding[], wanted: ReturnType<typeof standingOf>): JudgedFinding[] =>
  findings.filter((finding) => standingOf(finding) === wanted);

function section(title: string, mark: string, findings: readonly JudgedFinding[]): string[] {
  if (findings.length === 0) return [];
  return ['', heading(title), ...findings.flatMap((finding) => renderFinding(mark, finding))];
}

function renderFinding(mark: string, { code, title, message, resources, remediation, waived }: JudgedFinding): string[] {
  const named = resources
    .slice(0, NAMED)
    .map((resource) => `      ${placeOf(resource)}${resource.note === undefined ? '' : pc.dim(`  ${resource.note}`)}`);
  const rest = resources.length - named.length;
  return [
    `  ${mark} ${pc.bold(code)}  ${title}`,
    `      ${message}`,
    ...named,
    ...(rest > 0 ? [pc.dim(`      … and ${rest} more; --format json has them all`)] : []),
    ...(waived === undefined ? [] : [`      Waived by ${waived.by} until ${waived.until}: ${waived.reason}`]),
    ...(remediation === undefined || waived !== undefined ? [] : [`      → ${remediation}`]),
  ];
}

function renderDiff({ fixed, added, changed, staying }: ReadinessDiff): string[] {
  const line = (mark: string, { code, message }: CheckFinding): string => `  ${mark} ${code}  ${message}`;
  return [
    '',
    heading('Since the older report'),
    ...fixed.map((finding) => line(pc.green('fixed'), finding)),
    ...added.map((finding) => line(pc.red('new  '), finding)),
    ...changed.map(
      ({ now, before }) =>
        `  ${now.resources.length < before ? pc.green('fewer') : pc.red('more ')} ${now.code}  ${before} → ${now.resources.length}`,
    ),
    `  ${staying} as before`,
  ];
}
