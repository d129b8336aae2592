/** The forecast of a shape, in a thread: Slack's stand-in, which is in this process, answers meanwhile. */
import { readSnapshotFile } from '../../../activities/observe/snapshot/read-file.ts';
import type { Forecast } from '../../../domain/plan/forecast/types.ts';
import { loadConfig } from '../../../worker/config/config.ts';
import { answerFromThread } from '../../../worker/local/forecasts/in-thread.ts';
import { forecastSnapshot } from '../../../worker/local/snapshots/forecast.ts';

export interface ForecastJob {
  /** A snapshot. */
  file: string;
  /** belay.yaml. */
  configFile: string;
  target: string;
}

/** KWOK ends pods and instances at once, and attaches no volumes: what is left is Karpenter's own look at a node that ends, every five seconds. */
const KWOK = { podEndMs: 500, removalMs: 5_000, detachMs: 0 };

await answerFromThread<ForecastJob, Forecast>(async ({ file, configFile, target }) => {
  const made = await forecastSnapshot(await readSnapshotFile(file), {
    config: loadConfig(configFile),
    target,
    runs: 60,
    seed: 1,
    gateMs: 0,
    usual: KWOK,
  });
  if (made.kind === 'refused') throw new Error(`no plan: ${JSON.stringify(made)}`);
  return made.forecast;
});
