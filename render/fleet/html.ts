/** The fleet as one HTML file: support dates, cost of waiting, boards and forecasts of campaigns, all clusters. */
import { count } from '../../domain/core/text.ts';
import { usd } from '../../domain/run/fleet-view/money.ts';
import type { FleetView } from '../../domain/run/fleet-view/view.ts';
import { STYLE } from '../page/html-assets.ts';
import { htmlPage } from '../page/html-page.ts';
import { escapeMarkup as text } from '../page/markup.ts';
import { FLEET_SCRIPT, FLEET_STYLE } from './assets.ts';
import { campaignSections } from './html-board.ts';
import { supportCalendar } from './html-calendar.ts';
import { clusterTable, costTable, OUTCOMES } from './html-table.ts';
import { sourceTexts } from './texts.ts';

/** `reloadMs`: of a page that is served, which loads itself anew after so long; filters stay, as they would not with the header Refresh. */
export function renderFleetHtml(view: FleetView, { reloadMs }: { reloadMs?: number } = {}): string {
  const { counts, outcome, sources, readAt, withinDays, total } = view;
  const body = `<header>
<h1>Fleet <small>${count(counts.clusters, 'cluster')}</small> <span class="verdict ${outcome}">${OUTCOMES[outcome]}</span></h1>
<p class="about">${text(sourceTexts(sources, readAt).join(' '))}</p>
${blindness(view)}
</header>
<main>
<ul class="numbers">
<li class="${counts.due > 0 ? 'due' : ''}"><b>${counts.due}</b> need action within ${withinDays} days</li>
<li class="${counts.unread > 0 ? 'unread' : ''}"><b>${counts.unread}</b> could not be read</li>
<li><b>${sources.runs.from === 'unread' ? '?' : counts.running}</b> with an open run</li>
<li><b>${sources.runs.from === 'unread' ? '?' : counts.waiting}</b> waiting for people</li>${
    counts.keptFreezes === 0
      ? ''
      : `
<li><b>${counts.keptFreezes}</b> with drift left frozen</li>`
  }
<li><b>${sources.campaigns.from === 'unread' ? '?' : openCampaigns(view)}</b> open campaigns</li>
<li><b>${usd(total.usdPerDay)}</b> a day for extended support</li>
<li><b>${usd(total.usdWithin)}</b> if all wait ${withinDays} days</li>
</ul>
${campaignSections(view)}
<section><h2>Support dates</h2>${supportCalendar(view)}</section>
<section><h2>Cost of waiting</h2><p class="about">Extended support at list price, $0.50 for each cluster and hour beyond standard support. A cluster with policy STANDARD costs nothing more: AWS upgrades it.</p>${costTable(view)}</section>
<section><h2>Clusters</h2>${clusterTable(view)}</section>
</main>
<script>${FLEET_SCRIPT}${reloadMs === undefined ? '' : `setTimeout(() => location.reload(), ${reloadMs});`}</script>`;
  return htmlPage({ title: 'Fleet', style: `${STYLE}${FLEET_STYLE}`, body, allows: ["script-src 'unsafe-inline'"] });
}

const openCampaigns = ({ campaigns, unreadCampaigns }: FleetView): number =>
  campaigns.filter(({ from }) => from === 'workflow').length + unreadCampaigns.length;

/** What was not seen must not pass for what is fine. */
function blindness({ counts, sources, unreadRegions }: FleetView): string {
  const lines = [
    ...(counts.unread > 0 ? [`${count(counts.unread, 'cluster')} could not be read: their costs and dates are in no sum here.`] : []),
    ...unreadRegions.map(({ region, why }) => `The clusters in ${region} could not be listed, and are in no count here: ${why}.`),
    ...(sources.runs.from === 'unread' ? ['Which runs are open is not known.'] : []),
    ...(sources.campaigns.from === 'unread' ? ['Which campaigns are open is not known.'] : []),
  ];
  return lines.map((line) => `<p class="notice">${text(line)}</p>`).join('');
}
