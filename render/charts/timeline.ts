/** The picture of a run: each step as a bar from its start to its end, and when people were waited for. */
import type { TopLevelSpec } from 'vega-lite';
import type { GateState } from '../../domain/gates/gate.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { LOOK, pngOf, svgOf, timeFormat } from './chart.ts';

const WIDTH_PX = 640;
const ROW_PX = 22;

/** What a bar is, and its colour: told apart without colour by their order in the legend and by height. */
const KINDS = {
  done: '#2f7d4f',
  'waiting for people': '#c98a00',
  failed: '#b3261e',
  skipped: '#7a7a7a',
} as const;

interface Bar {
  step: string;
  start: string;
  end: string;
  kind: keyof typeof KINDS;
}

/** Undefined where nothing has run yet, so that there is nothing to draw. */
export async function timelineSvg(report: UpgradeReport): Promise<string | undefined> {
  const bars = barsOf(report);
  return bars.length === 0 ? undefined : await svgOf(specOf(bars));
}

/** The same as a PNG. */
export async function timelinePng(report: UpgradeReport): Promise<Buffer | undefined> {
  const svg = await timelineSvg(report);
  return svg === undefined ? undefined : await pngOf(svg);
}

function barsOf({ status, decisions }: UpgradeReport): Bar[] {
  const endOfRun = status.endedAt ?? status.startedAt;
  const titles = new Map(status.steps.map(({ id, title }) => [id, title]));
  const steps = status.steps.flatMap(({ title, state, startedAt, endedAt }): Bar[] =>
    startedAt === undefined ? [] : [{ step: title, start: startedAt, end: endedAt ?? endOfRun, kind: kindOf(state) }],
  );
  const gates = decisions.map(
    (state): Bar => ({
      step: titles.get(state.gate.step) ?? state.gate.title,
      start: state.gate.openedAt,
      end: closedAt(state) ?? endOfRun,
      kind: 'waiting for people',
    }),
  );
  return [...steps, ...gates];
}

function kindOf(state: UpgradeReport['status']['steps'][number]['state']): Bar['kind'] {
  if (state === 'failed' || state === 'aborted') return 'failed';
  return state === 'skipped' ? 'skipped' : 'done';
}

function closedAt(state: GateState): string | undefined {
  if (state.kind === 'open') return undefined;
  return state.kind === 'decided' ? state.decision.at : state.at;
}

function specOf(bars: readonly Bar[]): TopLevelSpec {
  const spanMs = Math.max(...bars.map(({ end }) => Date.parse(end))) - Math.min(...bars.map(({ start }) => Date.parse(start)));
  const rows = [...new Set(bars.toSorted((a, b) => a.start.localeCompare(b.start)).map(({ step }) => step))];
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    width: WIDTH_PX,
    height: { step: ROW_PX },
    data: { values: [...bars] },
    mark: { type: 'bar', cornerRadius: 2, minBandSize: 8 },
    encoding: {
      y: { field: 'step', type: 'nominal', sort: rows, title: null, axis: { labelLimit: 320, ticks: false, domain: false } },
      x: {
        field: 'start',
        type: 'temporal',
        scale: { type: 'utc' },
        title: 'UTC',
        axis: { grid: true, tickCount: 8, labelOverlap: true, format: timeFormat(spanMs) },
      },
      x2: { field: 'end' },
      color: {
        field: 'kind',
        type: 'nominal',
        scale: { domain: Object.keys(KINDS), range: Object.values(KINDS) },
        legend: { title: null, orient: 'top' },
      },
    },
    config: LOOK,
  };
}
