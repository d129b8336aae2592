/** The change record as one HTML file. */
import type { AskedChange } from '../../domain/run/record/change-requests.ts';
import { auditText } from '../../domain/gates/audit.ts';
import { NOT_MERGED_YET, unmergedLines } from '../../domain/run/code-changes/merged.ts';
import { IAC_TITLE, IAC_WHY, iacHeading, type IacNote } from '../../domain/run/code-changes/notes.ts';
import { STYLE } from '../page/html-assets.ts';
import { htmlPage } from '../page/html-page.ts';
import { type ChangeRecord, decisionRow, factsOf, iacNotesOf, leftText, lookAgain, OUTCOMES, stepRows, titleOf, when } from './record.ts';
import type { ForecastCompared } from '../../domain/run/forecasts/compare.ts';
import { FORECAST_COLUMNS, FORECAST_TITLE, forecastFacts, forecastRows } from './forecast.ts';
import { timelineSvg } from '../charts/timeline.ts';
import { escapeMarkup as text } from '../page/markup.ts';
import { count } from '../../domain/core/text.ts';

const OWN_STYLE = `
.timeline { background: #fff; padding: .5rem; border: 1px solid var(--edge); border-radius: .4rem; overflow-x: auto; } .timeline img { min-width: 40rem; max-width: 100%; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; } dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; } }
th, td { text-align: left; } td:first-child { padding-left: 0; } .completed { color: var(--green); } .failed, .refused, .aborted { color: var(--red); } .stopped { color: var(--amber); }
.lines { white-space: pre-line; } pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; } ol.audit { font-family: ui-monospace, monospace; font-size: .85rem; overflow-wrap: anywhere; }
`;

export async function renderRecordHtml(record: ChangeRecord): Promise<string> {
  const { report, audit, asked = [], forecast } = record;
  const picture = await timelineSvg(report);
  const body = `<header>
<h1>${text(titleOf(report))} <span class="verdict ${report.outcome}">${OUTCOMES[report.outcome]}</span></h1>
<p class="about">${text(report.status.headline)}</p>
</header>
<main>
<dl>${factsOf(record)
    .map(([label, value]) => `<dt>${text(label)}</dt><dd>${text(value)}</dd>`)
    .join('')}</dl>
${picture === undefined ? '' : `<h2>Timeline</h2><div class="timeline"><img alt="Steps and waits over time" src="data:image/svg+xml;base64,${Buffer.from(picture).toString('base64')}"></div>`}
${notes(iacNotesOf(record))}${unmerged(report)}<h2>Left behind</h2>
${list(report.leftBehind.map(leftText), 'Nothing.')}
<h2>Steps</h2>
<div class="scroll"><table><thead><tr><th>Step</th><th>Planned</th><th>State</th><th>Took</th><th>Expected</th><th>Note</th></tr></thead><tbody>${stepRows(
    record,
  )
    .map(
      (row) =>
        `<tr>${[row.title, row.planned, row.state, row.took, row.expected, row.note].map((cell) => `<td>${text(cell)}</td>`).join('')}</tr>`,
    )
    .join('')}</tbody></table></div>
${forecast === undefined ? '' : forecastHtml(forecast)}<h2>Decisions</h2>
${report.decisions.length === 0 ? '<p>None.</p>' : report.decisions.map(decisionRow).map(decision).join('')}
${asked.length === 0 ? '' : `<h2>Asked of others</h2>${asked.map(askedOf).join('')}`}
${audit === undefined ? '' : `<h2>Audit record</h2><details><summary>${count(audit.entries.length, 'entry')}</summary><ol class="audit">${audit.entries.map((entry) => `<li value="${entry.seq}">${text(auditText(entry))}</li>`).join('')}</ol></details>`}
</main>`;
  return htmlPage({ title: titleOf(report), style: `${STYLE}${OWN_STYLE}`, body, allows: ['img-src data:'] });
}

function notes(all: readonly IacNote[]): string {
  if (all.length === 0) return '';
  const each = all.map((note) => `<p>${text(iacHeading(note))}:</p><pre>${text(note.lines)}</pre>`);
  return `<h2>${IAC_TITLE}</h2><p>${text(IAC_WHY)}</p>${each.join('')}`;
}

function forecastHtml(compared: ForecastCompared): string {
  const facts = forecastFacts(compared).map(([label, value]) => `<dt>${text(label)}</dt><dd>${text(value)}</dd>`);
  const head = FORECAST_COLUMNS.map((column) => `<th>${column}</th>`);
  const rows = forecastRows(compared).map((cells) => `<tr>${cells.map((cell) => `<td>${text(cell)}</td>`).join('')}</tr>`);
  const table = `<div class="scroll"><table><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
  return `<h2>${FORECAST_TITLE}</h2><dl>${facts.join('')}</dl>${rows.length === 0 ? '' : table}\n`;
}

function unmerged(report: ChangeRecord['report']): string {
  const open = unmergedLines(report.merges ?? []);
  return open.length === 0 ? '' : `<h2>${NOT_MERGED_YET}</h2>${list(open, '')}<p>${text(lookAgain(report))}</p>`;
}

function decision({ title, outcome, votes, evidence, undo }: ReturnType<typeof decisionRow>): string {
  const shown = evidence.map((each) => `<p><b>${text(each.title)}</b></p>${list(each.lines, '')}`).join('');
  return `<article><h3>${text(title)} <small>${text(outcome)}</small></h3>${list(votes, 'Nobody voted.')}<p class="lines">What could be undone: ${text(undo)}</p>${shown === '' ? '' : `<details><summary>What was shown</summary>${shown}</details>`}</article>`;
}

/** Manifests as they were shown. */
function askedOf({ step, at, component, name, version, managedBy, text: shown }: AskedChange): string {
  return `<article><h3>${text(`${component} ${name} → ${version}`)} <small>${text(`${step}, ${when(at)}, of ${managedBy}`)}</small></h3><pre>${text(shown)}</pre></article>`;
}

function list(items: readonly string[], none: string): string {
  if (items.length === 0) return none === '' ? '' : `<p>${text(none)}</p>`;
  return `<ul>${items.map((item) => `<li>${text(item)}</li>`).join('')}</ul>`;
}
