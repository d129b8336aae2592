/** The readiness report for a ticket. */
import { areaCounts, placeOf, standingOf } from './shared.ts';
import type { CheckFinding } from '../../../domain/readiness/check.ts';
import type { ReadinessReport } from '../../../domain/readiness/report.ts';

const NAMED = 20;

export function renderCheckMarkdown({ cluster, from, target, checkedAt, findings }: ReadinessReport): string {
  const open = findings.filter(({ status }) => status !== 'pass');
  return [
    `# ${cluster.name}: ${from} → ${target}`,
    '',
    `Account ${cluster.account}, ${cluster.region}, checked at ${checkedAt}.`,
    '',
    '| Area | Required | Recommended | Unknown | Passed |',
    '|---|---:|---:|---:|---:|',
    ...areaCounts(findings).map((each) => `| ${each.area} | ${each.required} | ${each.recommended} | ${each.unknown} | ${each.passed} |`),
    ...open.flatMap(renderFinding),
    '',
  ].join('\n');
}

function renderFinding(finding: CheckFinding): string[] {
  const { code, title, message, resources, remediation } = finding;
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
    ...(remediation === undefined ? [] : ['', `**Do:** ${escaped(remediation)}`]),
  ];
}

/** Names of a cluster are shown, not interpreted. */
const escaped = (text: string): string => text.replace(/[\\`*_{}[\]<>|#]/g, '\\$&');
const verbatim = (text: string): string => text.replaceAll('`', '’');
