/** The readiness report for a terminal: what is open, worst first, then a summary that fits a screen, since the end is what people see. */
import pc from 'picocolors';
import {
  areaCounts,
  type Cause,
  causesOf,
  type DiffLine,
  diffLines,
  expiredText,
  isMostlyUnknown,
  narrowedTexts,
  placeOf,
  type Standing,
  withStanding,
} from '../../render/readiness/shared.ts';
import type { JudgedFinding } from '../../domain/readiness/model/waivers.ts';
import type { ReadinessDiff, ReadinessReport } from '../../domain/readiness/report.ts';
import { count } from '../../domain/core/text.ts';
import { heading, table, wrapped } from './words.ts';
import { plain, withoutControls } from '../shared/controls.ts';
import { mostlyUnknown, notReadyYet, ready, unknownsOnly } from '../messages/views.ts';

const NAMED = 5;
/** Named once more in the summary, where what is open has gone out of sight. */
const WORST = 5;
const SCREEN_ROWS = 24;
const INDENT = '      ';

const VERDICTS: Record<ReadinessReport['verdict'], (target: string) => string> = {
  ready: (target) => pc.green(ready(target)),
  'required-findings': (target) => pc.red(notReadyYet(target)),
  'unknowns-only': (target) => pc.yellow(unknownsOnly(target)),
};

/** `columns`: of the terminal, to break lines at; absent: lines are as long as they are. */
export function renderCheckText(given: ReadinessReport, { diff, columns }: { diff?: ReadinessDiff; columns?: number } = {}): string {
  const report = withoutControls(given, plain);
  const { findings, expiredWaivers } = report;
  const own = (standing: Standing): JudgedFinding[] => withStanding(findings, standing);
  const details = [
    ...section(
      'Required',
      own('required').flatMap((finding) => findingLines(pc.red('✗'), finding, columns)),
    ),
    ...section(
      'Unknown',
      causesOf(own('unknown')).flatMap((cause) => causeLines(cause, columns)),
    ),
    ...section(
      'Recommended',
      own('recommended').flatMap((finding) => findingLines(pc.yellow('!'), finding, columns)),
    ),
    ...section(
      'Waived',
      own('waived').flatMap((finding) => findingLines(pc.dim('–'), finding, columns)),
    ),
    ...section(
      'Expired waivers',
      expiredWaivers.map((waiver) => pc.yellow(`  ${expiredText(waiver)}`)),
    ),
    ...(diff === undefined ? [] : section('Changes since the older report', changes(withoutControls(diff, plain)))),
  ];
  return [...details, ...summary(report, details.length)].join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [heading(title), ...lines, ''];
}

function findingLines(mark: string, finding: JudgedFinding, columns?: number): string[] {
  const { code, title, message, resources, remediation, waived } = finding;
  const named = resources
    .slice(0, NAMED)
    .map((resource) => `${INDENT}${placeOf(resource)}${resource.note === undefined ? '' : pc.dim(`  ${resource.note}`)}`);
  const rest = resources.length - named.length;
  return [
    `  ${mark} ${pc.bold(code)}  ${title}`,
    ...wrapped(message, INDENT, columns),
    ...named,
    ...(rest > 0 ? [pc.dim(`${INDENT}… and ${rest} more; --format json has them all`)] : []),
    ...(waived === undefined ? [] : wrapped(`Waived by ${waived.by} until ${waived.until}: ${waived.reason}`, INDENT, columns)),
    ...(remediation === undefined || waived !== undefined ? [] : wrapped(`→ ${remediation}`, INDENT, columns)),
  ];
}

function causeLines({ message, remediation, findings }: Cause, columns?: number): string[] {
  return [
    ...findings.map(({ code, title }) => `  ${pc.yellow('?')} ${pc.bold(code)}  ${title}`),
    ...wrapped(message, INDENT, columns),
    ...(remediation === undefined ? [] : wrapped(`→ ${remediation}`, INDENT, columns)),
  ];
}

const GOOD: readonly DiffLine['mark'][] = ['fixed', 'fewer', 'seen'];

function changes(diff: ReadinessDiff): string[] {
  const lines = diffLines(diff).map(({ mark, code, text }) => {
    const colour = GOOD.includes(mark) ? pc.green : pc.red;
    return `  ${colour(mark.padEnd(6))} ${code}  ${text}`;
  });
  return [...lines, `  ${diff.staying} as before`];
}

function summary(report: ReadinessReport, linesAbove: number): string[] {
  const { cluster, from, target, counts, findings, verdict, narrowed } = report;
  const open = [...withStanding(findings, 'required'), ...withStanding(findings, 'unknown'), ...withStanding(findings, 'recommended')];
  const lines = [
    heading(`${cluster.name} (${cluster.account}, ${cluster.region}): ${from} → ${target}`),
    `${count(counts.required, 'required finding')}, ${counts.recommended} recommended, ${counts.unknown} unknown, ${counts.waived} waived, ${counts.passed} passed`,
    ...narrowedTexts(narrowed),
    '',
    table(
      ['AREA', 'REQUIRED', 'RECOMMENDED', 'UNKNOWN', 'WAIVED', 'PASSED'],
      areaCounts(findings).map((each) => [
        each.area,
        ...[each.required, each.recommended, each.unknown, each.waived, each.passed].map(String),
      ]),
    ),
    '',
  ];
  const worst = open.slice(0, WORST).map(({ code, title }) => `  ${code}  ${title}`);
  const rowsBelow = lines.join('\n').split('\n').length + 1;
  if (linesAbove + rowsBelow > SCREEN_ROWS) lines.push('The worst:', ...worst, '');
  return [...lines, isMostlyUnknown(report) ? pc.yellow(mostlyUnknown(target, counts.unknown)) : VERDICTS[verdict](target)];
}
