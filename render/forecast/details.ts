/** The rest: steps, nodes replaced, the peak, where lengths are from. */
import { capital, count, duration } from '../../domain/core/text.ts';
import type { Forecast } from '../../domain/plan/forecast/types.ts';
import { BASES, countText, ownerText, peakText, shortText, surgeText, timeText } from '../../domain/run/forecasts/texts.ts';
import { escapeMarkup as text } from '../page/markup.ts';
import { folded, section, withSmall, wordTable } from './markup.ts';

const SHOWN = 40;

export function stepSection({ steps }: Forecast): string {
  const rows = steps.map(({ id, title, startsAfter, takes, basis }) => [
    withSmall(title, id),
    text(`after ${timeText(startsAfter)}`),
    text(timeText(takes)),
    text(BASES[basis]),
  ]);
  return rows.length === 0 ? '' : section('Steps', wordTable(['Step', 'Begins', 'Takes', 'Length from'], rows));
}

export function nodeSection({ nodesReplaced, peak, surge }: Forecast): string {
  const rows = nodesReplaced.map((replaced) => [text(ownerText(replaced)), text(countText(replaced.count))]);
  const short = peak.shortOfAddresses.map((zone) => `<li class="required-findings">${text(shortText(zone))}</li>`);
  const lines = [`<li>${text(peakText(peak))}</li>`, ...short, `<li>${text(capital(surgeText(surge)))}</li>`];
  return `${rows.length === 0 ? '' : section('Nodes replaced', wordTable(['Of', 'Nodes'], rows))}${section('At the peak, beyond what runs before', `<ul>${lines.join('')}</ul>`)}`;
}

export function calibrationSection({ calibration }: Forecast): string {
  const rows = calibration.map(({ what, basis, medianMs, count: times }) => [
    text(what),
    text(duration(medianMs)),
    text(`${BASES[basis]}${times === 0 ? '' : `, ${count(times, 'measurement')}`}`),
  ]);
  if (rows.length === 0) return '';
  const note =
    'What is measured in the snapshot or learnt from earlier upgrades is of this cluster; reports of other clusters are a guess for this one.';
  return section('Where lengths are from', folded(rows, ['What', 'Median', 'From'], { shown: SHOWN, what: 'lengths' }), note);
}
