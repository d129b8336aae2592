/** Opens a process's own port, where BELAY_METRICS_ADDRESS is set; without it nothing is measured and nothing listens. */
import { Gauge, Registry } from 'prom-client';
import { defined } from '../../../domain/core/defined.ts';
import type { Config } from '../../../domain/policy/config/config.ts';
import { temporalSettings } from '../../temporal/connection.ts';
import { credentialSeries } from './credential-series.ts';
import { processSeries, type ProcessSeries } from './process-series.ts';
import { type SdkExporter, sdkExporter } from './sdk-exporter.ts';
import { servePages } from './server.ts';
import { type Component, metricsSettings } from './settings.ts';
import { watchRuns } from './watch-runs.ts';

export interface MetricsOptions {
  component: Component;
  config: Config;
  env: NodeJS.ProcessEnv;
  /** As in server.ts. */
  notReady: () => string | undefined;
  /** As in process-series.ts. */
  polledAtS?: () => number | undefined;
  /** By task queue of a network, as in process-series.ts. */
  queuePolls?: ReadonlyMap<string, number>;
  log: { info(message: string): void; warn(message: string): void };
}

export interface OpenMetrics extends Pick<ProcessSeries, 'bundled'> {
  /** Of a worker: for its Runtime. */
  sdk?: SdkExporter['config'];
  port: number;
  close(): Promise<void>;
}

/** Throws an error that names variable and fix where the address is wrong or in use. */
export async function openMetrics(options: MetricsOptions): Promise<OpenMetrics | undefined> {
  const { component, config, env, notReady, polledAtS = () => undefined, queuePolls, log } = options;
  const settings = metricsSettings(env, component);
  if (settings === undefined) return undefined;
  const registry = new Registry();
  const series = processSeries(registry, { component, polledAtS, ...defined({ queuePolls }) });
  credentialSeries(registry, () => temporalSettings(config.temporal).connection);
  const closing: (() => Promise<void>)[] = [async () => series.end()];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const sdk = component === 'worker' ? withSdk(registry, await sdkExporter()) : undefined;
    const metrics = async (): Promise<{ contentType: string; text: string }> => {
      // The SDK is asked first: whether it answered is a series of ours.
      const more = (await sdk?.read()) ?? '';
      return { contentType: registry.contentType, text: `${await registry.metrics()}${more}` };
    };
    const listening = await servePages({ metrics, notReady }, settings);
    closing.push(() => listening.close());
    if (settings.runs) closing.push(watchRuns(registry, config, (message) => log.warn(message)));
    log.info(`metrics at http://${hostIn(settings.host ?? 'localhost')}:${listening.port}/metrics`);
    return { bundled: series.bundled, ...defined({ sdk: sdk?.config }), port: listening.port, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const hostIn = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** A page without the SDK's series is better than none, and says so. */
function withSdk(registry: Registry, exporter: SdkExporter): SdkExporter {
  const up = new Gauge({
    name: 'belay_sdk_metrics_up',
    help: "1: the series of Temporal's SDK (temporal_…) are on this page. 0: its exporter did not answer this scrape.",
    registers: [registry],
  });
  return {
    config: exporter.config,
    async read() {
      try {
        const text = await exporter.read();
        up.set(1);
        return text;
      } catch {
        up.set(0);
        return '';
      }
    },
  };
}
