/** The picture of the steps: when each begins and how long it takes in half of the simulations, and in nine of ten. */
import { duration } from '../../domain/core/text.ts';
import type { Forecast, StepForecast } from '../../domain/plan/forecast/types.ts';
import { timeText } from '../../domain/run/forecasts/texts.ts';
import { escapeMarkup as text } from '../page/markup.ts';
import { type Axis, axisUntil } from './axis.ts';

/** '': there are no steps. `untilMs`: where the axis ends, so that several pictures have one. */
export function ganttPicture({ steps, total }: Pick<Forecast, 'steps' | 'total'>, untilMs = total.p90): string {
  if (steps.length === 0) return '';
  const ends = steps.map(({ startsAfter, takes }) => startsAfter.p90 + takes.p90);
  const axis = axisUntil(Math.max(untilMs, total.p90, ...ends));
  return `<figure class="gantt" style="--step:${axis.stepPercent}%"><figcaption>Steps, from the beginning of the upgrade</figcaption>${axis.ticks}<ol>${steps.map((step) => row(step, axis)).join('')}</ol>
<ul class="key"><li><i></i>in half of the simulations</li><li><i class="late"></i>in nine of ten</li><li>all of it: ${text(timeText(total))}</li></ul></figure>`;
}

function row(step: StepForecast, { at }: Axis): string {
  const { title, startsAfter, takes } = step;
  const bar = (kind: string, from: number, until: number): string =>
    `<i class="${kind}" style="left:${at(from)}%;width:${Math.round((at(until) - at(from)) * 100) / 100}%"></i>`;
  const half = startsAfter.p50 + takes.p50;
  const most = startsAfter.p90 + takes.p90;
  return `<li title="${text(`begins after ${duration(startsAfter.p50)}`)}"><span class="step">${text(title)} <small>${text(timeText(takes))}</small></span><span class="track">${most > half ? bar('late', half, most) : ''}${bar('half', startsAfter.p50, half)}</span></li>`;
}
