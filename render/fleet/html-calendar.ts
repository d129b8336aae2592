/** Support dates of the minors in a fleet, as bars on a calendar with today on it. */
import { count } from '../../domain/core/text.ts';
import type { FleetView, MinorView } from '../../domain/run/fleet-view/view.ts';
import { escapeMarkup as text } from '../page/markup.ts';
import { axisOf } from './axis.ts';

const WIDTH = 1000;
const LABEL = 150;
const TOP = 24;
const ROW = 30;
/** How far back a bar is drawn; support that has ended is a remark. */
const BEFORE_MS = 60 * 24 * 3_600_000;

export function supportCalendar({ minors, readAt }: FleetView): string {
  if (minors.length === 0) return '<p>No version could be read, so there is no calendar.</p>';
  const begins = new Date(Date.parse(readAt) - BEFORE_MS).toISOString();
  const ends = minors.flatMap(({ endOfStandardSupport, endOfExtendedSupport }) => [endOfStandardSupport ?? '', endOfExtendedSupport ?? '']);
  const height = TOP + minors.length * ROW;
  const axis = axisOf([begins, readAt, ...ends.filter((iso) => iso > begins)], { left: LABEL, right: WIDTH - 10, height });
  const rows = minors.map((minor, index) => row(minor, TOP + index * ROW, begins, axis.x));
  const now = axis.x(readAt);
  return `<figure class="wide"><figcaption>Support of the versions in use, as of ${text(readAt.slice(0, 10))}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${text(minors.map(spoken).join('; '))}">${axis.grid}${rows.join('')}<line class="now" x1="${now}" y1="4" x2="${now}" y2="${height}"/></svg></figure>
<ul class="key"><li><i class="standard"></i>standard support</li><li><i class="extended"></i>extended support</li><li>│ today</li></ul>`;
}

function row(minor: MinorView, y: number, begins: string, x: (iso: string) => number): string {
  const { endOfStandardSupport: standard, endOfExtendedSupport: extended } = minor;
  const label = `<text class="name" x="0" y="${y + 17}">${text(minor.minor)} · ${count(minor.clusterCount, 'cluster')}</text>`;
  if (standard === undefined) return `${label}<text class="date" x="${LABEL + 6}" y="${y + 17}">support dates are not known</text>`;
  const last = extended ?? standard;
  if (last <= begins) return `${label}<text class="date" x="${LABEL + 6}" y="${y + 17}">support ended on ${text(last)}</text>`;
  const bar = (from: string, until: string, kind: string): string => {
    const [left, right] = [x(from), x(until)];
    return right <= left
      ? ''
      : `<rect class="${kind}" x="${left}" y="${y + 4}" width="${Math.round((right - left) * 10) / 10}" height="18" rx="2"><title>${text(minor.minor)}: ${kind} support until ${text(until)}</title></rect>`;
  };
  return `${label}${bar(begins, standard, 'standard')}${extended === undefined ? '' : bar(standard > begins ? standard : begins, extended, 'extended')}`;
}

function spoken({ minor, clusterCount, support, endOfStandardSupport, endOfExtendedSupport }: MinorView): string {
  const dates =
    endOfStandardSupport === undefined
      ? 'support dates are not known'
      : `standard support until ${endOfStandardSupport}${endOfExtendedSupport === undefined ? '' : `, extended until ${endOfExtendedSupport}`}`;
  return `${minor}: ${count(clusterCount, 'cluster')}, ${support}, ${dates}`;
}
