/** The change record for a ticket. */
import { auditText } from '../../../domain/audit.ts';
import { escapeMarkdown as escaped } from '../check/shared.ts';
import { type ChangeRecord, decisionRow, factsOf, leftText, OUTCOMES, stepRow, titleOf } from './record.ts';

export function renderRecordMarkdown(record: ChangeRecord): string {
  const { report, audit } = record;
  return [
    `# ${escaped(titleOf(report))}`,
    '',
    `**${OUTCOMES[report.outcome]}.** ${escaped(report.status.headline)}`,
    '',
    ...factsOf(record).map(([label, value]) => `- ${label}: ${escaped(value)}`),
    '',
    '## Steps',
    '',
    '| Step | State | Took | Expected | Note |',
    '|---|---|---:|---:|---|',
    ...report.status.steps.map(stepRow).map((row) => `| ${cells(row.title, row.state, row.took, row.expected, row.note)} |`),
    '',
    '## Decisions',
    ...(report.decisions.length === 0 ? ['', 'None.'] : report.decisions.map(decisionRow).flatMap(decision)),
    '',
    '## Left behind',
    '',
    ...(report.leftBehind.length === 0 ? ['Nothing.'] : report.leftBehind.map((left) => `- ${escaped(leftText(left))}`)),
    ...(audit === undefined
      ? []
      : ['', '## Audit record', '', ...audit.entries.map((entry) => `${entry.seq}. ${escaped(auditText(entry))}`)]),
    '',
  ].join('\n');
}

function decision({ title, outcome, votes, evidence, undo }: ReturnType<typeof decisionRow>): string[] {
  return [
    '',
    `### ${escaped(title)}: ${escaped(outcome)}`,
    '',
    ...votes.map((vote) => `- ${escaped(vote)}`),
    `- What could be undone: ${escaped(undo).replaceAll('\n', '\n  ')}`,
    ...evidence.flatMap((each) => [`- ${escaped(each.title)}`, ...each.lines.map((line) => `  - ${escaped(line)}`)]),
  ];
}

const cells = (...values: string[]): string => values.map((value) => escaped(value).replaceAll('\n', ' ')).join(' | ');
