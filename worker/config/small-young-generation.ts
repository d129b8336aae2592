/**
 * Reading a large cluster in this process with less memory. V8 of Node 24 lets the young generation grow to 128 MB, most of it pages of lists
 * that nobody needs any more; the 32 MB at which Node 22 stops are as fast. Its limit is a flag of the command line, which `npx` cannot give.
 */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const LIMIT_BYTES = 32 * 1024 * 1024;
/** By how much V8 grows it after a collection that many objects have survived; V8's own default. */
const GROWTH = 2;

/** For a process that reads and ends. The flag is of all threads, and as before at the end. */
export async function withSmallYoungGeneration<T>(read: () => Promise<T>): Promise<T> {
  const observer = new PerformanceObserver(() => {
    if (youngBytes() < LIMIT_BYTES) return;
    setGrowth(1);
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
  try {
    return await read();
  } finally {
    observer.disconnect();
    setGrowth(GROWTH);
  }
}

const youngBytes = (): number => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;

const setGrowth = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`);
