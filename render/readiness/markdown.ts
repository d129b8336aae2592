/** The readiness report for a ticket. */
import {
  areaCounts,
  type Cause,
  causesOf,
  diffLines,
  expiredText,
  narrowedTexts,
  placeOf,
  standingOf,
  verdictText,
  withStanding,
} from './shared.ts';
import type { JudgedFinding } from '../../domain/readiness/model/waivers.ts';
import type { ReadinessDiff, ReadinessReport } from '../../domain/readiness/report.ts';
import type { Resource } from '../../domain/readiness/model/check.ts';
import { escapeMarkdown as escaped } from '../page/markup.ts';

const NAMED = 20;

export function renderCheckMarkdown(report: ReadinessReport, diff?: ReadinessDiff): string {
  const { cluster, from, target, checkedAt, findings, narrowed, expiredWaivers } = report;
  const of = (standing: ReturnType<typeof standingOf>): JudgedFinding[] => withStanding(findings, standing);
  return [
    `# ${escaped(cluster.name)}: ${from} → ${target}`,
    '',
    `**${verdictText(report)}.** Account ${cluster.account}, ${cluster.region}, checked at ${checkedAt}.`,
    ...[...narrowedTexts(narrowed), ...expiredWaivers.map(expiredText)].flatMap((line) => ['', escaped(line)]),
    '',
    '| Area | Required | Recommended | Unknown | Waived | Passed |',
    '|---|---:|---:|---:|---:|---:|',
    ...areaCounts(findings).map(
      (each) => `| ${each.area} | ${each.required} | ${each.recommended} | ${each.unknown} | ${each.waived} | ${each.passed} |`,
    ),
    ...(diff === undefined ? [] : renderDiff(diff)),
    ...of('required').flatMap(renderFinding),
    ...causesOf(of('unknown')).flatMap(renderCause),
    ...of('recommended').flatMap(renderFinding),
    ...of('waived').flatMap(renderFinding),
    '',
  ].join('\n');
}

function renderFinding(finding: JudgedFinding): string[] {
  const { code, title, message, resources, remediation, waived } = finding;
  return [
    '',
    `## ${code} ${escaped(title)} (${standingOf(finding)})`,
    '',
    escaped(message),
    ...boxes(resources),
    ...(waived === undefined ? [] : ['', `Waived by ${escaped(waived.by)} until ${waived.until}: ${escaped(waived.reason)}`]),
    ...(remediation === undefined || waived !== undefined ? [] : ['', `**Do:** ${escaped(remediation)}`]),
  ];
}

function boxes(resources: readonly Resource[]): string[] {
  const named = resources
    .slice(0, NAMED)
    .map((resource) => `- [ ] \`${verbatim(placeOf(resource))}\`${resource.note === undefined ? '' : ` ${escaped(resource.note)}`}`);
  const rest = resources.length - named.length;
  return named.length === 0 ? [] : ['', ...named, ...(rest > 0 ? [`- … and ${rest} more`] : [])];
}

function renderCause({ message, remediation, findings }: Cause): string[] {
  return [
    '',
    `## ${findings.map(({ code }) => code).join(', ')} (unknown)`,
    '',
    escaped(message),
    '',
    ...findings.map(({ code, title }) => `- ${code} ${escaped(title)}`),
    ...(remediation === undefined ? [] : ['', `**Do:** ${escaped(remediation)}`]),
  ];
}

function renderDiff(diff: ReadinessDiff): string[] {
  const lines = diffLines(diff).map(({ mark, code, text }) => `- **${mark}** ${code} ${escaped(text)}`);
  return ['', '## Changes since the older report', '', ...lines, `- ${diff.staying} as before`];
}

/** Names of a cluster are shown, not interpreted. */
const verbatim = (text: string): string => text.replaceAll('`', '’');
