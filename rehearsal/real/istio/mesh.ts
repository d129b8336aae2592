/** The mesh of a scenario on real Istio: each revision that the scenario begins with is installed by helm from the real charts. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ChartSource, startChartRepository } from '../../neighbours/helm/repository.ts';
import { imageVersion } from '../../kubernetes/pods/pods.ts';
import type { ObjectStore } from '../../kubernetes/store.ts';
import type { Controller } from '../../world/world.ts';
import { announcements } from '../programs/prometheus.ts';
import type { Troupe } from '../troupe.ts';
import { realCharts } from './charts.ts';
import { type Istiod, ISTIO_NAMESPACE, Istiods } from './istiods.ts';
import type { Api } from '../api.ts';
import { Proxies } from './proxies.ts';
import { applyTags, tagsOf } from './tags.ts';

const run = promisify(execFile);
const HELM_LIMIT_MS = 120_000;
const MAX_RENDERED_BYTES = 16 * 1024 * 1024;

export interface MeshOptions {
  directory: string;
  troupe: Troupe;
  kubeconfig: string;
  /** An administrator's. */
  api: Api;
  programs: { istiod: string; parts: string; helm: string };
  tell: (text: string) => void;
  say: (line: string) => void;
}

export interface Mesh {
  charts: ChartSource;
  istiods: Istiods;
  /** They keep istiods and xDS clients in step with the cluster. */
  controllers(everyMs: number): Controller[];
  follow(store: ObjectStore): void;
}

/** Installs what the seed has. The mesh's pods are made after its istiods run, or their webhook would refuse them. */
export async function startMesh(seed: ObjectStore, options: MeshOptions): Promise<Mesh> {
  const { directory, troupe, kubeconfig, api, programs, tell, say } = options;
  const charts = await realCharts(programs.parts, directory);
  const istiods = new Istiods({
    command: programs.istiod,
    troupe,
    kubeconfig,
    tell,
    onChange: (running) => announce(directory, running),
  });
  announce(directory, []);
  const proxies = new Proxies(directory, istiods);
  troupe.start(proxies.role(programs.parts));
  const repository = await startChartRepository(charts);
  const helmEnv = { ...process.env, ...homes(directory) };
  try {
    for (const { revision, version } of revisionsOf(seed)) {
      say(`Installing Istio ${version} as revision ${revision} by helm …`);
      const helm = async (action: readonly string[], release: string, chart: string, ...settings: string[]): Promise<string> => {
        const source = `${repository.url}/${chart}-${version}.tgz`;
        const values = settings.flatMap((setting) => ['--set', setting]);
        const args = [...action, release, source, '--namespace', ISTIO_NAMESPACE, '--kubeconfig', kubeconfig, ...values];
        const { stdout } = await run(programs.helm, args, { timeout: HELM_LIMIT_MS, maxBuffer: MAX_RENDERED_BYTES, env: helmEnv });
        return stdout;
      };
      const install = ['upgrade', '--install', '--create-namespace'];
      await helm(install, 'istio-base', 'base', `defaultRevision=${revision}`);
      const istiod = [`istiod-${revision}`, 'istiod', `revision=${revision}`] as const;
      await helm(install, ...istiod, 'pilot.replicaCount=2', 'pilot.autoscaleEnabled=false');
      const tags = tagsOf(seed, revision);
      if (tags.length > 0) await applyTags(api, seed, await helm(['template'], ...istiod, `revisionTags={${tags.join(',')}}`));
    }
  } finally {
    await repository.close();
  }
  return {
    charts,
    istiods,
    controllers: (everyMs) => [istiods.controller(everyMs), proxies.controller(everyMs)],
    follow(store) {
      istiods.follow(store);
      proxies.follow(store);
    },
  };
}

/** Revisions that a scenario's cluster begins with. */
export function revisionsOf(seed: ObjectStore): { revision: string; version: string }[] {
  return seed.list('deployments', { namespace: ISTIO_NAMESPACE, labels: { app: 'istiod' } }).map(({ metadata, spec }) => ({
    revision: metadata.labels?.['istio.io/rev'] ?? 'default',
    version: imageVersion(spec?.template?.spec?.containers?.[0]?.image) ?? '',
  }));
}

/** For Prometheus, with the labels that a scrape of istiod's pods would have. */
function announce(directory: string, istiods: readonly Istiod[]): void {
  const groups = istiods.map(({ revision, ports }) => ({
    targets: [`127.0.0.1:${ports.monitoring}`],
    labels: { job: 'istiod', app: 'istiod', istio_io_rev: revision },
  }));
  writeFileSync(announcements(directory), JSON.stringify(groups));
}

function homes(directory: string): Record<string, string> {
  return {
    HELM_CACHE_HOME: join(directory, 'helm', 'cache'),
    HELM_CONFIG_HOME: join(directory, 'helm', 'config'),
    HELM_DATA_HOME: join(directory, 'helm', 'data'),
  };
}
