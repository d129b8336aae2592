/** What a run could not have been shorter than, whoever conducts it: the time in which the world itself was at work, and people thought. */
import type { RehearsalReport } from '../../rehearsal/play/report.ts';
import type { Stage } from '../../rehearsal/play/stage/stage.ts';

type Interval = readonly [fromMs: number, toMs: number];

/** The scenarios' bake, as in belay.yaml's default. */
const BAKE_MS = 10 * 60_000;

/** World milliseconds. */
export function criticalPathMs(report: RehearsalReport, stage: Stage, speed: number): number {
  const { eks, journal } = stage.built.world;
  const updates = eks.updates.map(({ createdAtMs, endedAtMs }): Interval => [createdAtMs, endedAtMs ?? createdAtMs]);
  const path = lengthMs([...updates, ...replacing(journal.events)]);
  const bakes = report.steps.filter(({ phase, outcome }) => phase === 'bake' && outcome === 'completed').length;
  const thinkingMs = report.gates.reduce((sum, { waitedMs }) => sum + waitedMs, 0) * speed;
  return path + bakes * BAKE_MS + thinkingMs;
}

/** Karpenter at work: from its first removal of a drifted node to the last node that is ready. */
function replacing(events: readonly { at: string; text: string }[]): Interval[] {
  const times = events.filter(({ text }) => /^Karpenter(?:'s \S+ is ready| removes) /.test(text)).map(({ at }) => Date.parse(at));
  const first = times[0];
  const last = times.at(-1);
  return first === undefined || last === undefined ? [] : [[first, last]];
}

/** Of the union. */
function lengthMs(intervals: readonly Interval[]): number {
  let sum = 0;
  let reachedMs = Number.NEGATIVE_INFINITY;
  for (const [fromMs, toMs] of intervals.toSorted(([a], [b]) => a - b)) {
    sum += Math.max(0, toMs - Math.max(fromMs, reachedMs));
    reachedMs = Math.max(reachedMs, toMs);
  }
  return sum;
}
