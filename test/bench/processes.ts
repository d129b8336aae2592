/** Memory of processes, by /proc. Elsewhere than on Linux there is none to see. */
import { readdirSync, readFileSync } from 'node:fs';

/** Highest resident memory of each child so far, in MB, by the word of Belay's command line that it runs (worker, slack). */
export class PeakMemory {
  readonly peaks = new Map<string, number>();

  look(): void {
    for (const pid of readable('/proc').filter((name) => /^\d+$/.test(name))) {
      if (!text(`/proc/${pid}/status`).includes(`\nPPid:\t${process.pid}\n`)) continue;
      const name = /cli\/main\.ts\0(\w+)/.exec(text(`/proc/${pid}/cmdline`))?.[1];
      if (name !== undefined) this.peaks.set(name, Math.max(this.peaks.get(name) ?? 0, peakMbOf(pid)));
    }
  }
}

/** 0: there is no such process. */
export function peakMbOf(pid: number | string): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(text(`/proc/${pid}/status`))?.[1] ?? 0) / 1000;
}

function readable(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Processes end while one looks. */
function text(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
