/**
 * Temporal's SDK measures in its native core, which exports by an HTTP server of its own. That one listens on this machine's loopback, and its page is
 * appended to ours: one page for each process, and one port to open.
 */
import { Agent, get } from 'node:http';
import { createServer } from 'node:net';
import type { MetricsExporterConfig } from '@temporalio/worker';

const SCRAPE_LIMIT_MS = 2_000;

export interface SdkExporter {
  /** For `telemetryOptions.metrics` of the Runtime. */
  config: MetricsExporterConfig;
  /** Its series in the text format 0.0.4. Rejects where it does not answer. */
  read(): Promise<string>;
}

/** On a port that is free now. Nothing listens until a Runtime is installed with it. */
export async function sdkExporter(): Promise<SdkExporter> {
  const port = await freePort();
  return {
    config: {
      prometheus: {
        bindAddress: `127.0.0.1:${port}`,
        // As in OpenTelemetry's form, which Temporal's published dashboards have (sdk/temporal-core-sdks-otel.json).
        countersTotalSuffix: true,
        unitSuffix: true,
        useSecondsForDurations: true,
        // By default they end at a minute, and Belay's activities watch for hours. With the prefix, without the unit.
        histogramBucketOverrides: { temporal_activity_execution_latency: [1, 10, 60, 600, 3_600, 14_400] },
      },
    },
    read: () => textOf(port),
  };
}

/** Over an agent of its own: with NODE_USE_ENV_PROXY Node's usual one would ask a proxy for this machine's loopback. */
function textOf(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(SCRAPE_LIMIT_MS);
    const request = get({ host: '127.0.0.1', port, path: '/metrics', agent: new Agent(), signal }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => void (text += chunk));
      response.on('error', reject);
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`the SDK's exporter answered ${response.statusCode}`)),
      );
    });
    request.on('error', reject);
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no free port on 127.0.0.1')),
      );
    });
  });
}
