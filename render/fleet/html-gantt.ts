/** The forecast of a campaign as bars over time beside the support of its versions, and as a table that says what each date rests on. */
import {
  basisText,
  bestText,
  type CampaignBoard,
  type CampaignForecast,
  costText,
  type ForecastRing,
  type SupportEnd,
  supportEndText,
} from '../../domain/run/fleet-view/board.ts';
import { utcMinute } from '../../domain/core/text.ts';
import { escapeMarkup as text } from '../page/markup.ts';
import { axisOf } from './axis.ts';
import { forecastRests } from './texts.ts';

const WIDTH = 1000;
const LABEL = 150;
const TOP = 24;
const ROW = 30;
const DAY_MS = 24 * 3_600_000;

interface Picture {
  x: (iso: string) => number;
  /** Until then it has happened. */
  at: string;
}

export function forecastPicture({ at, finishBy, state, from }: CampaignBoard, forecast: CampaignForecast): string {
  const { rings, support, costs, best } = forecast;
  if (rings.length === 0) return '<p>There is no forecast.</p>';
  const minors = [...Map.groupBy(support, ({ minor }) => minor).values()];
  const height = TOP + (rings.length + minors.length) * ROW;
  // The whole day counts.
  const limit = finishBy === undefined ? undefined : new Date(Date.parse(finishBy) + DAY_MS).toISOString();
  const times = [at, ...rings.flatMap((ring) => [ring.from, ring.until, ring.soakUntil ?? ring.until]), limit ?? at];
  const axis = axisOf([...times, ...soonAfter(support, times)], { left: LABEL, right: WIDTH - 10, height });
  const picture = { x: axis.x, at };
  const bars = [
    ...rings.map((ring, index) => ringRow(ring, TOP + index * ROW, picture)),
    ...minors.map((ends, index) => supportRow(ends, TOP + (rings.length + index) * ROW, axis.x)),
  ];
  const mark = (iso: string, kind: string): string =>
    `<line class="${kind}" x1="${axis.x(iso)}" y1="18" x2="${axis.x(iso)}" y2="${height}"/>`;
  const spokenAll = [...rings.map(spoken), ...support.map((end) => supportEndText(end, at))].join('; ');
  const notes = [
    forecastRests({ state, from, forecast }),
    ...support.map((end) => `${supportEndText(end, at)}.`),
    ...costs.map((cost) => `Account ${costText(cost)}.`),
  ];
  return `<figure class="wide"><figcaption>Forecast, in UTC</figcaption><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${text(spokenAll)}">${axis.grid}${bars.join('')}${mark(at, 'now')}${limit === undefined ? '' : mark(limit, 'limit')}</svg></figure>
${legend(forecast, finishBy)}
${best === undefined ? '' : `<p><b>What would help most:</b> ${text(bestText(best))}.</p>`}<ul class="about">${notes.map((line) => `<li>${text(line)}</li>`).join('')}</ul>
<div class="scroll"><table class="fleet"><thead><tr>${['Ring', 'From', 'Until', 'Soaks until', 'Based on'].map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead><tbody>${rings.map(tableRow).join('')}</tbody></table></div>`;
}

/** Ends of support that a somewhat wider picture has, too; those far away are said in words. */
function soonAfter(support: readonly SupportEnd[], times: readonly string[]): string[] {
  const known = times.map((iso) => Date.parse(iso));
  const [first, last] = [Math.min(...known), Math.max(...known)];
  const until = last + Math.max(7 * DAY_MS, (last - first) / 2);
  return support.map(({ on }) => on).filter((on) => Date.parse(on) >= first && Date.parse(on) <= until);
}

function legend({ rings, support }: CampaignForecast, finishBy: string | undefined): string {
  const soaks = rings.some(({ soakUntil }) => soakUntil !== undefined);
  const items = [
    '<li><i class="past"></i>happened</li>',
    '<li><i class="run"></i>upgrades</li>',
    ...(soaks ? ['<li><i class="soak"></i>soak</li>'] : []),
    ...(support.length === 0
      ? []
      : ['<li><i class="standard"></i>standard support</li>', '<li><i class="extended"></i>extended support</li>']),
    '<li>│ now</li>',
    ...(finishBy === undefined ? [] : [`<li class="due">┆ finish by ${text(finishBy)}</li>`]),
  ];
  return `<ul class="key">${items.join('')}</ul>`;
}

/** What has happened and what is still to come are told apart by now. */
function ringRow(ring: ForecastRing, y: number, picture: Picture): string {
  const { name, from, until, soakUntil } = ring;
  const title = text(spoken(ring));
  const parts = [...split(from, until, 'run', picture.at), ...(soakUntil === undefined ? [] : split(until, soakUntil, 'soak', picture.at))];
  const bars = parts.map(
    ({ begin, end, kind }) =>
      `<rect class="${kind}" x="${picture.x(begin)}" y="${y + 4}" width="${Math.max(2, width(picture.x, begin, end))}" height="18" rx="2"><title>${title}</title></rect>`,
  );
  return `${label(name, y)}${bars.join('')}`;
}

function split(begin: string, end: string, kind: 'run' | 'soak', at: string): { begin: string; end: string; kind: string }[] {
  const past = `${kind} past`;
  if (end <= at) return [{ begin, end, kind: past }];
  if (begin >= at) return [{ begin, end, kind }];
  return [
    { begin, end: at, kind: past },
    { begin: at, end, kind },
  ];
}

function supportRow(ends: readonly SupportEnd[], y: number, x: Picture['x']): string {
  const minor = ends[0]?.minor ?? '';
  const [standard, extended] = (['standard', 'extended'] as const).map((kind) => ends.find((end) => end.kind === kind)?.on);
  const right = WIDTH - 10;
  const bar = (left: number, until: string | undefined, kind: string): string => {
    const wide = Math.round(((until === undefined ? right : x(until)) - left) * 10) / 10;
    return wide <= 0
      ? ''
      : `<rect class="${kind}" x="${left}" y="${y + 9}" width="${wide}" height="8" rx="2"><title>${text(minor)}: ${kind} support until ${text(until ?? 'not known')}</title></rect>`;
  };
  return `${label(`support of ${minor}`, y)}${bar(LABEL, standard, 'standard')}${extended === undefined || standard === undefined ? '' : bar(x(standard), extended, 'extended')}`;
}

const label = (name: string, y: number): string => `<text class="name" x="0" y="${y + 17}">${text(shortened(name))}</text>`;
const width = (x: Picture['x'], begin: string, end: string): number => Math.round((x(end) - x(begin)) * 10) / 10;

const spoken = (ring: ForecastRing): string =>
  `${ring.name}: ${utcMinute(ring.from)} to ${utcMinute(ring.until)}${ring.soakUntil === undefined ? '' : `, soaks until ${utcMinute(ring.soakUntil)}`}, ${basisText(ring)}`;

function tableRow(ring: ForecastRing): string {
  const { name, from, until, soakUntil } = ring;
  const cells = [utcMinute(from), utcMinute(until), soakUntil === undefined ? '–' : utcMinute(soakUntil), basisText(ring)];
  return `<tr><th scope="row">${text(name)}</th>${cells.map((cell) => `<td>${text(cell)}</td>`).join('')}</tr>`;
}

const shortened = (name: string): string => (name.length > 20 ? `${name.slice(0, 19)}…` : name);
