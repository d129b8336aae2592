/** Pictures of health checks for a gate: what each was over time, its limit, and what it was before the upgrade. */
import type { TopLevelSpec } from 'vega-lite';
import { amount, exceeds } from '../../domain/health/checks.ts';
import type { HealthCurve } from '../../domain/health/curves.ts';
import { LOOK, pngOf, svgOf, timeFormat } from './chart.ts';
import { defined } from '../../domain/core/defined.ts';

/** Of one check; several stand below each other. */
const WIDTH_PX = 640;
const HEIGHT_PX = 320;
const COLOURS = { line: '#1f5fa8', bad: '#b3261e', limit: '#b3261e', baseline: '#6a6a6a' } as const;

interface Point {
  at: string;
  seen: number | null;
  bad: boolean;
}

/** undefined: none of them has ever seen anything, so that there is nothing to draw. */
export async function healthPng(curves: readonly HealthCurve[]): Promise<Buffer | undefined> {
  const drawn = curves.filter(({ points }) => points.some(([, seen]) => seen !== null));
  if (drawn.length === 0) return undefined;
  const svgs: string[] = [];
  for (const curve of drawn) svgs.push(await svgOf(healthSpec(curve)));
  return await pngOf(stacked(svgs));
}

/** Points that nothing was seen at are gaps of the line; those beyond the limit are told apart by shape, too. */
export function healthSpec(curve: HealthCurve): TopLevelSpec {
  const points = pointsOf(curve);
  const rules = rulesOf(curve);
  const spanMs = Date.parse(points.at(-1)?.at ?? curve.startedAt) - Date.parse(points[0]?.at ?? curve.startedAt);
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    width: WIDTH_PX,
    height: HEIGHT_PX,
    autosize: { type: 'fit', contains: 'padding' },
    padding: 12,
    title: {
      text: curve.check,
      subtitle: rules.map(({ text }) => text),
      anchor: 'start',
      limit: WIDTH_PX - 30,
      fontSize: 20,
      subtitleFontSize: 15,
      offset: 12,
    },
    layer: [
      {
        data: { values: points },
        mark: { type: 'line', color: COLOURS.line, strokeWidth: 2.5, invalid: 'break-paths-show-domains' },
        encoding: { ...axes(spanMs), y: yAxis },
      },
      {
        data: { values: points.filter(({ seen }) => seen !== null) },
        mark: { type: 'point', filled: true, opacity: 1 },
        encoding: {
          ...axes(spanMs),
          y: yAxis,
          color: { condition: { test: 'datum.bad', value: COLOURS.bad }, value: COLOURS.line },
          shape: { condition: { test: 'datum.bad', value: 'diamond' }, value: 'circle' },
          size: { condition: { test: 'datum.bad', value: 110 }, value: 35 },
        },
      },
      ...rules.map(({ value, colour, dash }) => ({
        data: { values: [{ value }] },
        mark: { type: 'rule' as const, color: colour, strokeWidth: 2, ...defined({ strokeDash: dash }) },
        encoding: { y: { field: 'value', type: 'quantitative' as const } },
      })),
    ],
    config: { ...LOOK, axis: { labelFontSize: 15, titleFontSize: 15, labelColor: '#222222' } },
  };
}

function axes(spanMs: number) {
  return {
    x: {
      field: 'at',
      type: 'temporal' as const,
      scale: { type: 'utc' as const },
      title: 'UTC',
      axis: { tickCount: 5, labelOverlap: true, grid: false, format: timeFormat(spanMs) },
    },
  };
}

const yAxis = {
  field: 'seen',
  type: 'quantitative' as const,
  title: null,
  scale: { zero: true },
  axis: { format: '~g', tickCount: 5 },
};

function pointsOf({ startedAt, points, limit }: HealthCurve): Point[] {
  return points.map(([atSec, seen]) => ({
    at: new Date(Date.parse(startedAt) + atSec * 1000).toISOString(),
    seen,
    bad: seen !== null && limit !== undefined && exceeds(seen, limit),
  }));
}

function rulesOf({ limit, baseline }: HealthCurve): { value: number; text: string; colour: string; dash?: number[] }[] {
  return [
    ...(limit === undefined
      ? []
      : [{ value: limit.value, text: `— fails when ${limit.operator} ${amount(limit.value)}`, colour: COLOURS.limit }]),
    ...(baseline === undefined
      ? []
      : [{ value: baseline, text: `- - before the upgrade ${amount(baseline)}`, colour: COLOURS.baseline, dash: [6, 5] }]),
  ];
}

function stacked(svgs: readonly string[]): string {
  const height = svgs.length * HEIGHT_PX;
  const parts = svgs.map((svg, index) => `<g transform="translate(0 ${index * HEIGHT_PX})">${svg}</g>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH_PX}" height="${height}" viewBox="0 0 ${WIDTH_PX} ${height}">${parts.join('')}</svg>`;
}
