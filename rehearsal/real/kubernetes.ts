/** The Kubernetes side of `belay rehearse --kubernetes real`: a real control plane, KWOK, Karpenter and Prometheus with a scenario's cluster on them. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { zonesOf } from '../controllers/nodes.ts';
import type { ChartSource } from '../helm/repository.ts';
import { isReady } from '../kubernetes/pods.ts';
import { freePorts } from '../processes/free-port.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { BuiltWorld } from '../world/build.ts';
import { Api } from './api.ts';
import { ControlPlane } from './control-plane.ts';
import { startHooks } from './hooks.ts';
import { karpenterDefinitions, karpenterRole } from './karpenter.ts';
import { kwokRole } from './kwok.ts';
import { type Mesh, revisionsOf, startMesh } from './istio/mesh.ts';
import { MirrorStore } from './mirror.ts';
import { provideParts } from './parts/build.ts';
import { MINORS, partsFor } from './parts/table.ts';
import { prometheusRole, type ScrapeTarget } from './prometheus.ts';
import { startServiceProxy } from './service-proxy.ts';
import { applyDefinitions, applyFile, GROUND, plant, WORKLOADS } from './transplant.ts';
import { Troupe } from './troupe.ts';
import { goOn, seedWorld } from './world.ts';

/** Wall seconds. */
const SCRAPE_EVERY_SECONDS = 2;
const SETTLE_LIMIT_MS = 180_000;
const LOOK_MS = 500;
/** Wall time: istiods follow their Deployments. */
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
  const from = MINORS.find((minor) => minor === scenario.from);
  if (from === undefined || !MINORS.some((minor) => minor === scenario.to))
    throw new Error(
      `--kubernetes real has the control planes of ${MINORS.join(' and ')}; ${scenario.name} goes from ${scenario.from} to ${scenario.to}.`,
    );
  const seed = seedWorld(options);
  const revisions = revisionsOf(seed.built.world.store);
  const parts = await provideParts(partsFor({ mesh: revisions.length > 0 }), { env: process.env, say });
  const program = (name: string, minor?: string): string =>
    [...parts].find(([part]) => part.name === name && part.minor === minor)?.[1] ?? name;
  const directory = join(options.directory, 'real');
  mkdirSync(directory, { recursive: true });
  const closing: (() => void | Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of closing.splice(0).toReversed()) await step();
  };
  try {
    const { journal } = seed.built.world;
    const troupe = new Troupe({ directory, say, onGivenUp: options.onGivenUp });
    const hooks = await startHooks({ journal });
    closing.push(
      () => hooks.close(),
      () => troupe.close(),
    );
    let mesh: Mesh | undefined;
    const cluster: { mirror?: MirrorStore } = {};
    const egress = await startServiceProxy(({ host, port }) => {
      const service = cluster.mirror?.list('services').find(({ spec }) => spec?.clusterIP === host);
      return service === undefined ? undefined : mesh?.istiods.portOf(service, port);
    });
    closing.push(() => egress.close());
    say(`Starting etcd and Kubernetes ${from} …`);
    const start = { directory, troupe, program, hooksUrl: hooks.url, egressSocket: egress.socket, minor: from };
    const plane = await ControlPlane.start(start);
    const api = new Api(plane.tokenOf('rehearsal'));
    const mirror = new MirrorStore({ api, onRefusal: (text) => journal.tell(`the API server refused: ${text}`) });
    closing.push(
      () => api.close(),
      () => mirror.stop(),
    );
    const ports = await freePorts(3);
    const [metrics = 0, health = 0, prometheusPort = 0] = ports;
    await applyFile(api, new URL('../../deploy/kubernetes-rbac.yaml', import.meta.url));
    await applyDefinitions(api, await karpenterDefinitions(program('karpenter')));
    await plant(api, seed.built.world.store, GROUND);
    troupe.start(kwokRole(program('kwok'), plane.kubeconfig('kwok')));
    troupe.start(
      karpenterRole(program('karpenter'), {
        directory,
        kubeconfig: plane.kubeconfig('karpenter'),
        cluster: { name: scenario.cluster.name, endpoint: plane.url, zones: zonesOf(seed.built.world) },
        ports: { metrics, health },
      }),
    );
    const prometheus = prometheusRole(program('prometheus'), {
      directory,
      port: prometheusPort,
      everySeconds: SCRAPE_EVERY_SECONDS,
      targets: targets(plane, metrics),
    });
    troupe.start(prometheus);
    await mirror.start();
    if (revisions.length > 0) {
      await applyFile(api, new URL('../../deploy/kubernetes-rbac-istio-helm.yaml', import.meta.url));
      const istio = await startMesh(seed.built.world.store, {
        directory,
        troupe,
        say,
        kubeconfig: plane.kubeconfig('istiod'),
        programs: { istiod: program('istiod'), parts: program('istio-parts'), helm: program('helm') },
        tell: (text) => journal.tell(text),
      });
      mesh = istio;
      await untilMeshed(
        mirror,
        istio,
        revisions.map(({ revision }) => revision),
      );
    }
    await plant(api, seed.built.world.store, WORKLOADS);
    const expected = seed.built.world.store.list('nodeclaims').length;
    say(`Real Karpenter launches ${expected} nodes …`);
    await untilSettled(mirror, expected);
    const built = goOn(seed, { mirror, plane, more: mesh?.controllers(FOLLOW_EVERY_MS * options.speed) ?? [] });
    const caData = Buffer.from(plane.ca).toString('base64');
    return {
      built,
      url: plane.url,
      caData,
      token: plane.token('rehearsal'),
      prometheusUrl: prometheus.url,
      close,
      ...(mesh === undefined ? {} : { charts: mesh.charts }),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function targets(plane: ControlPlane, karpenterPort: number): ScrapeTarget[] {
  return [
    {
      job: 'kubernetes-apiservers',
      target: new URL(plane.url).host,
      tls: { caFile: plane.caFile, token: plane.token('prometheus') },
    },
    { job: 'karpenter', target: `127.0.0.1:${karpenterPort}` },
  ];
}

/** Each revision's istiod has written its authority into its webhook, and answers. */
async function untilMeshed(mirror: MirrorStore, mesh: Mesh, revisions: readonly string[]): Promise<void> {
  const endMs = performance.now() + SETTLE_LIMIT_MS;
  const ready = (revision: string): boolean =>
    mesh.istiods.of(revision) !== undefined &&
    mirror
      .list('mutatingwebhookconfigurations', { labels: { 'istio.io/rev': revision } })
      .some((configuration) => configuration['webhooks']?.every((webhook: Webhook) => (webhook.clientConfig.caBundle ?? '') !== ''));
  for (;;) {
    mesh.follow(mirror);
    if (revisions.every(ready)) return;
    if (performance.now() > endMs) throw new Error(`istiod of ${revisions.join(' or ')} did not come up; its log says why`);
    await sleep(LOOK_MS);
  }
}

interface Webhook {
  clientConfig: { caBundle?: string };
}

/** Every workload is available and every node Ready. */
async function untilSettled(mirror: MirrorStore, claims: number): Promise<void> {
  const endMs = performance.now() + SETTLE_LIMIT_MS;
  while (!settled(mirror, claims)) {
    if (performance.now() > endMs) throw new Error(`the real cluster did not settle: ${unsettled(mirror, claims)}`);
    await sleep(LOOK_MS);
  }
}

function settled(mirror: MirrorStore, claims: number): boolean {
  return unsettled(mirror, claims) === '';
}

/** For people; empty when all is as it should be. */
function unsettled(mirror: MirrorStore, claims: number): string {
  const waiting = mirror
    .list('deployments')
    .filter(({ spec, status }) => status?.availableReplicas !== spec?.replicas)
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const ready = mirror.list('nodes').filter(isReady).length;
  const launched = mirror.list('nodeclaims').length;
  const all = mirror.list('nodes').length;
  return [
    ...(waiting.length > 0 ? [`Deployments not available: ${waiting.join(', ')}`] : []),
    ...(launched === claims ? [] : [`${launched} of ${claims} NodeClaims`]),
    ...(ready === all ? [] : [`${ready} of ${all} nodes Ready`]),
  ].join('; ');
}
