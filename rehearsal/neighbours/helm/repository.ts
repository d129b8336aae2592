/** A chart repository on 127.0.0.1 with Karpenter's and Istio's charts in every version that the twin knows: as the rehearsal has them (rehearsal/neighbours/helm/charts), or Istio's real ones. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { converts, definitionsOf, webhooksByDefault } from '../../controllers/karpenter/definitions.ts';
import { isSince } from '../../controllers/karpenter/migration/versions.ts';
import { ADMISSION, matchOf } from '../../controllers/karpenter/webhooks.ts';
import { ISTIO_PATCHES } from '../../controllers/istio/revisions.ts';
import { close, listen } from '../../world/core/loopback.ts';
import { tgzOf } from './tar.ts';

const CHARTS = fileURLToPath(new URL('./charts', import.meta.url));
/** As oci://public.ecr.aws/karpenter lists them: up to 0.34 charts are named with v. */
const KARPENTER_PATCHES =
  'v0.31.4 v0.32.10 v0.33.12 v0.34.13 0.35.12 0.36.9 0.37.7 1.0.14 1.1.10 1.2.8 1.3.8 1.4.4 1.5.8 1.6.8 1.7.6 1.8.8 1.9.2 1.9.3 1.10.2 1.11.3 1.12.2 1.13.1 1.14.1 1.14.3 1.15.2'.split(
    ' ',
  );
/** Versions by chart. */
const RELEASES: Record<string, readonly string[]> = {
  istiod: ISTIO_PATCHES,
  base: ISTIO_PATCHES,
  cni: ISTIO_PATCHES,
  ztunnel: ISTIO_PATCHES,
  karpenter: KARPENTER_PATCHES,
  'karpenter-crd': KARPENTER_PATCHES,
};

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
  release: (file, text, version) => {
    if (file === 'Chart.yaml') return text.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`);
    return file === 'values.yaml' && text.startsWith('# As in karpenter/') ? karpenterValues(text, version) : text;
  },
};

/** What Karpenter's charts of a version have as their own values. */
function karpenterValues(text: string, version: string): string {
  const definitions = definitionsOf(version, true).map(({ versions, ...definition }, index) => ({
    ...definition,
    versions,
    versionsWithoutWebhook: definitionsOf(version, false)[index]?.versions ?? [],
  }));
  const filled: Record<string, unknown> = {
    'webhook:\n  enabled: false': `webhook:\n  enabled: ${webhooksByDefault(version)}`,
    'converts: false': `converts: ${converts(version)}`,
    'definitions: []': `definitions: ${JSON.stringify(definitions)}`,
    'admission: []': `admission: ${JSON.stringify(ADMISSION.map(({ kind, name, rules }) => ({ kind, name, match: matchOf(rules) })))}`,
    'drift: true': `drift: ${isSince(version, '0.33')}`,
  };
  return Object.entries(filled).reduce((done, [from, to]) => done.replace(from, String(to)), text);
}

export async function startChartRepository(source: ChartSource = OWN): Promise<ChartRepository> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    if (path === '/index.yaml') return void response.end(indexYaml(source));
    const [, chart = '', version = ''] = /^\/([a-z-]+)-(v?\d+\.\d+\.\d+)\.tgz$/.exec(path) ?? [];
    if (releasesOf(source)[chart]?.includes(version) === true) return void response.end(archive(sourceOf(chart, source), chart, version));
    response.writeHead(404).end('not found');
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, close: () => close(server) };
}

/** Karpenter's charts are always the twin's own. */
const sourceOf = (chart: string, source: ChartSource): ChartSource => (chart.startsWith('karpenter') ? OWN : source);

/** Versions of the charts that are there: a source may have fewer of them. */
function releasesOf(source: ChartSource): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(RELEASES).filter(([chart]) => existsSync(join(sourceOf(chart, source).folder, chart))));
}

function indexYaml(source: ChartSource): string {
  const entry = (name: string, version: string) => ({
    apiVersion: 'v2',
    name,
    version,
    appVersion: version,
    urls: [`${name}-${version}.tgz`],
  });
  const entries = Object.fromEntries(
    Object.entries(releasesOf(source)).map(([name, versions]) => [name, versions.map((version) => entry(name, version))]),
  );
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
