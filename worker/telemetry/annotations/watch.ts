/** Looks at steps every 30 s and tells Grafana: over connections of its own, and nothing waits for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectedUpgrades } from '../../../client/upgrades-client.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { Config } from '../../../domain/policy/config/config.ts';
import { environmentIn } from '../../local/environment-in.ts';
import { openUpgrades } from '../../local/open-upgrades.ts';
import { type Component, showsRuns } from '../metrics/settings.ts';
import { annotator } from './annotate.ts';
import { grafanaAt } from './grafana.ts';

const LOOK_MS = 30_000;
/** What has ended while Grafana, or this process, was away for a day is still told. */
const BACK_MS = 24 * 3_600_000;

interface WatchOptions {
  component: Component;
  config: Config;
  env: NodeJS.ProcessEnv;
  /** Told the first of several failures in a row. */
  warn: (message: string) => void;
}

/** Begins at once where belay.yaml has `grafana` and this process is the one that shows runs. Never throws. Returns how to stop. */
export function watchSteps({ component, config, env, warn }: WatchOptions): () => Promise<void> {
  const { grafana: access } = config;
  if (access === undefined || !showsRuns(env, component)) return async () => undefined;
  const stopping = new AbortController();
  let connected: ConnectedUpgrades | undefined;
  const watching = (async (): Promise<void> => {
    try {
      const grafana = grafanaAt(access, env);
      const upgrades = (connected = openUpgrades(config, { env }));
      const look = annotator({
        steps: () => upgrades.steps(new Date(Date.now() - BACK_MS)),
        grafana,
        isOurs: ({ cluster }) => environmentIn(config, cluster) !== undefined,
      });
      await again(look, stopping.signal, (why) => warn(`steps are not annotated in Grafana: ${why}`));
    } catch (error) {
      warn(`steps are not annotated in Grafana: ${messageOf(error)}`);
    }
  })();
  return async () => {
    stopping.abort();
    await connected?.close();
    await watching;
  };
}

async function again(look: () => Promise<void>, stopping: AbortSignal, failed: (why: string) => void): Promise<void> {
  let isFailing = false;
  while (!stopping.aborted) {
    try {
      await look();
      isFailing = false;
    } catch (error) {
      if (!isFailing && !stopping.aborted) failed(messageOf(error));
      isFailing = true;
    }
    await sleep(LOOK_MS, undefined, { signal: stopping, ref: false }).catch(() => undefined);
  }
}
