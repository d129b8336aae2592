/** The forecast of a campaign as bars over time, and as a table that says what each date rests on. */
import { basisText, type CampaignBoard, type CampaignForecast, type ForecastRing } from '../../domain/run/fleet-view/board.ts';
import { utcMinute } from '../../domain/facts/rollback-window.ts';
import { escapeMarkup as text } from '../page/markup.ts';
import { axisOf } from './axis.ts';

const WIDTH = 1000;
const LABEL = 150;
const TOP = 24;
const ROW = 30;

export function forecastPicture({ rings }: CampaignForecast, { at, finishBy }: Pick<CampaignBoard, 'at' | 'finishBy'>): string {
  if (rings.length === 0) return '<p>There is no forecast.</p>';
  const height = TOP + rings.length * ROW;
  const times = [at, ...rings.flatMap(({ from, until, soakUntil }) => [from, until, soakUntil ?? until]), finishBy ?? at];
  const axis = axisOf(times, { left: LABEL, right: WIDTH - 10, height });
  const bars = rings.map((ring, index) => row(ring, TOP + index * ROW, axis.x));
  const mark = (iso: string, kind: string): string =>
    `<line class="${kind}" x1="${axis.x(iso)}" y1="4" x2="${axis.x(iso)}" y2="${height}"/>`;
  const limit = finishBy === undefined ? '' : mark(finishBy, 'limit');
  return `<figure class="wide"><figcaption>Forecast, in UTC</figcaption><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${text(rings.map(spoken).join('; '))}">${axis.grid}${bars.join('')}${mark(at, 'now')}${limit}</svg></figure>
<ul class="key"><li><i class="run"></i>upgrades</li><li><i class="soak"></i>soak</li><li>│ now</li>${finishBy === undefined ? '' : `<li class="due">┆ finish by ${text(finishBy)}</li>`}</ul>
<div class="scroll"><table class="fleet"><thead><tr>${['Ring', 'From', 'Until', 'Soaks until', 'Based on'].map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead><tbody>${rings.map(tableRow).join('')}</tbody></table></div>`;
}

function row(ring: ForecastRing, y: number, x: (iso: string) => number): string {
  const { name, from, until, soakUntil } = ring;
  const bar = (begin: string, end: string, kind: string): string =>
    `<rect class="${kind}" x="${x(begin)}" y="${y + 4}" width="${Math.max(2, Math.round((x(end) - x(begin)) * 10) / 10)}" height="18" rx="2"><title>${text(spoken(ring))}</title></rect>`;
  return `<text class="name" x="0" y="${y + 17}">${text(shortened(name))}</text>${bar(from, until, 'run')}${soakUntil === undefined ? '' : bar(until, soakUntil, 'soak')}`;
}

const spoken = (ring: ForecastRing): string =>
  `${ring.name}: ${utcMinute(ring.from)} to ${utcMinute(ring.until)}${ring.soakUntil === undefined ? '' : `, soaks until ${utcMinute(ring.soakUntil)}`}, ${basisText(ring)}`;

function tableRow(ring: ForecastRing): string {
  const { name, from, until, soakUntil } = ring;
  const cells = [utcMinute(from), utcMinute(until), soakUntil === undefined ? '–' : utcMinute(soakUntil), basisText(ring)];
  return `<tr><th scope="row">${text(name)}</th>${cells.map((cell) => `<td>${text(cell)}</td>`).join('')}</tr>`;
}

const shortened = (name: string): string => (name.length > 20 ? `${name.slice(0, 19)}…` : name);
