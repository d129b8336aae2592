/** The end of a play: the report is gathered, written and shown, and judged. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Beginning, conclude } from './conclude.ts';
import type { RehearsalResult } from './options.ts';
import type { Play } from './play.ts';
import type { KillOrder } from '../processes/kills.ts';
import { type RehearsalReport, renderLeft, renderLimits, renderReport, succeeded } from './report.ts';
import { until } from './watch.ts';

/** A process killed late may still be on its way back. */
const RECOVERY_LIMIT_MS = 15_000;

export function beginning({ stage }: Play): Beginning {
  return { wallMs: performance.now(), worldMs: stage.built.world.clock.elapsedMs() };
}

/** After the run has closed. */
export async function end(play: Play, since: Date, startedAt: Beginning): Promise<RehearsalResult> {
  const { options, kills, say, signal, stage } = play;
  await until(() => kills.records.every(({ recoveredMs }) => recoveredMs !== undefined), { limitMs: RECOVERY_LIMIT_MS, signal });
  const concluded = await conclude(play, since, startedAt);
  const { headline } = concluded;
  const { limits = [] } = play;
  const report: RehearsalReport = limits.length === 0 ? concluded.report : { ...concluded.report, limits: [...limits] };
  play.progress.close();
  if (options.json !== undefined) writeFileSync(resolve(options.json), `${JSON.stringify(report, null, 2)}\n`);
  say(`\n${renderReport(report, headline)}\n`);
  if (report.limits !== undefined) say(`${renderLimits(report.limits)}\n`);
  await options.onEnd?.({ report, temporalAddress: play.watcher.address, recordsDirectory: play.recordsDirectory });
  const why = failureOf(report, kills.unfired);
  return { ok: why === undefined, why: why ?? '', report, stage };
}

/** undefined: it is as it should be. */
function failureOf(report: RehearsalReport, unfired: readonly KillOrder[]): string | undefined {
  if (!succeeded(report)) {
    const problems = [
      ...report.leftBehind.map((left) => `left behind: ${renderLeft(left)}`),
      ...(report.outcome === 'completed' ? report.unmet : []),
    ];
    return [`The upgrade ended as ${report.outcome}.`, ...problems.map((problem) => `  ${problem}`)].join('\n');
  }
  if (unfired.length > 0) return `These kills never found their moment: ${named(unfired)}.`;
  const idle = report.faults.filter(({ since }) => since === undefined).map(({ fault }) => fault);
  if (idle.length > 0) return `These faults never found their moment: ${idle.join(', ')}.`;
  const lost = report.killed.filter(({ recoveredMs }) => recoveredMs === undefined);
  if (lost.length > 0) return `Not seen again after its kill: ${named(lost)}.`;
  return undefined;
}

function named(orders: readonly KillOrder[]): string {
  return orders.map(({ process, at }) => `${process}@${at}`).join(', ');
}
