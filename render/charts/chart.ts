/** Pictures from Vega-Lite: as SVG for pages, and as PNG for chats. */
import { createRequire } from 'node:module';
import type { TopLevelSpec } from 'vega-lite';

const FONT = 'DejaVu Sans';
/** Sharp on phones. */
const PNG_SCALE = 2;

/** What all pictures have in common. */
export const LOOK = { font: `${FONT}, sans-serif`, background: 'white', view: { stroke: null } } as const;

export async function svgOf(spec: TopLevelSpec): Promise<string> {
  // Loaded when a picture is wanted: every other command starts faster without them.
  const vega = await import('vega');
  const { compile } = await import('vega-lite');
  const view = new vega.View(vega.parse(compile(spec).spec), { renderer: 'none' });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

/** With fonts of our own: a server need not have any. */
export async function pngOf(svg: string): Promise<Buffer> {
  const { Resvg } = await import('@resvg/resvg-js');
  const fontFiles = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map((name) =>
    createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}`),
  );
  const font = { fontFiles, loadSystemFonts: false, defaultFontFamily: FONT };
  return new Resvg(svg, { font, background: 'white', fitTo: { mode: 'zoom', value: PNG_SCALE } }).render().asPng();
}

/** How an axis of so long a time says it. */
export function timeFormat(spanMs: number): string {
  return spanMs < 10 * 60_000 ? '%H:%M:%S' : spanMs < 24 * 3_600_000 ? '%H:%M' : '%d %b %H:%M';
}
