/** Children of this process, by /proc. Elsewhere than on Linux there are none to see. */
import { readdirSync, readFileSync } from 'node:fs';

/** Highest resident memory of each process so far, in MB, by the word of Belay's command line that it runs (worker, slack). */
export class PeakMemory {
  readonly peaks = new Map<string, number>();

  look(): void {
    for (const pid of readable('/proc').filter((name) => /^\d+$/.test(name))) {
      const status = text(`/proc/${pid}/status`);
      if (!status.includes(`\nPPid:\t${process.pid}\n`)) continue;
      const name = /cli\/main\.ts\0(\w+)/.exec(text(`/proc/${pid}/cmdline`))?.[1];
      const peakKb = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0);
      if (name !== undefined) this.peaks.set(name, Math.max(this.peaks.get(name) ?? 0, peakKb / 1000));
    }
  }
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
