/** The Kubernetes side of `belay rehearse --kubernetes real`: a real control plane, KWOK, Karpenter and Prometheus with a scenario's cluster on them. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../domain/core/defined.ts';
import { zonesOf } from '../controllers/nodes.ts';
import type { ChartSource } from '../neighbours/helm/repository.ts';
import { freePorts } from '../processes/free-port.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { BuiltWorld } from '../world/build.ts';
import { Api } from './api.ts';
import { ControlPlane } from './control-plane.ts';
import { startHooks } from './hooks.ts';
import { karpenterDefinitions, karpenterRole } from './programs/karpenter.ts';
import { kwokRole } from './programs/kwok.ts';
import { type Mesh, revisionsOf, startMesh } from './istio/mesh.ts';
import { MirrorStore } from './mirror.ts';
import { unavailableIn, untilCounted, untilMeshed, untilSettled } from './settle.ts';
import { provideParts } from './parts/build.ts';
import { type Minor, MINORS, partsFor } from './parts/table.ts';
import { createOrphanCollector } from './orphans.ts';
import { prometheusRole, type ScrapeTarget } from './programs/prometheus.ts';
import { startServiceProxy } from './service-proxy.ts';
import { applyDefinitions, applyFile, GROUND, plant, WORKLOADS } from './transplant.ts';
import { Troupe } from './troupe.ts';
import { goOn, type Seed, seedWorld } from './world.ts';

/** Wall seconds. */
const SCRAPE_EVERY_SECONDS = 2;
/** Wall time: what belongs to real objects follows them at once. */
const FOLLOW_EVERY_MS = 500;

export interface RealKubernetes {
  built: BuiltWorld;
  url: string;
  caData: string;
  /** An administrator's. */
  token: string;
  prometheusUrl: string;
  /** Istio's, where there is a mesh. */
  charts?: ChartSource;
  close(): Promise<void>;
}

export interface RealKubernetesOptions {
  scenario: Scenario;
  speed: number;
  faults: readonly string[];
  /** For logs, keys and data. */
  directory: string;
  say: (line: string) => void;
  /** A process cannot be kept alive. */
  onGivenUp: (error: Error) => void;
}

