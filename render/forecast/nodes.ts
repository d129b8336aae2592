/** Nodes over time in the median simulation, stacked: old ones, new ones, and those that are launched and not ready. */
import { count } from '../../domain/core/text.ts';
import type { Forecast, NodesAt } from '../../domain/plan/forecast/types.ts';
import { escapeMarkup as text } from '../page/markup.ts';
import { axisUntil } from './axis.ts';

const HEIGHT = 100;
const LAYERS = ['old', 'new', 'coming'] as const;

/** '': nothing is known of nodes over time. */
export function nodesPicture({ nodesOverTime, total }: Pick<Forecast, 'nodesOverTime' | 'total'>, untilMs = total.p90): string {
  const [first] = nodesOverTime;
  if (first === undefined) return '';
  const last = nodesOverTime.at(-1) ?? first;
  const end = Math.max(total.p50, last.atMs);
  const axis = axisUntil(Math.max(untilMs, end));
  const most = Math.max(1, ...nodesOverTime.map(sum));
  const y = (nodes: number): number => Math.round((HEIGHT - (nodes / most) * HEIGHT) * 100) / 100;
  const paths = LAYERS.map((layer, index) => {
    const below = (at: NodesAt): number => LAYERS.slice(0, index).reduce((nodes, other) => nodes + at[other], 0);
    return `<path class="${layer}" d="${area(nodesOverTime, end, axis.at, (at) => [y(below(at)), y(below(at) + at[layer])])}"/>`;
  });
  const spoken = `${count(sum(first), 'node')} at first, at most ${most} at a time, ${sum(last)} at the end`;
  // Stretched to whatever width there is: words stay outside.
  return `<figure class="nodes" style="--step:${axis.stepPercent}%"><figcaption>Nodes over time, in the median simulation: ${text(spoken)}</figcaption>${axis.ticks}<div class="chart"><svg viewBox="0 0 100 ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${text(spoken)}">${paths.join('')}</svg></div>
<ul class="key"><li><i class="old"></i>old</li><li><i class="new"></i>new</li><li><i class="coming"></i>launched, not ready</li></ul></figure>`;
}

const sum = (at: NodesAt): number => LAYERS.reduce((nodes, layer) => nodes + at[layer], 0);

/** Counts stay until the next point in time: steps, not slopes. `edges`: lower and upper. */
function area(points: readonly NodesAt[], endMs: number, x: (ms: number) => number, edges: (at: NodesAt) => [number, number]): string {
  const upper: string[] = [];
  const lower: string[] = [];
  for (const [index, at] of points.entries()) {
    const [below, above] = edges(at);
    const [from, until] = [x(at.atMs), x(points[index + 1]?.atMs ?? endMs)];
    upper.push(`${from},${above}`, `${until},${above}`);
    lower.push(`${from},${below}`, `${until},${below}`);
  }
  return `M${upper.join(' L')} L${lower.toReversed().join(' L')} Z`;
}
