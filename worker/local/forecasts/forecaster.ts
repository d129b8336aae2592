/** Makes forecasts on a worker: a snapshot into a file that nobody else may read, then planned and simulated in a thread. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Forecaster, MadeForecast } from '../../../activities/contract/forecast.ts';
import { SNAPSHOT_READINGS } from '../../../activities/observe/snapshot/take.ts';
import { failureOf } from '../../../activities/runtime/translate-errors.ts';
import { defined } from '../../../domain/core/defined.ts';
import { SnapshotError } from '../../../domain/facts/snapshot/parse.ts';
import type { Config } from '../../../domain/policy/config/config.ts';
import { modulePath } from '../../config/module-path.ts';
import { takeSnapshotOf } from '../snapshots/take-snapshot.ts';
import type { ForecastJob } from './forecast-thread.ts';
import { inThread } from './in-thread.ts';

const RUNS = 20;
/** As `belay forecast` has it: the same snapshot gives the same forecast. */
const SEED = 1;
/** Of the thread: a snapshot of 5,000 nodes and 50,000 pods takes less than the most. A container has room for its worker beside it. */
const MEMORY_MB = { least: 512, most: 2_048 };

/** Half of what the container may have; all of it where nothing says so (0, or a number beyond any machine). */
function memoryMb(): number {
  const half = Math.floor(process.constrainedMemory() / 2 ** 21);
  return half === 0 ? MEMORY_MB.most : Math.min(MEMORY_MB.most, Math.max(MEMORY_MB.least, half));
}

/** `config`: belay.yaml as it is now. `belay`: its version, for the snapshot. */
export function createForecaster(config: () => Config, belay: string): Forecaster {
  let last: Promise<unknown> = Promise.resolve();
  return {
    async forecast(cluster, request) {
      // One after the other: each takes much of the worker's memory.
      const before = last;
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      last = before.then(() => over);
      try {
        await orAborted(before, request.signal);
        return await make(config(), belay, cluster.name, request);
      } finally {
        end();
      }
    },
  };
}

type Request = Parameters<Forecaster['forecast']>[1];

async function make(
  config: Config,
  belay: string,
  cluster: string,
  { target, strategy, signal, onProgress }: Request,
): Promise<MadeForecast> {
  const folder = await mkdtemp(join(tmpdir(), 'belay-forecast-'));
  try {
    const file = join(folder, `${cluster}.snapshot.gz`);
    let read = 0;
    const onRead = (what: string): void => {
      read += 1;
      onProgress(`taking a snapshot of ${cluster}, ${read} of ${SNAPSHOT_READINGS.length} read: ${what}`);
    };
    // Its calls end with the activity: what it writes is not removed under its hands.
    await takeSnapshotOf(config, cluster, file, { belay, onRead }).catch(inOurWords);
    const job: ForecastJob = { file, configFile: config.fileName, target, ...defined({ strategy }), runs: RUNS, seed: SEED };
    return await inThread<ForecastJob, MadeForecast>(modulePath(import.meta.url, 'forecast-thread'), job, {
      signal,
      onProgress,
      memoryMb: memoryMb(),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Something that reads like a credential stands in the cluster where none should: taking it again finds it again. */
function inOurWords(error: unknown): never {
  throw error instanceof SnapshotError ? failureOf('InvalidRequest', error.message, { cause: error }) : error;
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
