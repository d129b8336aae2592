/** The picture of a run: each step as a bar from its start to its end, and when people were waited for. */
import { createRequire } from 'node:module';
import type { TopLevelSpec } from 'vega-lite';
import type { GateState } from '../../../domain/gate.ts';
import type { UpgradeReport } from '../../../domain/status.ts';

const FONT = 'DejaVu Sans';
const WIDTH_PX = 640;
const ROW_PX = 22;
/** Sharp on phones. */
const PNG_SCALE = 2;

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
  if (bars.length === 0) return undefined;
  // Loaded when a picture is wanted: every other command starts faster without them.
  const vega = await import('vega');
  const { compile } = await import('vega-lite');
  const view = new vega.View(vega.parse(compile(specOf(bars)).spec), { renderer: 'none' });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

/** The same as a PNG, with fonts of our own: a server need not have any. */
export async function timelinePng(report: UpgradeReport): Promise<Buffer | undefined> {
  const svg = await timelineSvg(report);
  if (svg === undefined) return undefined;
  const { Resvg } = await import('@resvg/resvg-js');
  const fontFiles = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map((name) =>
    createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}`),
  );
  const font = { fontFiles, loadSystemFonts: false, defaultFontFamily: FONT };
  return new Resvg(svg, { font, background: 'white', fitTo: { mode: 'zoom', value: PNG_SCALE } }).render().asPng();
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
  const format = spanMs < 10 * 60_000 ? '%H:%M:%S' : spanMs < 24 * 3_600_000 ? '%H:%M' : '%d %b %H:%M';
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
        axis: { grid: true, tickCount: 8, labelOverlap: true, format },
      },
      x2: { field: 'end' },
      color: {
        field: 'kind',
        type: 'nominal',
        scale: { domain: Object.keys(KINDS), range: Object.values(KINDS) },
        legend: { title: null, orient: 'top' },
      },
    },
    config: { font: `${FONT}, sans-serif`, background: 'white', view: { stroke: null } },
  };
}
