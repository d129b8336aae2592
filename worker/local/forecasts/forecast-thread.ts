/** The thread that plans and simulates an upgrade on a snapshot: nothing else of the process waits for it. */
import { readSnapshotFile } from '../../../activities/observe/snapshot/read-file.ts';
import type { MadeForecast } from '../../../activities/contract/forecast.ts';
import { defined } from '../../../domain/core/defined.ts';
import type { NodeStrategy } from '../../../domain/policy/policy.ts';
import { loadConfig } from '../../config/config.ts';
import { forecastSnapshot } from '../snapshots/forecast.ts';
import { answerFromThread } from './in-thread.ts';

export interface ForecastJob {
  /** A snapshot. */
  file: string;
  /** belay.yaml. */
  configFile: string;
  target: string;
  strategy?: NodeStrategy;
  runs: number;
  seed: number;
}

await answerFromThread<ForecastJob, MadeForecast>(async ({ file, configFile, target, strategy, runs, seed }, onProgress) => {
  onProgress('reading the snapshot');
  const snapshot = await readSnapshotFile(file);
  onProgress(`planning the upgrade of ${snapshot.header.cluster.name} on the snapshot`);
  const onPlayed = (n: number): void => onProgress(`simulating the upgrade of ${snapshot.header.cluster.name}, ${n} of ${runs}`);
  const result = await forecastSnapshot(snapshot, {
    config: loadConfig(configFile),
    target,
    runs,
    seed,
    onPlayed,
    ...defined({ strategy }),
  });
  return result.kind === 'refused' ? result : { kind: 'made', forecast: result.forecast };
});
