/** The readiness report as one HTML file: nothing is loaded from elsewhere, so it can be attached and kept. */
import { areaCounts, placeOf, standingOf } from './shared.ts';
import { SCRIPT, STYLE } from './html-assets.ts';
import type { JudgedFinding } from '../../../domain/readiness/waivers.ts';
import type { Resource } from '../../../domain/readiness/check.ts';
import type { ReadinessReport } from '../../../domain/readiness/report.ts';
import { count } from '../../../domain/words.ts';

const NAMED = 200;
const VERDICTS: Record<ReadinessReport['verdict'], string> = {
  ready: 'Ready',
  'required-findings': 'Not ready',
  'unknowns-only': 'Ready as far as could be seen',
};

export function renderCheckHtml(report: ReadinessReport): string {
  const { cluster, from, target, checkedAt, findings, verdict } = report;
  const namespaces = [...new Set(findings.flatMap(({ resources }) => resources.flatMap(({ namespace }) => namespace ?? [])))].toSorted();
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${text(cluster.name)}: ready for ${text(target)}?</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<p class="verdict ${verdict}">${VERDICTS[verdict]}</p>
<h1>${text(cluster.name)} <small>${text(from)} → ${text(target)}</small></h1>
<p class="about">${text(cluster.account)}, ${text(cluster.region)}, checked at ${text(checkedAt)}</p>
</header>
<main>
<section class="pictures">${hopPicture(report)}${nodePicture(report)}</section>
${areaTable(report)}
${filters(namespaces)}
${findings.map(renderFinding).join('\n')}
<p id="none" hidden>Nothing matches these filters.</p>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** Minors as stops on a line. */
function hopPicture({ from, hops }: ReadinessReport): string {
  const stops = [from, ...hops];
  const width = 90 * stops.length;
  const drawn = stops.map((minor, index) => {
    const x = 45 + index * 90;
    const line = index === 0 ? '' : `<line x1="${x - 78}" y1="30" x2="${x - 12}" y2="30"/>`;
    return `${line}<circle cx="${x}" cy="30" r="10" class="${index === 0 ? 'now' : 'next'}"/><text x="${x}" y="62">${text(minor)}</text>`;
  });
  return `<figure><svg viewBox="0 0 ${width} 74" width="${width}" role="img" aria-label="Hops of the control plane: ${text(stops.join(', '))}">${drawn.join('')}</svg><figcaption>${count(hops.length, 'hop')} of the control plane</figcaption></figure>`;
}

/** Nodes by version, a bar for each owner. */
function nodePicture({ nodes = [] }: ReadinessReport): string {
  if (nodes.length === 0) return '<figure><figcaption>Nodes could not be read.</figcaption></figure>';
  const most = Math.max(...nodes.map((each) => each.count));
  const rows = nodes.map(({ minor, owner, count: own }, index) => {
    const y = index * 26;
    const length = Math.max(2, (own / most) * 200);
    return `<text x="0" y="${y + 16}" class="label">${text(minor)} ${text(owner)}</text><rect x="140" y="${y + 4}" width="${length}" height="16" rx="3"/><text x="${146 + length}" y="${y + 16}" class="label">${own}</text>`;
  });
  const height = nodes.length * 26;
  return `<figure><svg viewBox="0 0 400 ${height}" width="400" role="img" aria-label="Nodes by version and owner">${rows.join('')}</svg><figcaption>Nodes by kubelet version and owner</figcaption></figure>`;
}

function areaTable({ findings }: ReadinessReport): string {
  const rows = areaCounts(findings).map(
    (each) =>
      `<tr><th scope="row">${each.area}</th><td>${each.required}</td><td>${each.recommended}</td><td>${each.unknown}</td><td>${each.waived}</td><td>${each.passed}</td></tr>`,
  );
  return `<table><thead><tr><th scope="col">Area</th><th scope="col">Required</th><th scope="col">Recommended</th><th scope="col">Unknown</th><th scope="col">Waived</th><th scope="col">Passed</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function filters(namespaces: readonly string[]): string {
  const boxes = ['required', 'unknown', 'recommended', 'waived', 'passed'].map(
    (standing) =>
      `<label><input type="checkbox" name="standing" value="${standing}"${standing === 'passed' ? '' : ' checked'}> ${standing}</label>`,
  );
  const options = namespaces.map((name) => `<option>${text(name)}</option>`).join('');
  return `<form id="filters" role="search"><fieldset><legend>Show</legend>${boxes.join('')}</fieldset><label>Namespace <select name="namespace"><option value="">all</option>${options}</select></label><label>Words <input type="search" name="words" placeholder="code, name, message"></label></form>`;
}

function renderFinding(finding: JudgedFinding): string {
  const { code, area, title, message, resources, remediation, waived } = finding;
  const standing = standingOf(finding);
  const namespaces = [...new Set(resources.flatMap(({ namespace }) => namespace ?? []))].join(' ');
  const waiver = waived === undefined ? '' : `<p>Waived by ${text(waived.by)} until ${text(waived.until)}: ${text(waived.reason)}</p>`;
  const advice = remediation === undefined || waived !== undefined ? '' : `<p class="do">${text(remediation)}</p>`;
  return `<article class="${standing}" data-standing="${standing}" data-namespaces="${text(namespaces)}"><h2><span class="code">${text(code)}</span> ${text(title)} <span class="standing">${standing}</span></h2><p>${text(message)}</p>${resourceList(resources)}${waiver}${advice}<p class="area">${area}</p></article>`;
}

/** By namespace, so that each team finds its own. */
function resourceList(resources: readonly Resource[]): string {
  if (resources.length === 0) return '';
  const shown = resources.slice(0, NAMED);
  const groups = [...Map.groupBy(shown, ({ namespace }) => namespace ?? '')].map(
    ([namespace, own]) =>
      `<li data-namespace="${text(namespace)}">${namespace === '' ? '' : `<b>${text(namespace)}</b>`}<ul>${own.map((each) => `<li><code>${text(placeOf(each))}</code>${each.note === undefined ? '' : ` ${text(each.note)}`}</li>`).join('')}</ul></li>`,
  );
  const rest = resources.length > NAMED ? `<p>… and ${resources.length - NAMED} more.</p>` : '';
  return `<details${resources.length <= 10 ? ' open' : ''}><summary>${count(resources.length, 'resource')}</summary><ul class="resources">${groups.join('')}</ul>${rest}</details>`;
}

/** Names of a cluster are shown, not interpreted. */
function text(value: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return value.replace(/[&<>"']/g, (sign) => names[sign] ?? sign);
}
