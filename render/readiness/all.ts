/** Readiness of many clusters as JSON, for tickets, for CI, and as one page. */
import type { ClusterCheck, ManyChecks } from '../../domain/readiness/many.ts';
import { count } from '../../domain/core/text.ts';
import { htmlPage } from '../page/html-page.ts';
import { STYLE } from '../page/html-assets.ts';
import { escapeMarkdown, escapeMarkup as text } from '../page/markup.ts';
import { junitOf, type JunitSuites, suitesOf, unreadSuite } from './junit.ts';
import { renderCheckMarkdown } from './markdown.ts';
import { type Standing, STANDINGS, verdictText, withStanding } from './shared.ts';

export const renderAllJson = (checks: ManyChecks): string => JSON.stringify(checks, null, 2);

/** `said`: what became of a cluster without a report. */
export function renderAllMarkdown({ clusters }: ManyChecks, said: (check: ClusterCheck) => string): string {
  return clusters
    .map((check) =>
      check.kind === 'report'
        ? renderCheckMarkdown(check.report)
        : `# ${escapeMarkdown(check.cluster.name)}\n\n${escapeMarkdown(said(check))}. Account ${check.cluster.account}, ${check.cluster.region}.\n`,
    )
    .join('\n');
}

/** A cluster that could not be read is an error of its own. */
export function renderAllJunit({ clusters }: ManyChecks): string {
  const suites = clusters.flatMap((check): JunitSuites[] => {
    if (check.kind === 'report') return [suitesOf(check.report)];
    return check.kind === 'unread' ? [unreadSuite(check.cluster.name, check.why)] : [];
  });
  return junitOf('belay check --all', suites);
}

const STYLE_OF_ALL = `
.all th, .all td { text-align: left; vertical-align: top; white-space: nowrap; } .all small { display: block; color: var(--dim); font-weight: 400; } .all td:nth-child(2) { min-width: 16rem; white-space: normal; overflow-wrap: anywhere; } article h2 { margin-top: .3rem; } article h2::first-letter { text-transform: none; } article h3::first-letter { text-transform: uppercase; } .all thead th::first-letter { text-transform: uppercase; } .all td.number { text-align: right; } .all .verdict { border: 0; padding: 0; font-size: 1rem; } .unread { color: var(--amber); } .all a { color: var(--blue); }
article h3 { margin-top: .6rem; } article li { margin: .2rem 0; }
`;

/** An index of all, and below it what is required or unknown of each. */
export function renderAllHtml({ clusters }: ManyChecks, said: (check: ClusterCheck) => string): string {
  const rows = clusters.map((check, index) => {
    const { name, account, region } = check.cluster;
    const counts = STANDINGS.map((standing) =>
      check.kind === 'report' ? String(check.report.counts[standing]) : check.kind === 'unread' ? '?' : '–',
    );
    const link = hasMore(check) ? `<a href="#c${index}">${text(name)}</a>` : text(name);
    return `<tr><th scope="row">${link}<small>${text(account)} · ${text(region)}</small></th><td><span class="verdict ${verdictClass(check)}">${text(said(check))}</span></td>${counts.map((n) => `<td class="number">${n}</td>`).join('')}</tr>`;
  });
  const head = ['Cluster', 'Verdict', ...STANDINGS].map((name) => `<th scope="col">${name}</th>`);
  const body = `<header><h1>Ready for an upgrade? <small>${count(clusters.length, 'cluster')}</small></h1></header>
<main><div class="scroll"><table class="all"><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>
${clusters.map(details).join('')}</main>`;
  return htmlPage({ title: 'Readiness of all clusters', style: `${STYLE}${STYLE_OF_ALL}`, body });
}

const hasMore = (check: ClusterCheck): boolean => check.kind === 'report' && check.report.verdict !== 'ready';

const verdictClass = (check: ClusterCheck): string =>
  check.kind === 'report' ? check.report.verdict : check.kind === 'unread' ? 'unread' : 'ready';

function details(check: ClusterCheck, index: number): string {
  if (check.kind !== 'report' || !hasMore(check)) return '';
  const { cluster, from, target, verdict, findings } = check.report;
  const lists = (['required', 'unknown', 'recommended'] as const satisfies Standing[]).map((standing) => {
    const own = withStanding(findings, standing);
    const items = own.map(
      ({ code, title, message }) => `<li><span class="code">${text(code)}</span> ${text(title)}: ${text(message)}</li>`,
    );
    return own.length === 0 ? '' : `<h3>${standing}</h3><ul>${items.join('')}</ul>`;
  });
  const kind = verdict === 'required-findings' ? 'required' : 'unknown';
  return `<article class="${kind}" id="c${index}"><h2>${text(cluster.name)} <small>${text(from)} → ${text(target)}, ${verdictText(check.report)}</small></h2>${lists.join('')}</article>`;
}
