/** The readiness report as one HTML file. */
import { utcMinute } from '../../domain/core/text.ts';
import { htmlPage } from '../page/html-page.ts';
import { SCRIPT, STYLE } from '../page/html-assets.ts';
import { findingSections } from './html-findings.ts';
import { hopPicture, nodePicture } from './html-pictures.ts';
import {
  areaCounts,
  diffLines,
  expiredText,
  namespaceCounts,
  type NamespaceCounts,
  narrowedTexts,
  STANDINGS,
  verdictText,
} from './shared.ts';
import type { ReadinessDiff, ReadinessReport } from '../../domain/readiness/report.ts';
import { escapeMarkup as text } from '../page/markup.ts';

export function renderCheckHtml(report: ReadinessReport, diff?: ReadinessDiff): string {
  const { cluster, from, target, checkedAt, findings, verdict } = report;
  const namespaces = namespaceCounts(findings);
  const body = `<header>
<h1>${text(cluster.name)} <small>${text(from)} → ${text(target)}</small> <span class="verdict ${verdict}">${verdictText(report)}</span></h1>
<p class="about">Account ${text(cluster.account)}, ${text(cluster.region)}, checked <time datetime="${text(checkedAt)}">${text(utcMinute(checkedAt))}</time></p>
${notices(report)}
</header>
<main>
<div class="overview">
<div class="pictures">${hopPicture(report)}${nodePicture(report)}</div>
${areaTable(report)}
</div>
${diff === undefined ? '' : changes(diff)}
${namespaceTable(namespaces)}
${filters(report, namespaces)}
${findingSections(findings)}
<p id="none" hidden>Nothing matches these filters.</p>
</main>
<script>${SCRIPT}</script>`;
  return htmlPage({ title: `${cluster.name}: ready for ${target}?`, style: STYLE, body, allows: ["script-src 'unsafe-inline'"] });
}

/** "2026-03-01 10:00 UTC" */

function notices({ narrowed, expiredWaivers }: ReadinessReport): string {
  return [...narrowedTexts(narrowed), ...expiredWaivers.map(expiredText)].map((line) => `<p class="notice">${text(line)}</p>`).join('');
}

function areaTable({ findings }: ReadinessReport): string {
  const rows = areaCounts(findings).map(
    (each) => `<tr><th scope="row">${each.area}</th>${STANDINGS.map((standing) => cell(each[standing], standing)).join('')}</tr>`,
  );
  return `<div class="scroll"><table><thead><tr><th scope="col">Area</th>${STANDINGS.map((standing) => `<th scope="col">${standing}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

/** Zeros step back, so that what is there can be seen. */
const cell = (n: number, kind: string): string => (n === 0 ? '<td class="zero">0</td>' : `<td class="${kind}"><b>${n}</b></td>`);

function changes(diff: ReadinessDiff): string {
  const lines = diffLines(diff).map(
    ({ mark, code, text: what }) => `<li><b class="${mark}">${mark}</b> <span class="code">${text(code)}</span> ${text(what)}</li>`,
  );
  return `<section class="changes"><h2>Changes since the older report</h2><ul>${lines.join('')}<li>${diff.staying} as before</li></ul></section>`;
}

/** A button for each, which shows what its team has to do. */
function namespaceTable(namespaces: readonly NamespaceCounts[]): string {
  if (namespaces.length === 0) return '';
  const kinds = ['required', 'recommended', 'waived', 'resources'] as const;
  const rows = namespaces.map(
    (each) =>
      `<tr><th scope="row"><button type="button" data-pick="${text(each.namespace)}">${text(each.namespace)}</button></th>${kinds.map((kind) => cell(each[kind], kind)).join('')}</tr>`,
  );
  return `<section class="namespaces"><h2>By namespace</h2><div class="scroll"><table><thead><tr><th scope="col">Namespace</th>${kinds.map((kind) => `<th scope="col">${kind}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div></section>`;
}

function filters({ findings, counts }: ReadinessReport, namespaces: readonly NamespaceCounts[]): string {
  const boxes = STANDINGS.map(
    (standing) =>
      `<label class="${standing}"><input type="checkbox" name="standing" value="${standing}"${standing === 'passed' ? '' : ' checked'}> ${standing} <b>${counts[standing]}</b></label>`,
  );
  const areas = areaCounts(findings).map(({ area }) => area);
  return `<form id="filters" role="search"><fieldset><legend>Show</legend>${boxes.join('')}</fieldset>${select('Area', 'area', areas)}${select(
    'Namespace',
    'namespace',
    namespaces.map(({ namespace }) => namespace).toSorted(),
  )}<label>Words <input type="search" name="words" placeholder="code, name, message"></label><output id="shown"></output></form>`;
}

function select(label: string, name: string, values: readonly string[]): string {
  const options = values.map((value) => `<option>${text(value)}</option>`).join('');
  return `<label>${label} <select name="${name}"><option value="">all</option>${options}</select></label>`;
}
