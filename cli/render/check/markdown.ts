/** The readiness report for a ticket. */
import { areaCounts, placeOf, standingOf } from './shared.ts';
import type { JudgedFinding } from '../../../domain/readiness/waivers.ts';
import type { ReadinessReport } from '../../../domain/readiness/report.ts';

const NAMED = 20;

export function renderCheckMarkdown({ cluster, from, target, checkedAt, findings }: ReadinessReport): string {
  const open = findings.filter(({ status }) => status !== 'pass');
  return [
    `# ${cluster.name}: ${from} → ${target}`,
    '',
    `Account ${cluster.account}, ${cluster.region}, checked at ${checkedAt}.`,
    '',
    '| Area | Required | Recommended | Unknown | Waived | Passed |',
    '|---|---:|---:|---:|---:|---:|',
    ...areaCounts(findings).map(
      (each) => `| ${each.area} | ${each.required} | ${each.recommended} | ${each.unknown} | ${each.waived} | ${each.passed} |`,
    ),
    ...open.flatMap(renderFinding),
    '',
  ].join('\n');
}

function renderFinding(finding: JudgedFinding): string[] {
  const { code, title, message, resources, remediation, waived } = finding;
  const named = resources
    .slice(0, NAMED)
    .map((resource) => `- [ ] \`${verbatim(placeOf(resource))}\`${resource.note === undefined ? '' : ` ${escaped(resource.note)}`}`);
  const rest = resources.length - named.length;
  return [
    '',
    `## ${code} ${escaped(title)} (${standingOf(finding)})`,
    '',
    escaped(message),
    ...(named.length === 0 ? [] : ['', ...named, ...(rest > 0 ? [`- … and ${rest} more`] : [])]),
    ...(waived === undefined ? [] : ['', `Waived by ${escaped(waived.by)} until ${waived.until}: ${escaped(waived.reason)}`]),
    ...(remediation === undefined || waived !== undefined ? [] : ['', `**Do:** ${escaped(remediation)}`]),
  ];
}

/** Names of a cluster are shown, not interpreted. */
const escaped = (text: string): string => text.replace(/[\\`*_{}[\]<>|#]/g, '\\$&');
const verbatim = (text: string): string => text.replaceAll('`', '’');
