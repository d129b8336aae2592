/** A chart repository on 127.0.0.1 with Istio's charts, in every version that the twin knows: as the rehearsal has them (rehearsal/charts), or real ones. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { ISTIO_PATCHES } from '../controllers/istio/revisions.ts';
import { close, listen } from '../loopback.ts';
import { tgzOf } from './tar.ts';

const CHARTS = fileURLToPath(new URL('../charts', import.meta.url));
/** What the files on the disk say. */
const WRITTEN_VERSION = '1.28.3';

export interface ChartRepository {
  url: string;
  close(): Promise<void>;
}

export interface ChartSource {
  /** Has a folder for each chart: `base`, `istiod` and whatever else there is. */
  folder: string;
  /** A file's text as a release of that version has it. `file`: its name without folders. */
  release: (file: string, text: string, version: string) => string;
}

const OWN: ChartSource = {
  folder: CHARTS,
  release: (file, text, version) => (file === 'Chart.yaml' ? text.replaceAll(WRITTEN_VERSION, version) : text),
};

export async function startChartRepository(source: ChartSource = OWN): Promise<ChartRepository> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const chart = /^\/([a-z]+)-(\d+\.\d+\.\d+)\.tgz$/.exec(path);
    const charts = readdirSync(source.folder);
    if (path === '/index.yaml') return void response.end(indexYaml(charts));
    if (chart !== null && charts.includes(chart[1] ?? '') && ISTIO_PATCHES.includes(chart[2] ?? ''))
      return void response.end(archive(source, chart[1] ?? '', chart[2] ?? ''));
    response.writeHead(404).end('not found');
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, close: () => close(server) };
}

function indexYaml(charts: readonly string[]): string {
  const entry = (name: string, version: string) => ({
    apiVersion: 'v2',
    name,
    version,
    appVersion: version,
    urls: [`${name}-${version}.tgz`],
  });
  const entries = Object.fromEntries(charts.map((name) => [name, ISTIO_PATCHES.map((version) => entry(name, version))]));
  return stringify({ apiVersion: 'v1', entries });
}

function archive({ folder, release }: ChartSource, chart: string, version: string): Buffer {
  const files = readdirSync(join(folder, chart), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return tgzOf(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const text = release(entry.name, readFileSync(file, 'utf8'), version);
      return { path: file.slice(folder.length + 1).replaceAll('\\', '/'), text };
    }),
  );
}