/** Builds what is missing, and resolves when the cluster stands as the scenario wants it. World time runs from then on. */
export async function startRealKubernetes(options: RealKubernetesOptions): Promise<RealKubernetes> {
  const { scenario, say } = options;
  const from = minorOf(scenario);
  const seed = seedWorld(options);
  const { store } = seed.built.world;
  const meshed = revisionsOf(store).length > 0;
  const karpenter = store.list('nodepools').length > 0;
  const parts = await provideParts(partsFor({ mesh: meshed, karpenter }), { env: process.env, say });
  const program: Program = (name, minor) => [...parts].find(([part]) => part.name === name && part.minor === minor)?.[1] ?? name;
  const directory = join(options.directory, 'real');
  mkdirSync(directory, { recursive: true });
  const closing: (() => void | Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of closing.splice(0).toReversed()) await step();
  };
  try {
    const { journal, faults } = seed.built.world;
    const troupe = new Troupe({ directory, say, onGivenUp: options.onGivenUp });
    const hooks = await startHooks({ journal, fates: faults });
    closing.push(
      () => hooks.close(),
      () => troupe.close(),
    );
    const network: { mirror?: MirrorStore; mesh?: Mesh } = {};
    const egress = await startServiceProxy(({ host, port }) => {
      const service = network.mirror?.list('services').find(({ spec }) => spec?.clusterIP === host);
      return service === undefined ? undefined : network.mesh?.istiods.portOf(service, port);
    });
    closing.push(() => egress.close());
    say(`Starting etcd and Kubernetes ${from} …`);
    const start = { directory, troupe, program, hooksUrl: hooks.url, egressSocket: egress.socket, minor: from };
    const plane = await ControlPlane.start(start);
    const api = new Api(plane.tokenOf('rehearsal'));
    const mirror = new MirrorStore({ api, onRefusal: (text) => journal.tell(`the API server refused: ${text}`) });
    network.mirror = mirror;
    closing.push(
      () => api.close(),
      () => mirror.stop(),
    );
    // Those that people may choose at gates as well; of a mesh Belay runs the charts, as an administrator.
    for (const role of ['', '-delete-pods', '-node-classes'])
      await applyFile(api, new URL(`../../deploy/kubernetes-rbac${role}.yaml`, import.meta.url));
    if (karpenter) await applyDefinitions(api, await karpenterDefinitions(program('karpenter')));
    const recorded = scenario.loaded === true;
    await plant(api, store, karpenter ? [...GROUND, 'ec2nodeclasses'] : GROUND, recorded);
    troupe.start(kwokRole(program('kwok'), { directory, kubeconfig: plane.kubeconfig('kwok'), ...defined({ pace: scenario.kubelets }) }));
    const scraped = [apiServerTarget(plane)];
    if (karpenter) scraped.push(await startKarpenter({ seed, troupe, plane, program, directory }));
    const prometheusUrl = await startPrometheus({ troupe, program, directory, scraped });
    await mirror.start();
    if (meshed) {
      await applyFile(api, new URL('../../deploy/kubernetes-rbac-istio-helm.yaml', import.meta.url));
      network.mesh = await startMesh(store, {
        directory,
        troupe,
        say,
        api,
        kubeconfig: plane.kubeconfig('istiod'),
        programs: { istiod: program('istiod'), parts: program('istio-parts'), helm: program('helm') },
        tell: (text) => journal.tell(text),
      });
      await untilMeshed(mirror, network.mesh, revisionsOf(store));
    }
    await plant(api, store, karpenter ? [...WORKLOADS, 'nodepools'] : WORKLOADS, recorded);
    const claims = recorded || scenario.repacked === true ? undefined : store.list('nodeclaims').length;
    if (karpenter) say(`Karpenter launches ${claims ?? 'its'} nodes …`);
    await untilSettled(mirror, recorded ? { unavailable: unavailableIn(store) } : { claims, launched: karpenter });
    if (recorded) await untilCounted(mirror);
    const everyMs = FOLLOW_EVERY_MS * options.speed;
    const more = [createOrphanCollector(everyMs), ...(network.mesh?.controllers(everyMs) ?? [])];
    const built = goOn(seed, { mirror, plane, more });
    const caData = Buffer.from(plane.ca).toString('base64');
    const charts = network.mesh?.charts;
    return { built, url: plane.url, caData, token: plane.token('rehearsal'), prometheusUrl, charts, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Throws where a scenario needs minors that are not there. */
function minorOf({ name, from, to }: Scenario): Minor {
  const minor = MINORS.find((known) => known === from);
  if (minor !== undefined && MINORS.some((known) => known === to)) return minor;
  throw new Error(`--kubernetes real has the control planes of ${MINORS.join(' and ')}; ${name} goes from ${from} to ${to}.`);
}

type Program = (name: string, minor?: Minor) => string;

/** Returns what Prometheus scrapes of it. */
async function startKarpenter(input: {
  seed: Seed;
  troupe: Troupe;
  plane: ControlPlane;
  program: Program;
  directory: string;
}): Promise<ScrapeTarget> {
  const { seed, troupe, plane, program, directory } = input;
  const { world } = seed.built;
  const [metrics = 0, health = 0] = await freePorts(2);
  troupe.start(
    karpenterRole(program('karpenter'), {
      directory,
      kubeconfig: plane.kubeconfig('karpenter'),
      cluster: { name: world.eks.cluster.name, endpoint: plane.url, zones: zonesOf(world) },
      ports: { metrics, health },
    }),
  );
  return { job: 'karpenter', target: `127.0.0.1:${metrics}` };
}

/** Returns its address. */
async function startPrometheus(input: {
  troupe: Troupe;
  program: Program;
  directory: string;
  scraped: readonly ScrapeTarget[];
}): Promise<string> {
  const { troupe, program, directory, scraped } = input;
  const [port = 0] = await freePorts(1);
  const role = prometheusRole(program('prometheus'), { directory, port, everySeconds: SCRAPE_EVERY_SECONDS, targets: scraped });
  troupe.start(role);
  return role.url;
}

const apiServerTarget = (plane: ControlPlane): ScrapeTarget => ({
  job: 'kubernetes-apiservers',
  target: new URL(plane.url).host,
  tls: { caFile: plane.caFile, token: plane.token('prometheus') },
});
