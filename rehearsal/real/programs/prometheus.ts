/** A real Prometheus that scrapes the real API server, Karpenter and whatever else has metrics. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Role } from '../troupe.ts';

export interface ScrapeTarget {
  job: string;
  /** 127.0.0.1:PORT */
  target: string;
  /** Absent: plain HTTP. */
  tls?: { caFile: string; token: string };
  labels?: Record<string, string>;
}

export interface PrometheusOptions {
  directory: string;
  port: number;
  /** Wall seconds between two scrapes. */
  everySeconds: number;
  targets: readonly ScrapeTarget[];
}

/** Writes its configuration and says how it is started. Targets of `files` can be added later: it looks again by itself. */
export function prometheusRole(command: string, options: PrometheusOptions): Role & { url: string } {
  const { directory, port } = options;
  const file = join(directory, 'prometheus.yml');
  writeFileSync(file, configuration(options), { mode: 0o600 });
  const flags = {
    'config.file': file,
    'storage.tsdb.path': join(directory, 'prometheus-data'),
    'web.listen-address': `127.0.0.1:${port}`,
    'log.level': 'warn',
  };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  return { name: 'prometheus', command, args, url: `http://127.0.0.1:${port}` };
}

/** Where more targets are announced while it runs. */
export const announcements = (directory: string): string => join(directory, 'targets.json');

function configuration({ directory, everySeconds, targets }: PrometheusOptions): string {
  return stringify({
    global: { scrape_interval: `${everySeconds}s`, scrape_timeout: `${everySeconds}s`, evaluation_interval: `${everySeconds}s` },
    scrape_configs: [
      ...targets.map(({ job, target, tls, labels }) => ({
        job_name: job,
        ...(tls === undefined
          ? {}
          : { scheme: 'https', tls_config: { ca_file: tls.caFile }, authorization: { type: 'Bearer', credentials: tls.token } }),
        static_configs: [{ targets: [target], ...(labels === undefined ? {} : { labels }) }],
      })),
      { job_name: 'announced', file_sd_configs: [{ files: [announcements(directory)], refresh_interval: '5s' }] },
    ],
  });
}
