/** The change record for a ticket. */
import type { AskedChange } from '../../domain/run/record/change-requests.ts';
import { auditText } from '../../domain/gates/audit.ts';
import { NOT_MERGED_YET, unmergedLines } from '../../domain/run/code-changes/merged.ts';
import { IAC_TITLE, IAC_WHY, iacHeading, type IacNote } from '../../domain/run/code-changes/notes.ts';
import { type ChangeRecord, decisionRow, factsOf, iacNotesOf, leftText, lookAgain, OUTCOMES, stepRows, titleOf, when } from './record.ts';
import type { ForecastCompared } from '../../domain/run/forecasts/compare.ts';
import { FORECAST_COLUMNS, FORECAST_TITLE, forecastFacts, forecastRows } from './forecast.ts';
import { escapeMarkdown as escaped } from '../page/markup.ts';

export function renderRecordMarkdown(record: ChangeRecord): string {
  const { report, audit, asked = [], forecast } = record;
  const notes = iacNotesOf(record);
  const unmerged = unmergedLines(report.merges ?? []);
  return [
    `# ${escaped(titleOf(report))}`,
    '',
    `**${OUTCOMES[report.outcome]}.** ${escaped(report.status.headline)}`,
    '',
    ...factsOf(record).map(([label, value]) => `- ${label}: ${escaped(value)}`),
    '',
    '## Steps',
    '',
    '| Step | Planned | State | Took | Expected | Note |',
    '|---|---|---|---:|---:|---|',
    ...stepRows(record).map((row) => `| ${cells(row.title, row.planned, row.state, row.took, row.expected, row.note)} |`),
    ...(forecast === undefined ? [] : ['', ...forecastSection(forecast)]),
    '',
    '## Decisions',
    ...(report.decisions.length === 0 ? ['', 'None.'] : report.decisions.map(decisionRow).flatMap(decision)),
    ...(asked.length === 0 ? [] : ['', '## Asked of others', ...asked.flatMap(askedOf)]),
    '',
    ...(notes.length === 0 ? [] : [`## ${IAC_TITLE}`, '', IAC_WHY, ...notes.flatMap(noteOf), '']),
    ...(unmerged.length === 0
      ? []
      : [`## ${NOT_MERGED_YET}`, '', ...unmerged.map((line) => `- ${escaped(line)}`), '', escaped(lookAgain(report)), '']),
    '## Left behind',
    '',
    ...(report.leftBehind.length === 0 ? ['Nothing.'] : report.leftBehind.map((left) => `- ${escaped(leftText(left))}`)),
    ...(audit === undefined
      ? []
      : ['', '## Audit record', '', ...audit.entries.map((entry) => `${entry.seq}. ${escaped(auditText(entry))}`)]),
    '',
  ].join('\n');
}

function forecastSection(compared: ForecastCompared): string[] {
  const rows = forecastRows(compared);
  return [
    `## ${FORECAST_TITLE}`,
    '',
    ...forecastFacts(compared).map(([label, value]) => `- ${label}: ${escaped(value)}`),
    ...(rows.length === 0
      ? []
      : ['', `| ${FORECAST_COLUMNS.join(' | ')} |`, '|---|---:|---:|---:|---|', ...rows.map((row) => `| ${cells(...row)} |`)]),
  ];
}

/** Manifests as they were shown. */
function askedOf({ step, at, component, name, version, managedBy, text }: AskedChange): string[] {
  const fence = '~~~~';
  return [
    '',
    `### ${escaped(`${component} ${name} → ${version}`)}`,
    '',
    `${escaped(`${step}, ${when(at)}, of ${managedBy}`)}:`,
    '',
    fence,
    text,
    fence,
  ];
}

function noteOf(note: IacNote): string[] {
  return ['', `${escaped(iacHeading(note))}:`, '', `~~~~${note.language ?? 'yaml'}`, note.lines, '~~~~'];
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
